/**
 * Exchanges that have done their work and only need to end, so that their socket can be used again: a reply stream
 * after its response, the body of an accepted notification. A server may leave them open for ever (report 03.09); one
 * shared timer cuts those, so that a call needs none of its own.
 */
import { type Clock, elapsed } from '../../clock.js'
import type { Exchange } from './exchange.js'

const graceMs = 2_000

export class Linger {
  readonly #clock: Clock
  readonly #since = new Map<Exchange, number>()
  #timer: unknown

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(exchange: Exchange): void {
    this.#since.set(exchange, elapsed(this.#clock))
    this.#timer ??= this.#clock.setTimeout(() => this.#sweep(), graceMs)
  }

  /** It ended by itself. */
  delete(exchange: Exchange): void {
    this.#since.delete(exchange)
  }

  /** Cuts all of them. */
  clear(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
    for (const exchange of this.#since.keys()) exchange.abort()
    this.#since.clear()
  }

  #sweep(): void {
    this.#timer = undefined
    const now = elapsed(this.#clock)
    for (const [exchange, since] of this.#since) {
      if (now - since < graceMs) continue
      this.#since.delete(exchange)
      exchange.abort()
    }
    if (this.#since.size > 0) this.#timer = this.#clock.setTimeout(() => this.#sweep(), graceMs)
  }
}
