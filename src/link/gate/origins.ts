import { clampDelay } from '../../../machines/backoff.js'
import { MAX_COOL_MS } from '../../../machines/policy.js'
import { type Clock, elapsed } from '../../clock.js'
import type { Answer, Door, Visitor } from './door.js'
import { Line } from './line.js'
import { Recent } from './recent.js'

/** Handshakes with one origin that may be under way at once: more than a hub has servers, fewer than hurt one. */
export const HANDSHAKES_AT_ONCE = 32
/** A timer may be so much early; whoever waited that long has waited. */
const EARLY_MS = 5
/** Origins, and addresses of one origin, that are remembered. */
const MOST = 1_000

/** What one MCP endpoint has said, and how many are at it. */
interface Address {
  coolUntil: number
  inside: number
}

interface Origin {
  readonly line: Line
  readonly addresses: Recent<Address>
  /** Which of its addresses each visitor wants. */
  readonly wants: Map<Visitor, string>
}

/**
 * HTTP servers. A time that a server named holds for every connection to its address. Behind one origin there may be
 * many servers, and one that is overloaded must not keep the others waiting: while it cools, each of them is tried by one
 * connection at a time, which finds out whether the whole origin is meant. The handshakes under way are limited per
 * origin, except that an address at which nobody is may always be tried.
 */
export class Origins {
  readonly #clock: Clock
  readonly #origins = new Recent<Origin>({
    most: MOST,
    make: () => this.#makeOrigin(),
    isIdle: ({ line, addresses }) => line.isEmpty && [...addresses.values()].every((address) => this.#isIdle(address)),
    isInUse: ({ line }) => !line.isEmpty,
  })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Origins that something is known of. */
  get size(): number {
    return this.#origins.size
  }

  door(url: URL): Door {
    const at = url.pathname
    const of = (): Origin => this.#origins.get(url.origin)
    return {
      ask: (visitor) => this.#ask(of(), at, visitor),
      passed: (visitor) => this.#leave(url.origin, visitor),
      leave: (visitor) => this.#leave(url.origin, visitor),
      cool: (forMs) => {
        const address = of().addresses.get(at)
        address.coolUntil = Math.max(address.coolUntil, elapsed(this.#clock) + Math.min(clampDelay(forMs), MAX_COOL_MS))
      },
      crashed: () => 0,
      ended: () => {},
    }
  }

  #makeOrigin(): Origin {
    return {
      line: new Line(),
      addresses: new Recent<Address>({
        most: MOST,
        make: () => ({ coolUntil: 0, inside: 0 }),
        isIdle: (address) => this.#isIdle(address),
        isInUse: ({ inside }) => inside > 0,
      }),
      wants: new Map(),
    }
  }

  #isIdle({ coolUntil, inside }: Address): boolean {
    return inside === 0 && !this.#isCooling(coolUntil)
  }

  #isCooling(coolUntil: number): boolean {
    return coolUntil - elapsed(this.#clock) > EARLY_MS
  }

  #ask(origin: Origin, at: string, visitor: Visitor): Answer {
    const { line, addresses, wants } = origin
    const address = addresses.get(at)
    if (line.inside.has(visitor)) return { type: 'admitted' }
    if (this.#isCooling(address.coolUntil) && !visitor.insists) {
      // Its place in the line is of no use to it before that.
      line.leave(visitor)
      wants.delete(visitor)
      return { type: 'held', because: 'cooldown', forMs: address.coolUntil - elapsed(this.#clock) }
    }
    wants.set(visitor, at)
    const isIn =
      address.inside === 0 ? line.enter(visitor, Number.POSITIVE_INFINITY) : line.enter(visitor, this.#room(origin, at))
    if (!isIn) return { type: 'held', because: 'handshakes' }
    address.inside += 1
    return { type: 'admitted' }
  }

  /** For how many more at this address. */
  #room({ line, addresses }: Origin, at: string): number {
    const address = addresses.get(at)
    const isInDoubt = [...addresses.values()].some((other) => other !== address && this.#isCooling(other.coolUntil))
    return isInDoubt ? 1 - address.inside : HANDSHAKES_AT_ONCE - line.inside.size
  }

  #leave(key: string, visitor: Visitor): void {
    const origin = this.#origins.get(key)
    const { line, addresses, wants } = origin
    const at = wants.get(visitor)
    wants.delete(visitor)
    // Only a place that becomes free is worth a call: those who wait and go are many, and would call each other.
    const freed = line.leave(visitor)
    if (freed && at !== undefined) addresses.get(at).inside -= 1
    if (at !== undefined) addresses.tidy(at)
    if (freed) line.call(HANDSHAKES_AT_ONCE - line.inside.size)
    this.#origins.tidy(key)
  }
}
