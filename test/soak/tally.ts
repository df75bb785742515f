/** What became of every call. */
import type { Connection } from '../../src/index.js'
import type { Pulse } from './pulse.js'

/** Time for one call. */
export const CALL_MS = 5_000
/** One that settles so much later counts as lost. */
const GRACE_MS = 2_000

export interface Calls {
  readonly made: number
  readonly answered: number
  /** Rejected: the caller was told, and knows whether it may have run. */
  readonly told: number
  /** All of the next three. */
  readonly lost: number
  /** Settled, but long after its deadline. */
  readonly late: number
  /** Not settled at all. */
  readonly open: number
  /** Answered, and never ran. */
  readonly unrun: number
  /** Ran more than once. */
  readonly doubled: number
}

export class Tally {
  readonly #prefix: string
  readonly #pulse: Pulse
  readonly #outcomes = new Map<string, 'open' | 'answered' | 'told' | 'late'>()

  constructor(prefix: string, pulse: Pulse) {
    this.#prefix = prefix
    this.#pulse = pulse
  }

  /** Resolves when the call has settled, whichever way. */
  async call(connection: Connection, ms: number, signal?: AbortSignal): Promise<boolean> {
    const id = `${this.#prefix}-${this.#outcomes.size}`
    this.#outcomes.set(id, 'open')
    const began = this.#pulse.ms
    const settle = (outcome: 'answered' | 'told'): void => {
      const isLate = this.#pulse.ms - began > CALL_MS + GRACE_MS
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
    const calls = { made: this.#outcomes.size, answered: 0, told: 0, late: 0, open: 0, unrun: 0, doubled: 0 }
    for (const [id, outcome] of this.#outcomes) {
      const ran = times.get(id) ?? 0
      calls[outcome === 'answered' && ran === 0 ? 'unrun' : outcome] += 1
      if (ran > 1) calls.doubled += 1
    }
    return { ...calls, lost: calls.late + calls.open + calls.unrun }
  }
}
