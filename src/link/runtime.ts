import { BehaviorSubject, Subject } from 'rxjs'
import type { WireEvidence, WireKind } from '../../machines/evidence.js'
import type { Fault, FaultClass, Rule } from '../../machines/faults.js'
import type { Policy, PolicyOptions } from '../../machines/policy.js'
import type { Runtime } from '../../machines/types.js'
import type { Clock, Random } from '../clock.js'
import type { Notification } from '../protocol.js'
import type { AccessToken } from '../wire/index.js'
import type { Wire } from '../wire/wire.js'
import {
  type Catalog,
  emptyCatalog,
  type ListKind,
  type ListReading,
  listKinds,
  withoutLists,
  withReadings,
} from './catalog.js'
import { diffCatalogs, type ListChange } from './catalog-diff.js'
import type { ClientOptions } from './client-options.js'
import { Draining } from './draining.js'
import { type Door, gateOf } from './gate/index.js'
import { noteServedBy } from './legacy-addresses.js'
import type { LiveLink } from './live-link.js'
import type { Link, LinkListener, SessionMemory } from './port.js'
import { Restoration, type RestoredItem } from './restoration.js'
import { SdkLink } from './sdk-link.js'
import { secretsOf } from './secrets.js'
import { type FormerSession, Sessions } from './sessions.js'
import { Slot } from './slot.js'
import { addressOf, type Target } from './target.js'
import { Wires } from './wires.js'

export interface RuntimeOptions {
  readonly name: string
  readonly target: Target
  readonly client: ClientOptions
  readonly policy: Policy
  /** As the application gave it; a change is laid over it. */
  readonly policyOptions: PolicyOptions
  readonly rules: readonly Rule<FaultClass>[]
  readonly clock: Clock
  readonly random: Random
  readonly fetch?: typeof globalThis.fetch
  /** The credential for the next request. */
  readonly token?: () => Promise<AccessToken | undefined>
  readonly trusted: boolean
}

/** Tokens whose answers may still come. */
const KEPT_TOKENS = 4

/** What is worth keeping for an explanation, beside what the chart itself tells. */
export type LinkNote =
  /** A fault of one exchange: the link goes on. */
  | { readonly type: 'call-fault'; readonly fault: Fault }
  /** A stream ended that was not meant to. */
  | { readonly type: 'cut'; readonly evidence: WireEvidence }
  /** Bytes where messages were due. */
  | { readonly type: 'noise'; readonly text: string; readonly count: number }
  | { readonly type: 'stderr'; readonly text: string }
  /** Lists that were known before were read again, and differ. */
  | { readonly type: 'changes'; readonly changes: readonly ListChange[] }

/**
 * What of a connection lives outside the chart: target, sockets, the remembered session, the lists. One for each
 * connection, for its whole life. It holds secrets, so nothing of it shows when it is printed or serialized.
 */
export class ConnectionRuntime implements Runtime {
  readonly name: string
  readonly catalog$ = new BehaviorSubject<Catalog>(emptyCatalog)
  readonly changes$ = new Subject<readonly ListChange[]>()
  readonly notifications$ = new Subject<Notification>()
  readonly restoration = new Restoration()
  /** What the last restoration came to. */
  restored: readonly RestoredItem[] = []
  /** How long the last probe took, in milliseconds. */
  rttMs: number | undefined
  /** Hears what is worth keeping for an explanation. */
  onNote: ((note: LinkNote) => void) | undefined
  /** When a link that is gone last gave a sign of life; 0 for never. */
  #lastLifeAt = 0
  #policy: Policy
  /** As the application gave it; a change is laid over it. */
  policyOptions: PolicyOptions
  /** The last wire that was made: it runs, is closing or is gone. */
  #wire: Wire | undefined
  readonly #options: RuntimeOptions
  readonly #slot = new Slot()
  /** Made when the first link drains. */
  #draining: Draining | undefined
  /** Former sessions are being ended. */
  #farewells: Promise<unknown> | undefined
  readonly #sessions: Sessions
  readonly #wires: Wires
  #target: Target
  /** The last link: it is left should its actor have no chance to, and hears what is said on the wire of one before it. */
  run: ({ leave(): void } & LinkListener) | undefined
  #live: LiveLink | undefined
  /** What must not be shown wherever the server repeats it; the tokens that are used join it. */
  #secrets: string[] = []

  constructor(options: RuntimeOptions, session?: SessionMemory) {
    this.name = options.name
    this.#sessions = new Sessions(session)
    const { token } = options
    this.#wires = new Wires({ ...options, token: token && (() => this.#readToken(token)) })
    this.#policy = options.policy
    this.policyOptions = options.policyOptions
    this.#options = options
    this.#target = options.target
    // A snapshot that is persisted is walked through, runtime included, and subscriptions hang together in circles.
    for (const field of Object.keys(this)) Object.defineProperty(this, field, { enumerable: false })
  }

  /** The runtime behind what the chart carries. */
  static behind(runtime: Runtime): ConnectionRuntime {
    if (runtime instanceof ConnectionRuntime) return runtime
    throw new TypeError('This machine was started with an input that connectionInput() did not make.')
  }

  get policy(): Policy {
    return this.#policy
  }

  /** Holds from now on, for what runs too. */
  adoptPolicy(policy: Policy, options: PolicyOptions): void {
    this.#policy = policy
    this.policyOptions = options
    this.#wire?.limitClosing?.(policy.closeMs)
  }

  toJSON(): unknown {
    return { name: this.name }
  }

