import { spawnSync } from 'node:child_process'
import { unwatch, watch } from './watchdog.js'

/** Leaders of the process groups of ours that may have a living member. */
const live = new Set<number>()

/**
 * Notes a child that must not outlive this process. One `exit` listener serves all of them and is there only while
 * there is one, so that any number of wires, failed ones too, leaves the listener counts as they were (field report
 * 10.01). No signal handler is installed: what a signal does to the host is the host's decision.
 */
export function noteLive(pid: number, watchdog: boolean): void {
  if (live.size === 0) process.on('exit', killAll)
  live.add(pid)
  if (watchdog) watch(pid)
}

/** Forgets a child of which nothing is left. */
export function forgetLive(pid: number): void {
  unwatch(pid)
  if (live.delete(pid) && live.size === 0) process.off('exit', killAll)
}

/** In an `exit` listener nothing can be awaited, so there is no grace. */
function killAll(): void {
  for (const pid of live) {
    try {
      if (process.platform === 'win32') spawnSync('taskkill', ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore' })
      else process.kill(-pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
}
