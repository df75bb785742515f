/** Processes below this one, as the system sees them: the demonstration believes nobody's word on what is left. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Living processes started by this one, directly. */
export function childrenOf(parent: number): number[] {
  return living()
    .filter(({ ppid }) => ppid === parent)
    .map(({ pid }) => pid)
}

/** Those of the processes that live. One that is over but not yet collected by its parent does not. */
export function alive(pids: readonly number[]): number[] {
  const found = new Set(living().map(({ pid }) => pid))
  return pids.filter((pid) => found.has(pid))
}

interface Process {
  readonly pid: number
  readonly ppid: number
  /** `Z`: over, but not yet collected. */
  readonly state: string
}

function living(): Process[] {
  return (process.platform === 'linux' ? fromProc() : fromPs()).filter(({ state }) => state !== 'Z' && state !== 'X')
}

function fromProc(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // pid (name) state ppid …; the name may hold anything, brackets too.
        const [state = '', ppid] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
        return [{ pid: Number(name), ppid: Number(ppid), state }]
      } catch {
        return []
      }
    })
}

function fromPs(): Process[] {
  const ps = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
  if (ps.status !== 0) throw new Error('The demonstration has to see processes, and there is no ps here.')
  return ps.stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, ppid, state = '']) => ({ pid: Number(pid), ppid: Number(ppid), state: state.charAt(0) }))
    .filter(({ pid }) => pid !== ps.pid)
}