  get clock(): Clock {
    return this.#options.clock
  }
  get rules(): readonly Rule<FaultClass>[] {
    return this.#options.rules
  }
  get random(): Random {
    return this.#options.random
  }
  /** The server's word on its tools is believed. */
  get trusted(): boolean {
    return this.#options.trusted
  }

  /** The link that serves calls now. */
  get live(): LiveLink | undefined {
    return this.#live
  }
  set live(live: LiveLink | undefined) {
    this.#lastLifeAt = this.lastLifeAt
    this.#live = live
  }

  /** Clock time of the last sign of life of any link that was usable; 0 before the first. */
  get lastLifeAt(): number {
    return Math.max(this.#live?.link.wire.lastLifeAt ?? 0, this.#lastLifeAt)
  }

  /** Values of the target that must not be shown. */
  get secrets(): readonly string[] {
    return secretsOf(this.#target)
  }

  /** Lists were read: the catalog is renewed, and what differs is told. `kinds`: the lists that the server has. */
  takeReadings(readings: ReadonlyMap<ListKind, ListReading>, kinds: readonly ListKind[]): void {
    const before = this.catalog$.value
    const absent = listKinds.filter((kind) => !kinds.includes(kind))
    const read = withoutLists(withReadings(before, readings, this.clock.now()), absent)
    // A server without any list has been read, too.
    const after = kinds.length === 0 ? { ...read, fetchedAt: this.clock.now() } : read
    this.catalog$.next(after)
    const changes = diffCatalogs(before, after)
    if (changes.length === 0) return
    if (before.fetchedAt > 0) this.onNote?.({ type: 'changes', changes })
    this.changes$.next(changes)
  }

  /** The session to go on with. Never shown: its id is a secret. */
  get session(): SessionMemory | undefined {
    return this.#sessions.present
  }

  remember(session: SessionMemory): void {
    const former = this.#sessions.remember(session)
    // The server would hold a session that was given up here until it expires there.
    if (former) this.#farewells = Promise.all([this.#farewells, this.#bid(former)])
  }

  /** What is under way in a session would end with it. */
  async #bid(former: FormerSession): Promise<void> {
    await this.#draining?.over(former.session.id)
    await this.#endFormer(former).catch(nothing)
  }

  /** The link is left, and goes on beside the next one for as long as calls are under way on it; `false`: none is. */
  drain(link: Link): boolean {
    this.#draining ??= new Draining()
    return this.#draining.take(link)
  }

  /** Nothing that drains goes on. */
  async endDraining(): Promise<void> {
    await this.#draining?.end()
    await this.#farewells
  }

  /** The session was ended, or the server said that it does not know it: it need not be ended there. */
  noteLostSession(): void {
    this.#sessions.noteLost()
  }

  /** The session is over for us; should the server still hold it, it can still be ended. */
  forgetSession(): void {
    this.#sessions.forget(this.#target)
  }

  /** Ends, on the server, the session that is remembered; bounded. */
  async endRemembered(): Promise<void> {
    void this.#draining?.end()
    this.forgetSession()
    const former = this.#sessions.takeFormer()
    if (former) await this.#endFormer(former)
  }

  async #endFormer({ session, target }: FormerSession): Promise<void> {
    if (session.id === undefined || !('url' in target)) return
    const wire = this.#wires.http(target, session)
    await wire.start()
    await wire.endSession(this.policy.closeMs / 2)
    await wire.close()
  }

  /** Another target of the same kind. What is remembered of the old one is ended there and not taken along. */
  retarget(target: Target): void {
    this.forgetSession()
    this.#target = target
    // What another server offered is not offered any more.
    this.catalog$.next(emptyCatalog)
    void this.letGo()
  }

  /** Remembers which wire served the target, for all connections of the process. */
  noteWire(kind: WireKind): void {
    noteServedBy(kind, this.#target)
  }

  /** The gate before the target, where there is one. */
  get door(): Door | undefined {
    return gateOf(this.clock).door(this.#target)
  }

  /** Names the target, without secrets, so that a checkpoint is known to be of the same one. */
  get address(): string {
    return addressOf(this.#target)
  }

  /** A fresh wire to the target; nothing runs yet. */
  makeLink(resume: SessionMemory | undefined, wire?: 'http' | 'sse'): Link {
    const target = this.#target
    this.#secrets = [...secretsOf(target)]
    this.#wire = this.#wires.make(target, this.policy, resume, wire)
    return new SdkLink(this.#wire, this.#options.client, this.clock, this.#secrets)
  }

  async #readToken(read: () => Promise<AccessToken | undefined>): Promise<AccessToken | undefined> {
    const token = await read()
    if (token && !this.#secrets.includes(token.value)) {
      this.#secrets.push(token.value)
      const known = secretsOf(this.#target).length
      if (this.#secrets.length > known + KEPT_TOKENS) this.#secrets.splice(known, 1)
    }
    return token
  }

  /** At most one wire at a time: what is done here begins when everything before it has ended. */
  inSlot<T>(work: () => Promise<T>): Promise<T> {
    return this.#slot.take(work)
  }

  /** Everything ends: what drains, the session that is remembered, and, when the link is gone, the sockets. */
  async release(): Promise<void> {
    void this.endDraining()
    await this.inSlot(() => this.endRemembered())
    await this.letGo()
  }

  /** Closes idle sockets, when everything that uses them has ended; a later link opens new ones. */
  letGo(): Promise<void> {
    const ended = this.endDraining()
    return this.inSlot(async () => {
      await ended
      await this.#wires.close()
    })
  }
}

function nothing(): void {}
