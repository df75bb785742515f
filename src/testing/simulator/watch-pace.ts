import type { Policy } from '../../../machines/index.js'
import type { DrivenClock } from './driven-clock.js'

/** Requests of the connection itself that one second may hold; a hot loop has hundreds. */
const MOST_A_SECOND = 60
/** Links in a row that may begin without a pause: the first, one for a lost session, one for each dialect. */
const FREE = 5
/** While a call waits, no pause is expected to be longer. */
const LEAST_CAP_MS = 2_000
/** Of the time that pauses take on average: so little takes no row of draws that is not broken. */
const SHARE = 0.05

/** How fast a connection asks its server, measured by what its policy says and by what the server asked for. */
export class PaceWatch {
  readonly #clock: DrivenClock
  readonly #breach: (invariant: string, message: string) => void
  /** No link may begin before, by the connection's own plan, unless something is asked for. */
  #plannedAt = 0
  /** No link may be opened before, by the server's word. */
  #cooledAt = 0
  /** The same, whatever was asked for since. */
  #namedUntil = 0
  #generation = 0
  /** Links in a row, none of which has held. */
  #row = { links: 0, begunAt: 0 }
  #readySince: number | undefined
  readonly #recent: number[] = []

  constructor(clock: DrivenClock, breach: (invariant: string, message: string) => void) {
    this.#clock = clock
    this.#breach = breach
  }

  /** A time that the server named runs until then. */
  get namedUntil(): number {
    return this.#namedUntil
  }

  /** Somebody asked for something: what was planned does not bind any more. */
  released(): void {
    this.#plannedAt = 0
    this.#cooledAt = 0
    this.#row = { links: 0, begunAt: 0 }
  }

  planned(inMs: number): void {
    this.#plannedAt = this.#clock.elapsed + inMs
  }

  /** The server answered by asking for time, in milliseconds. Where that was the first request of a link, it binds. */
  named(ms: number, opening: boolean): void {
    const until = this.#clock.elapsed + ms
    this.#namedUntil = Math.max(this.#namedUntil, until)
    if (opening) this.#cooledAt = Math.max(this.#cooledAt, until)
  }

  /** The first request of a link goes out. */
  opens(): void {
    this.#early(this.#cooledAt)
  }

  /** The connection asks for something itself. */
  asks(): void {
    const now = this.#clock.elapsed
    while (this.#recent[0] !== undefined && now - this.#recent[0] >= 1_000) this.#recent.shift()
    this.#recent.push(now)
    if (this.#recent.length > MOST_A_SECOND)
      this.#breach('there is no hot loop (P6)', `${this.#recent.length} a second`)
  }

  /** Where the connection stands now. */
  look(generation: number, isReady: boolean, policy: Policy): void {
    const begun = generation - this.#generation
    this.#generation = generation
    if (begun > 0 || !isReady) this.#held(policy)
    if (begun > 0) {
      this.#early(this.#plannedAt)
      this.#begin(begun, policy)
    }
    if (isReady) this.#readySince ??= this.#clock.elapsed
  }

  /** A link that has held for long enough makes up for those before it. */
  #held({ stableAfterMs }: Policy): void {
    const since = this.#readySince
    this.#readySince = undefined
    if (since !== undefined && this.#clock.elapsed - since >= stableAfterMs) this.#row = { links: 0, begunAt: 0 }
  }

  #begin(begun: number, { backoff }: Policy): void {
    const { elapsed } = this.#clock
    const row = this.#row.links === 0 ? { links: 0, begunAt: elapsed } : this.#row
    const links = row.links + begun
    this.#row = { ...row, links }
    const cap = Math.min(backoff.capMs, LEAST_CAP_MS)
    let usual = 0
    for (let k = 0; k < links - FREE; k++) usual += Math.min(cap, backoff.baseMs * (backoff.factor ?? 2) ** k) / 2
    if (elapsed - row.begunAt < usual * SHARE)
      this.#breach('attempts in a row have pauses (P6)', `${links} links within ${elapsed - row.begunAt} ms`)
  }

  #early(due: number): void {
    const early = due - this.#clock.elapsed
    if (early > 0) this.#breach('no request is faster than the policy allows (P6)', `${early} ms early`)
  }
}
