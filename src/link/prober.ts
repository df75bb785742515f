import type { Fault } from '../../machines/faults.js'
import { type Clock, elapsed } from '../clock.js'
import type { Errands } from './errands.js'
import type { Link } from './port.js'

export interface SignOfLife {
  /** How long the answer took, in milliseconds; absent when none was needed. */
  readonly rttMs?: number
}

/**
 * A JSON-RPC answer proves life, an error as good as a result (deviation 34), whatever the HTTP status it came with. Not
 * one by which the server says that this link cannot go on. A server that asks to be asked less often is alive, too.
 */
export function isAnswer({ class: is, scope, evidence }: Fault): boolean {
  if (evidence.http?.status === 429) return scope === 'call'
  if (evidence.kind === 'rpc') return is !== 'session-expired'
  return evidence.rpc !== undefined && scope === 'call'
}

/**
 * Asks one link for signs of life. A call in flight is one: a busy server may answer nothing else meanwhile, and a call
 * has its own deadline (promise P17). What a ping does not get is asked for by a request that every server answers, and
 * by that alone from then on (report 07.05).
 */
export class Prober {
  readonly #link: Link
  readonly #clock: Clock
  readonly #errands: Errands
  #doubtedAt: number | undefined
  readonly #judge: (error: unknown) => Fault
  /** Probes without an answer yet; they do not make the link busy. */
  readonly #open = new Set<AbortController>()
  /** This server answers no ping. */
  #pingless = false

  constructor(link: Link, clock: Clock, errands: Errands, judge: (error: unknown) => Fault) {
    this.#link = link
    this.#clock = clock
    this.#errands = errands
    this.#judge = judge
  }

  /**
   * Resolves with the first sign of life, and with nothing when another probe was answered first.
   *
   * @throws WireError when the request failed otherwise than by an answer
   */
  async ask(): Promise<SignOfLife | undefined> {
    const { pending, adrift = 0 } = this.#link.wire
    if (this.#trustsTraffic() && pending - adrift - this.#errands.hopeless > this.#open.size) return this.#alive({})
    const thorough = this.#pingless || this.#open.size > 0
    const probe = new AbortController()
    this.#open.add(probe)
    const askedAt = elapsed(this.#clock)
    try {
      await this.#sound(thorough, probe.signal)
    } catch (error) {
      if (probe.signal.aborted) return undefined
      this.#open.delete(probe)
      throw error
    }
    return this.#alive({ rttMs: Math.round(elapsed(this.#clock) - askedAt) })
  }

  async #sound(thorough: boolean, signal: AbortSignal): Promise<void> {
    try {
      await this.#link.probe(thorough, signal)
    } catch (error) {
      if (signal.aborted) throw error
      const fault = this.#judge(error)
      if (!isAnswer(fault)) {
        if (thorough || fault.scope === 'link') throw error
        return this.#sound(true, signal)
      }
    }
    this.#pingless ||= thorough
  }

  /** A call was not answered in time: until something comes again, calls in flight are no sign of life. */
  doubt(): void {
    this.#doubtedAt = this.#clock.now()
  }

  #trustsTraffic(): boolean {
    return this.#doubtedAt === undefined || this.#link.wire.lastLifeAt > this.#doubtedAt
  }

  /** An answer makes earlier probes pointless; left open, they would look like calls in flight. */
  #alive(life: SignOfLife): SignOfLife {
    for (const probe of this.#open) probe.abort()
    this.#open.clear()
    return life
  }
}
