/** What a process holds: what is there after everything is closed, and was not before, has leaked. */
import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'

export interface Holdings {
  /** Open handles and requests by their kind, as Node counts them. */
  readonly resources: Readonly<Record<string, number>>
  /** Listeners on `process` by event. */
  readonly listeners: Readonly<Record<string, number>>
  readonly children: number
  readonly heapMiB: number
}

export async function holdings(): Promise<Holdings> {
  return {
    resources: counted(process.getActiveResourcesInfo()),
    listeners: Object.fromEntries(
      process.eventNames().map((name) => [String(name), process.listenerCount(name)] as const),
    ),
    children: children(),
    heapMiB: await heapMiB(),
  }
}

/** Waits until no more is held than before, as far as it can be waited for: a socket closes in its own time. */
export async function settled(before: Holdings, withinMs = 15_000): Promise<Holdings> {
  const end = performance.now() + withinMs
  for (;;) {
    const now = await holdings()
    if (drift(before, now).length === 0 || performance.now() > end) return now
    await pause(250)
  }
}

/** What is held now and was not before, as lines for a person; heap is judged over many rounds, not here. */
export function drift(before: Holdings, now: Holdings): string[] {
  return [
    ...more('resource', before.resources, now.resources),
    ...more('listener', before.listeners, now.listeners),
    ...more('process', { child: before.children }, { child: now.children }),
  ]
}

function more(what: string, before: Readonly<Record<string, number>>, now: Readonly<Record<string, number>>): string[] {
  return Object.entries(now)
    .filter(([name, count]) => count > (before[name] ?? 0))
    .map(([name, count]) => `${what} ${name}: ${before[name] ?? 0} before, ${count} after`)
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Processes that this one has started and that run, the one that counts them left out. */
function children(): number {
  const lines = execFileSync('ps', ['-eo', 'ppid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => {
    const [ppid, stat = '', program = ''] = line.trim().split(/\s+/)
    return Number(ppid) === process.pid && !stat.startsWith('Z') && program !== 'ps'
  }).length
}

/** After all that can be collected has been. */
export async function heapMiB(): Promise<number> {
  if (!globalThis.gc) throw new Error('the soak needs --expose-gc')
  for (let i = 0; i < 5; i++) {
    globalThis.gc()
    // Finalizers, and what they let go, have a turn of their own.
    await pause(10)
  }
  return process.memoryUsage().heapUsed / 2 ** 20
}
