import { type Clock, elapsed } from '../clock.js'
import { evidenceOf } from '../wire/failure.js'

/**
 * Requests that a link makes for itself: lists, and what the server has to remember. A server that is at work on one is
 * as busy as with a call, but only for as long as a call may take: asked for again and again, they would hide for ever
 * that nobody answers.
 */
export class Errands {
  readonly #clock: Clock
  readonly #patienceMs: number
  #open = 0
  /** Since when none of them was answered; absent when none has waited. */
  #unansweredSince: number | undefined

  constructor(clock: Clock, patienceMs: number) {
    this.#clock = clock
    this.#patienceMs = patienceMs
  }

  /** How many are under way that are no sign of a busy server any more. */
  get hopeless(): number {
    const since = this.#unansweredSince
    return since !== undefined && elapsed(this.#clock) - since >= this.#patienceMs ? this.#open : 0
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#unansweredSince ??= elapsed(this.#clock)
    this.#open += 1
    try {
      const result = await work()
      this.#answered()
      return result
    } catch (error) {
      if (evidenceOf(error)?.rpc) this.#answered()
      throw error
    } finally {
      this.#open -= 1
    }
  }

  #answered(): void {
    this.#unansweredSince = this.#open > 1 ? elapsed(this.#clock) : undefined
  }
}
