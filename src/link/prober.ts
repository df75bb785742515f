import type { Clock } from '../clock.js'
import type { Link } from './port.js'

export interface SignOfLife {
  /** How long the answer took, in milliseconds; absent when none was needed. */
  readonly rttMs?: number
}

/**
 * Asks one link for signs of life. A call in flight is one: a busy server may answer nothing else meanwhile, and a call
 * has its own deadline (promise P17). A second probe in a row is made by a request that every server answers.
 */
export class Prober {
  readonly #link: Link
  readonly #clock: Clock
  /** Probes without an answer yet; they do not make the link busy. */
  readonly #open = new Set<AbortController>()

  constructor(link: Link, clock: Clock) {
    this.#link = link
    this.#clock = clock
  }

  /**
   * Resolves with the first sign of life, and with nothing when a later probe was answered first.
   *
   * @throws WireError when the request failed otherwise than by an answer
   */
  async ask(): Promise<SignOfLife | undefined> {
    const { pending, adrift = 0 } = this.#link.wire
    if (pending - adrift > this.#open.size) return this.#alive({})
    const thorough = this.#open.size > 0
    const probe = new AbortController()
    this.#open.add(probe)
    const askedAt = this.#clock.now()
    try {
      await this.#link.probe(thorough, probe.signal)
    } catch (error) {
      if (probe.signal.aborted) return undefined
      this.#open.delete(probe)
      throw error
    }
    return this.#alive({ rttMs: this.#clock.now() - askedAt })
  }

  /** An answer makes earlier probes pointless; left open, they would look like calls in flight. */
  #alive(life: SignOfLife): SignOfLife {
    for (const probe of this.#open) probe.abort()
    this.#open.clear()
    return life
  }
}
