import { spawn } from 'node:child_process'
import { hasLivingMember } from './group-members.js'

/** A child and what it started, as far as the platform lets us reach it. */
export interface ProcessTree {
  readonly pid: number
  /** Asks it to end. `false` where the platform has no such request: go on to `kill`. */
  terminate(): boolean
  /** Ends it at once. Never throws: one that is gone already is what was wanted. */
  kill(): void
  /** Whether any of it is left, once its leader is known to be gone. */
  hasSurvivors(): boolean
}

/** What the trees need of the system; the seam for tests. */
export interface TreeSystem {
  readonly platform: NodeJS.Platform
  kill(pid: number, signal: NodeJS.Signals | 0): void
  run(command: string, args: string[]): void
}

export const realTreeSystem: TreeSystem = {
  platform: process.platform,
  kill: (pid, signal) => void process.kill(pid, signal),
  run: (command, args) => {
    spawn(command, args, { stdio: 'ignore', windowsHide: true }).on('error', () => {})
  },
}

export function processTree(pid: number, system: TreeSystem): ProcessTree {
  return system.platform === 'win32' ? windowsTree(pid, system) : posixTree(pid, system)
}

/**
 * On POSIX: the child's process group. What left the group (`setsid`, as daemons and container clients do) is out of
 * reach; all it gets is the end of stdin, if it holds it.
 */
function posixTree(pid: number, system: TreeSystem): ProcessTree {
  const signal = (name: NodeJS.Signals): void => {
    try {
      system.kill(-pid, name)
    } catch {
      // ESRCH: gone. EPERM: only zombies are left (macOS), or it changed its user and is out of reach.
    }
  }
  return {
    pid,
    terminate: () => {
      signal('SIGTERM')
      return true
    },
    kill: () => signal('SIGKILL'),
    hasSurvivors: () => {
      try {
        system.kill(-pid, 0)
      } catch {
        return false
      }
      // A zombie still counts for kill(0), for as long as init takes to collect it; in a container often for ever.
      return hasLivingMember(pid, system.platform)
    },
  }
}

/**
 * On Windows: whatever taskkill finds below the child while it lives. There is no polite request, and no way to find
 * the children of one that is gone.
 */
function windowsTree(pid: number, system: TreeSystem): ProcessTree {
  return {
    pid,
    terminate: () => false,
    kill: () => system.run('taskkill', ['/PID', String(pid), '/T', '/F']),
    hasSurvivors: () => false,
  }
}
