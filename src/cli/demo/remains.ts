/** Looks for what is left of the demonstration: processes, and what would keep this process from ending. */
import type { Clock } from '../../clock.js'
import { watchdogPid } from '../../wire/index.js'
import { alive, childrenOf } from './processes.js'

/** The system may take a moment to let go of what was closed. */
const PATIENCE_MS = 1_500
const LOOK_MS = 50

export class Remains {
  readonly #clock: Clock
  /** What was there before we began. */
  readonly #children = new Set(childrenOf(process.pid))
  readonly #resources = countByName(process.getActiveResourcesInfo())
  readonly #seen = new Set<number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Servers that have come since the beginning. Remembers all children: they must be gone at the end. */
  children(): number[] {
    const ours = childrenOf(process.pid).filter((pid) => !this.#children.has(pid))
    for (const pid of ours) this.#seen.add(pid)
    return ours.filter((pid) => pid !== watchdogPid())
  }

  async look(): Promise<{ processes: number[]; resources: string[] }> {
    const deadline = this.#clock.now() + PATIENCE_MS
    for (;;) {
      this.children()
      const left = { processes: alive([...this.#seen]), resources: this.#newResources() }
      if (left.processes.length + left.resources.length === 0 || this.#clock.now() > deadline) return left
      await new Promise((resolve) => this.#clock.setTimeout(resolve, LOOK_MS))
    }
  }

  #newResources(): string[] {
    return [...countByName(process.getActiveResourcesInfo())]
      .filter(([name, count]) => count > (this.#resources.get(name) ?? 0))
      .map(([name, count]) => `${count - (this.#resources.get(name) ?? 0)} ${name}`)
  }
}

function countByName(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
