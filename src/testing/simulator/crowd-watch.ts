import { CRASH_MEMORY } from '../../../machines/policy.js'
import { isRequest, type JsonRpcMessage } from '../../wire/messages.js'
import { type Crowd, HEALTHY } from './crowd.js'
import type { CrowdMate } from './crowd-mate.js'
import type { DrivenClock } from './driven-clock.js'
import type { SimulatedExchange } from './exchange.js'

/** Handshakes with one origin that may be under way at once (decision 18). */
const HANDSHAKES_AT_ONCE = 32
/** Timers are whole milliseconds; a gate lets in who waited nearly so long. */
const SLACK_MS = 10
/** A connection that comes to rest waits nearly so long; its share of the longest pause. */
const NEARLY = 0.9
/** A healthy server is reached so fast, and a little later for each that comes to it at the same time. */
const REACHED_MS = 5_000
const TURN_MS = 1_000

/** What the first server of a crowd, or the second, has asked for, and who is at it. */
class Place {
  coolUntil = 0
  readonly dials = new Set<SimulatedExchange>()
  starts = 0
  wishes = 0
  startedAt: number | undefined
  wasReady = false
}

/** What must hold of all connections of a process together. */
export class CrowdWatch {
  readonly #crowd: Crowd
  readonly #clock: DrivenClock
  readonly #breach: (invariant: string, message: string) => void
  readonly #places = [new Place(), new Place()] as const
  #mates: readonly CrowdMate[] = []

  constructor(crowd: Crowd, clock: DrivenClock, breach: (invariant: string, message: string) => void) {
    this.#crowd = crowd
    this.#clock = clock
    this.#breach = breach
  }

  follow(mates: readonly CrowdMate[]): void {
    this.#mates = mates
  }

  /** Somebody wants this connection to do something. */
  wished(mate: CrowdMate): void {
    // The first link of a connection is begun as any other is; nobody insists on it.
    if (mate.connection.actor.getSnapshot().context.generation > 0) {
      mate.insists = true
      this.#at(mate.place).wishes += 1
    }
    if (this.#crowd.hasHealthy && mate.place === HEALTHY) this.#expect(mate)
  }

  /** A request goes out over the network. */
  exchange(mate: CrowdMate, exchange: SimulatedExchange): void {
    const message: JsonRpcMessage | undefined = exchange.body === undefined ? undefined : JSON.parse(exchange.body)
    if (!message || !isRequest(message) || !mate.isDialling) return
    const place = this.#at(mate.place)
    const early = place.coolUntil - this.#clock.elapsed
    if (early > SLACK_MS && !mate.insists)
      this.#breach('what a server asks of one holds for all who dial it (P6)', `${early} ms early`)
    mate.insists = false
    place.dials.add(exchange)
    const { onEnd } = exchange
    exchange.onEnd = () => {
      onEnd?.()
      if (exchange.asksMs === 0) return
      place.coolUntil = Math.max(place.coolUntil, this.#clock.elapsed + exchange.asksMs)
    }
  }

  /** A program is started for one of those at this place. */
  start(at: number, running: number, most: number): void {
    const place = this.#at(at)
    if (running >= most) this.#breach('there is at most one child (P4)', `${running} for ${most} connections`)
    place.starts += 1
    place.startedAt ??= this.#clock.elapsed
  }

  /** Looked at after every step. */
  look(): void {
    for (const place of this.#places)
      for (const exchange of place.dials) if (exchange.over) place.dials.delete(exchange)
    for (const { connection, place } of this.#mates) if (connection.status === 'ready') this.#at(place).wasReady = true
    this.#places.forEach((place, at) => {
      this.#bears(place, at)
    })
    const [first, second] = this.#places
    // Where nobody is, one may always come.
    if (first.dials.size + second.dials.size > HANDSHAKES_AT_ONCE + 1)
      this.#breach('handshakes under way are limited (P6)', `${first.dials.size} and ${second.dials.size}`)
  }

  /** Of a command that has never been ready, no more starts are tried than any number of connections may cost. */
  #bears({ wasReady, starts, startedAt = 0, wishes }: Place, at: number): void {
    if (wasReady || starts <= CRASH_MEMORY) return
    const rests = Math.floor((this.#clock.elapsed - startedAt) / (NEARLY * this.#least(at)))
    // A wish begins the count anew, and the start that it cuts short is counted by nobody.
    const most = CRASH_MEMORY + (CRASH_MEMORY + 1) * wishes + rests
    if (starts > most)
      this.#breach('a broken command is not started for each connection (P6)', `${starts} starts, not ${most}`)
  }

  /** The shortest time after which one that rests tries again. */
  #least(at: number): number {
    const caps = this.#mates.filter(({ place }) => place === at).map((mate) => mate.policy.backoff.capMs)
    return Math.min(...caps)
  }

  #expect(mate: CrowdMate): void {
    const { wishes } = mate
    const ms = REACHED_MS + TURN_MS * this.#mates.filter(({ place }) => place === HEALTHY).length
    this.#clock.plan(ms, () => {
      const { status } = mate.connection
      if (mate.wishes === wishes && mate.wantsLink && status !== 'ready')
        this.#breach('a bad server delays no other (P20)', `${status} ${ms} ms after it was asked for`)
    })
  }

  #at(place: number): Place {
    return this.#places[place === 0 ? 0 : 1]
  }
}
