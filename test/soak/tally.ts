/** What became of every call. */
import type { Connection } from '../../src/index.js'

/** Time for one call; one that settles more than this later counts as lost. */
export const CALL_MS = 5_000
const GRACE_MS = 2_000

export interface Calls {
  readonly made: number
  readonly answered: number
  /** Rejected: the caller was told, and knows whether it may have run. */
  readonly told: number
  /** Not settled by the deadline; or answered, and never ran. */
  readonly lost: number
  /** Ran more than once. */
  readonly doubled: number
}

export class Tally {
  readonly #prefix: string
  readonly #outcomes = new Map<string, 'open' | 'answered' | 'told' | 'late'>()

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** Resolves when the call has settled, whichever way. */
  async call(connection: Connection, ms: number, signal?: AbortSignal): Promise<boolean> {
    const id = `${this.#prefix}-${this.#outcomes.size}`
    this.#outcomes.set(id, 'open')
    const began = performance.now()
    const settle = (outcome: 'answered' | 'told'): void => {
      const isLate = performance.now() - began > CALL_MS + GRACE_MS
      this.#outcomes.set(id, isLate ? 'late' : outcome)
    }
    try {
      await connection.callTool({ name: 'slow', arguments: { id, ms } }, { timeoutMs: CALL_MS, signal })
      settle('answered')
      return true
    } catch {
      settle('told')
      return false
    }
  }

  count(runs: readonly string[]): Calls {
    const times = new Map<string, number>()
    for (const id of runs) times.set(id, (times.get(id) ?? 0) + 1)
    const calls = { made: this.#outcomes.size, answered: 0, told: 0, lost: 0, doubled: 0 }
    for (const [id, outcome] of this.#outcomes) {
      const ran = times.get(id) ?? 0
      if (outcome === 'told') calls.told += 1
      else if (outcome === 'answered' && ran > 0) calls.answered += 1
      else calls.lost += 1
      if (ran > 1) calls.doubled += 1
    }
    return calls
  }
}
