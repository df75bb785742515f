import type { Subscription } from 'rxjs'
import type { ConnectionEmitted } from '../../../machines/types.js'
import { type ConnectionActor, type ConnectionSnapshot, IncidentLog, statusOf } from '../../connection/index.js'
import type { ConnectionRuntime } from '../../link/index.js'
import type { Command, Detail, IncidentView, Summary } from '../messages.js'
import { safeText } from '../safe/index.js'
import { commandsFor, incidentView, type KnownIncident, listViews, sessionRows, toneOf } from './connection-view.js'
import { faultView } from './fault-view.js'
import { Ring } from './ring.js'
import { Course, type Shown } from './shown.js'
import { activeStates, stateText } from './states.js'

/** The actor, as far as it is looked at and spoken to. */
export interface ConnectionRef extends ConnectionActor {
  readonly sessionId: string
}

/** Breaks what a connection of this name stands on; for demonstrations. */
export type BreakWire = (name: string) => void | Promise<void>

const KEPT_INCIDENTS = 20
const KEPT_SUBSCRIPTIONS = 60

/** A connection of this process. It only looks on: what it tells the actor is what a person asked for. */
export class LocalConnection implements Shown {
  readonly id: string
  readonly course: Course
  readonly #actor: ConnectionRef
  readonly #runtime: ConnectionRuntime
  readonly #chart: string | undefined
  readonly #breakWire: BreakWire | undefined
  readonly #log = new IncidentLog()
  readonly #incidents = new Ring<KnownIncident>(KEPT_INCIDENTS)
  readonly #subscriptions: Pick<Subscription, 'unsubscribe'>[]
  #nextAt: number | undefined
  /** The wait that `#nextAt` belongs to. */
  #wait = ''
  #faultAt = 0
  #snapshot: ConnectionSnapshot

  constructor(
    actor: ConnectionRef,
    runtime: ConnectionRuntime,
    chart: string | undefined,
    breakWire: BreakWire | undefined,
    onChange: () => void,
  ) {
    this.id = actor.sessionId
    this.#actor = actor
    this.#runtime = runtime
    this.#chart = chart
    this.#breakWire = breakWire
    this.#snapshot = actor.getSnapshot()
    this.course = new Course(() => runtime.clock.now())
    this.#noteStatus()
    this.#subscriptions = [actor.on('*', (news) => this.#hear(news)), runtime.catalog$.subscribe(onChange)]
  }

  get over(): boolean {
    return this.#snapshot.status !== 'active'
  }

  follow(snapshot: ConnectionSnapshot): void {
    const before = this.#snapshot.context.fault
    this.#snapshot = snapshot
    this.course.endStep()
    if (snapshot.context.fault !== before) this.#faultAt = this.#now()
    this.#noteStatus()
    if (this.over) this.end()
  }

  /** Nothing is heard of the connection any more. */
  end(): void {
    for (const subscription of this.#subscriptions) subscription.unsubscribe()
  }

  summary(): Summary {
    const { name, wire, attempts, policy, fault } = this.#snapshot.context
    const status = this.#status
    const { fetchedAt, tools } = this.#runtime.catalog$.value
    const troubled = fault !== undefined && status !== 'ready' && status !== 'idle' && status !== 'closed'
    return {
      id: this.id,
      name: safeText(name, 80) ?? '',
      kind: 'connection',
      what: wire,
      status,
      tone: toneOf(status),
      state: stateText(this.#snapshot.value),
      sinceMs: this.course.sinceMs,
      attempts,
      maxAttempts: policy.maxAttempts,
      ...(fetchedAt > 0 && { tools: tools.length }),
      ...(this.#nextAt !== undefined && { nextInMs: this.#nextAt - this.#now() }),
      ...(troubled && { fault: faultView(fault, 0).code }),
      history: this.course.history(),
      ...(this.#chart && { chart: this.#chart }),
      can: commandsFor(status, this.#breakWire !== undefined).filter((command) => this.#takes(command)),
    }
  }

  detail(): Detail {
    const { context } = this.#snapshot
    const { fault, origin } = context
    const now = this.#now()
    return {
      id: this.id,
      active: activeStates(this.#snapshot.value),
      transitions: this.course.transitions(),
      ...(fault && { fault: faultView(fault, now - this.#faultAt) }),
      ...(origin &&
        origin.code !== fault?.code && { origin: faultView(origin, now - (this.#log.open?.startedAt ?? now)) }),
      incidents: this.#incidentViews(now),
      session: sessionRows(context, this.#runtime),
      lists: listViews(this.#runtime.catalog$.value),
      subscriptions: this.#runtime.restoration.subscriptions
        .slice(0, KEPT_SUBSCRIPTIONS)
        .map((uri) => safeText(uri, 160) ?? ''),
    }
  }

  async command(command: Command): Promise<string | undefined> {
    if (!this.summary().can.includes(command)) return `${this.#snapshot.context.name} cannot do that now.`
    if (command !== 'break') this.#actor.send({ type: command })
    else await this.#breakWire?.(this.#snapshot.context.name)
    return undefined
  }

  /** Whether the chart has an answer to it in this state. */
  #takes(command: Command): boolean {
    const { can } = this.#snapshot as { can?: (event: { type: string }) => boolean }
    return command === 'break' || (can?.call(this.#snapshot, { type: command }) ?? true)
  }

  get #status() {
    return this.#snapshot.status === 'active' ? statusOf(this.#snapshot) : 'closed'
  }

  #now(): number {
    return this.#runtime.clock.now()
  }

  #noteStatus(): void {
    const status = this.#status
    const { waitMs, coolMs, holdMs, generation } = this.#snapshot.context
    const state = stateText(this.#snapshot.value)
    // Entered anew, a wait has another length: a call came, and it was shortened.
    const wait = `${state} ${generation} ${waitMs} ${coolMs} ${holdMs}`
    if (wait !== this.#wait) {
      this.#wait = wait
      const inMs = { 'backoff.waiting': waitMs, 'backoff.cooling': coolMs, 'linked.connecting.held': holdMs }[state]
      this.#nextAt = inMs === undefined ? undefined : this.#now() + inMs
    }
    this.course.noteStatus(status, toneOf(status))
  }

  #hear(news: ConnectionEmitted): void {
    // How long each attempt took is of no account here.
    const now = this.#now()
    const ended = this.#log.take(news, now, { begunAt: now }, this.#runtime.restored)
    if (ended) this.#incidents.add(ended)
  }

  #incidentViews(now: number): IncidentView[] {
    const ended = this.#incidents.items.map((incident) => incidentView(incident, now)).reverse()
    const { open } = this.#log
    if (!open) return ended
    return [incidentView({ ...open, outcome: 'open', durationMs: now - open.startedAt }, now), ...ended]
  }
}
