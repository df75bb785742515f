import type { Connection } from '../../connection/index.js'
import { isRequest, type JsonRpcMessage } from '../../wire/messages.js'
import type { SimulatedApplication } from './application.js'
import type { DrivenClock } from './driven-clock.js'
import { isOfServer, type SimulatedExchange } from './exchange.js'
import type { SimulatedProcesses } from './processes.js'
import { keyOf } from './server.js'
import type { Surroundings } from './surroundings.js'
import type { Trace } from './trace.js'
import type { Traits } from './traits.js'
import { ChildWatch } from './watch-children.js'
import { PaceWatch } from './watch-pace.js'

/** A sentence that did not hold. */
export interface Breach {
  readonly invariant: string
  readonly message: string
  readonly atMs: number
}

/** A call that the client gave up on the way. */
interface Abandoned {
  readonly key: string
  readonly generation: number
}

interface Watched {
  readonly clock: DrivenClock
  readonly trace: Trace
  readonly traits: Traits
}

/** Timers are whole milliseconds, and a call that goes again gets at least one. */
const SLACK_MS = 5
/** A call settles so soon after its reply is lost for good (promise P3). */
const LOSS_MS = 100

/** What must hold at every step of a simulation, whatever happens. */
export class Watch {
  readonly breaches: Breach[] = []
  /** Told when somebody asks for something. */
  onReleased: (() => void) | undefined
  readonly pace: PaceWatch
  readonly #clock: DrivenClock
  readonly #trace: Trace
  readonly #traits: Traits
  #connection: Connection | undefined
  #application: SimulatedApplication | undefined
  #world: Surroundings | undefined
  #children: ChildWatch | undefined
  #releasedAt = -1
  /** The session that is spoken in, those that were left, and those of which the server said that it does not know them. */
  #session: string | undefined
  readonly #left = new Set<string>()
  readonly #lost = new Set<string>()
  readonly #late = new Set<string>()
  /** Since the step before. */
  #abandoned: Abandoned[] = []
  /** The server has said what no waiting cures. */
  #doomed = false

  constructor({ clock, trace, traits }: Watched) {
    this.#clock = clock
    this.#trace = trace
    this.#traits = traits
    this.pace = new PaceWatch(clock, this.breach)
  }

  follow(
    connection: Connection,
    application: SimulatedApplication,
    world: Surroundings,
    processes?: SimulatedProcesses,
  ): void {
    this.#connection = connection
    this.#application = application
    this.#world = world
    world.server.onTakenBack.add((key) => {
      if ([...application.open].some((call) => call.key === key))
        this.breach('what is taken back is not waited for any more', key)
    })
    if (processes)
      this.#children = new ChildWatch({
        connection,
        application,
        processes,
        clock: this.#clock,
        breach: this.breach,
        releasedAt: () => this.#releasedAt,
      })
    connection.status$.subscribe((status) => this.#trace.note(`connection: ${status}`))
    connection.actor.on('*', (news) => {
      this.overhears(news, news.type)
      this.overhears(connection.actor.getSnapshot().context, `the context after ${news.type}`)
      this.#trace.note(`connection: ${news.type}${'fault' in news ? ` ${news.fault?.code}` : ''}`)
      if (news.type === 'connection.retrying') {
        // A link may begin and be lost within one moment.
        this.#lookAtLinks(connection)
        this.pace.planned(news.inMs)
      }
      if (news.type === 'connection.failed' && !this.#doomed && !world.authorization?.watch.excuses(news.fault))
        this.breach('only what no waiting cures ends in failed', news.fault.code)
    })
  }

  readonly breach = (invariant: string, message: string): void => {
    if (this.breaches.some((known) => known.invariant === invariant)) return
    this.breaches.push({ invariant, message, atMs: this.#clock.elapsed })
    this.#trace.note(`BREACH: ${invariant}: ${message}`)
  }

  /** Somebody asked for something: waits that were planned no longer bind. */
  released(): void {
    this.#releasedAt = this.#clock.elapsed
    this.pace.released()
    this.onReleased?.()
    this.#world?.authorization?.watch.released()
  }

  /** From now on the connection may give up for good. */
  doom(): void {
    this.#doomed = true
  }

  /** Nothing that is told holds a secret. */
  overhears(told: unknown, where: string): void {
    this.#world?.authorization?.watch.overhears(told, where)
  }

  readonly exchange = (exchange: SimulatedExchange): void => {
    const { method, session, number } = exchange
    const message: JsonRpcMessage | undefined = exchange.body === undefined ? undefined : JSON.parse(exchange.body)
    const asks = message && 'method' in message ? message.method : ''
    this.#trace.note(`client: ${method} #${number} ${asks} ${session ?? 'no session'}`)
    if (method === 'GET') this.#listens(exchange)
    if (method !== 'POST' || !message) return
    if (asks === 'initialize' && session !== undefined) this.breach('initialize never carries a session (P9)', session)
    if (session !== undefined) this.#speaks(session, asks)
    if (!isRequest(message)) return
    const key = keyOf(message)
    if (key !== undefined) {
      const generation = this.#connection?.actor.getSnapshot().context.generation ?? 0
      exchange.onBroken = (code) => this.#broken(exchange, key, code)
      exchange.onAborted = () => {
        // What has its answer already, be it a refusal that does not come to its end, is not given up.
        if ((exchange.status ?? 0) < 400) this.#abandoned.push({ key, generation })
      }
    } else this.pace.asks()
    const opening = asks === 'initialize' || this.#resumes()
    if (opening) this.pace.opens()
    exchange.onEnd = () => {
      if (exchange.losesSession && session !== undefined) this.#lost.add(session)
      if (exchange.asksMs > 0) this.pace.named(exchange.asksMs, opening)
    }
  }

  /** Looked at after every step. */
  look(): void {
    const connection = this.#connection
    const world = this.#world
    if (!connection || !world) return
    this.#lookAtLinks(connection)
    world.overtaken.look()
    this.#children?.look()
    world.authorization?.watch.look(connection)
    for (const one of this.#abandoned.splice(0)) this.#abandons(one)
    const { transports } = world.network
    if (transports.size > 1) this.breach('there is at most one wire (P4)', `${transports.size} transports`)
    const open = [...transports].some(({ state }) => state === 'open')
    if (this.#traits.wire === 'custom' && connection.status === 'ready' && !open)
      this.breach('it is never ready over a wire known dead (P21)', `in ${connection.status}`)
    for (const call of this.#application?.open ?? []) {
      if (this.#clock.elapsed <= call.deadline + SLACK_MS || this.#late.has(call.key)) continue
      this.#late.add(call.key)
      this.breach('every call settles by its deadline (P1)', `${call.key} was due at ${call.deadline}`)
    }
  }

  #lookAtLinks({ actor, status }: Connection): void {
    const { generation, policy } = actor.getSnapshot().context
    this.pace.look(generation, status === 'ready', policy)
  }

  /** While its link lives, a call is given up at its deadline or by whoever made it, and for nothing else. */
  #abandons({ key, generation }: Abandoned): void {
    const call = this.#application?.calls.find((made) => made.key === key)
    const { value, context } = this.#connection?.actor.getSnapshot() ?? {}
    const isLinked = typeof value === 'object' && value !== null && 'linked' in value
    if (!isLinked || context?.generation !== generation || context.linkLost) return
    // What comes after the answer nobody waits for.
    if (call?.settledAt !== undefined && call.settledAt < this.#clock.elapsed) return
    if (call?.outcome === 'aborted' || this.#clock.elapsed >= (call?.dueAt ?? 0)) return
    this.breach('no call is given up for the sake of another (P14)', `${key} ${call?.outcome ?? 'is not settled'}`)
  }

  #resumes(): boolean {
    const { linked } = (this.#connection?.actor.getSnapshot().value ?? {}) as { linked?: { initializing?: unknown } }
    return linked?.initializing === 'resuming'
  }

  #listens({ number }: SimulatedExchange): void {
    const listening = [...(this.#world?.network.exchanges ?? [])].filter(
      (exchange) => exchange.method === 'GET' && isOfServer(exchange) && isListening(exchange),
    )
    if (listening.length > 1) this.breach('there is at most one listening stream (P4)', `#${number} beside another`)
  }

  /** The session that is spoken in. */
  get session(): string | undefined {
    return this.#session
  }

  #speaks(session: string, asks: string): void {
    // Taking something back is not going on, nor is an answer to what the server asked in it: calls may drain there.
    const isBehind = this.#lost.has(session) || this.#left.has(session)
    if (isBehind && (asks === 'notifications/cancelled' || asks === '')) return
    if (this.#lost.has(session)) this.breach('a lost session is never gone on with (P9)', `${asks} in ${session}`)
    if (session === this.#session) return
    if (this.#left.has(session)) this.breach('there is at most one session (P4)', `${asks} in ${session}, left before`)
    if (this.#session !== undefined) this.#left.add(this.#session)
    this.#session = session
  }

  #broken({ status, number }: SimulatedExchange, key: string, code: string): void {
    // What was refused is not lost, however much of the refusal came.
    if (status !== undefined && status >= 400) return
    const resumable = status !== undefined && this.#traits.replies === 'sse' && this.#traits.eventIds
    const call = this.#application?.calls.find((made) => made.key === key)
    if (!call?.unsafe || resumable || code === 'ECONNREFUSED') return
    this.#clock.plan(LOSS_MS, () => {
      if (call.settledAt === undefined)
        this.breach('a call settles soon after its reply is lost (P3)', `${key} on #${number} after ${code}`)
    })
  }
}

const isListening = ({ lastEventId }: SimulatedExchange): boolean => lastEventId?.startsWith('listen') ?? true
