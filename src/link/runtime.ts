import { BehaviorSubject, Subject } from 'rxjs'
import type { WireKind } from '../../machines/evidence.js'
import type { Fault, Rule } from '../../machines/faults.js'
import type { Policy, PolicyOptions } from '../../machines/policy.js'
import type { Runtime } from '../../machines/types.js'
import type { Clock, Random } from '../clock.js'
import type { Notification } from '../protocol.js'
import { redact } from '../redact.js'
import { HttpClient, HttpWire, SseWire, StdioWire, TransportWire } from '../wire/index.js'
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
import type { Link, SessionMemory } from './port.js'
import { Restoration, type RestoredItem } from './restoration.js'
import { secretsOf } from './rpc-evidence.js'
import { SdkLink } from './sdk-link.js'
import { addressOf, type HttpTarget, isAuto, type StdioTarget, type Target } from './target.js'

/** Addresses that were last served by the older wire. */
const legacyAddresses = new Set<string>()

/** Whether this address was last served by the older wire. */
export const isKnownLegacy = (target: Target): boolean => isAuto(target) && legacyAddresses.has(addressOf(target))

export interface RuntimeOptions {
  readonly name: string
  readonly target: Target
  readonly client: ClientOptions
  readonly policy: Policy
  /** As the application gave it; a change is laid over it. */
  readonly policyOptions: PolicyOptions
  readonly rules: readonly Rule[]
  readonly clock: Clock
  readonly random: Random
  readonly fetch?: typeof globalThis.fetch
  readonly trusted: boolean
}

interface FormerSession {
  readonly session: SessionMemory
  readonly target: Target
  /** The server does not know it any more. */
  readonly lost: boolean
}

/** A link that is usable, with what a fault of it has to name. */
export interface LiveLink extends Pick<Link, 'ask' | 'explain'> {
  readonly link: Link
  readonly generation: number
  /** A call has met a fault of the link. */
  note(fault: Fault): void
}

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
  policy: Policy
  policyOptions: PolicyOptions
  readonly #options: RuntimeOptions
  #target: Target
  #http: HttpClient | undefined
  #slot: Promise<void> = Promise.resolve()
  #session: SessionMemory | undefined
  /** A session that was given up without being ended, and where it is. */
  #former: FormerSession | undefined
  #sessionLost = false
  /** Leaves the link that is there, should its actor have no chance to. */
  leaveLink: (() => void) | undefined
  #live: LiveLink | undefined

  constructor(options: RuntimeOptions, session?: SessionMemory) {
    this.name = options.name
    this.#session = session
    this.policy = options.policy
    this.policyOptions = options.policyOptions
    this.#options = options
    this.#target = options.target
  }

  /** The runtime behind what the chart carries. */
  static behind(runtime: Runtime): ConnectionRuntime {
    if (runtime instanceof ConnectionRuntime) return runtime
    throw new TypeError('This machine was started with an input that connectionInput() did not make.')
  }

  toJSON(): unknown {
    return { name: this.name }
  }

  get clock(): Clock {
    return this.#options.clock
  }
  get rules(): readonly Rule[] {
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
    this.#live = live
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
    if (changes.length > 0) this.changes$.next(changes)
  }

  /** The session to go on with. Never shown: its id is a secret. */
  get session(): SessionMemory | undefined {
    return this.#session
  }

  remember(session: SessionMemory): void {
    const former = this.#former
    this.#former = undefined
    this.#session = session
    this.#sessionLost = false
    // The server would hold a session that was given up here until it expires there.
    if (former && !former.lost) this.#endFormer(former).catch(nothing)
  }

  /** The session was ended, or the server said that it does not know it: it need not be ended there. */
  noteLostSession(): void {
    this.#sessionLost = true
  }

  /** The session is over for us; should the server still hold it, it can still be ended. */
  forgetSession(): void {
    if (this.#session) this.#former = { session: this.#session, target: this.#target, lost: this.#sessionLost }
    this.#session = undefined
  }

  /** Another target of the same kind. What is remembered of the old one is ended there and not taken along. */
  retarget(target: Target): void {
    this.forgetSession()
    this.#target = target
    // What another server offered is not offered any more.
    this.catalog$.next(emptyCatalog)
    void this.letGo()
  }

  /** Remembers which wire served an address, for all connections of the process (specification: backwards compatibility). */
  noteWire(kind: WireKind): void {
    if (!isAuto(this.#target)) return
    if (kind === 'sse') legacyAddresses.add(this.address)
    else legacyAddresses.delete(this.address)
  }

  /** Names the target, without secrets, so that a checkpoint is known to be of the same one. */
  get address(): string {
    return addressOf(this.#target)
  }

  /** A fresh wire to the target; nothing runs yet. */
  makeLink(resume: SessionMemory | undefined, wire?: 'http' | 'sse'): Link {
    return new SdkLink(this.#makeWire(resume, wire), this.#options.client, secretsOf(this.#target))
  }

  #makeWire(resume: SessionMemory | undefined, kind: 'http' | 'sse' | undefined): Wire {
    const { clock } = this.#options
    const target = this.#target
    if ('open' in target) return new TransportWire(target.open(), clock)
    if ('url' in target) {
      return (kind ?? target.kind) === 'sse' ? this.#sseWire(target) : this.#httpWire(target, resume)
    }
    // The graces of a child fit into the time that closing has.
    const grace = Math.min(2_000, this.policy.closeMs * 0.4)
    const secrets = secretsOf(target)
    const clean = (text: string) => redact(text, {}, secrets)
    return new StdioWire({ ...mutable(target), clock, redact: clean, eofGraceMs: grace, termGraceMs: grace })
  }

  #sseWire({ url, headers, dispatcher }: HttpTarget): SseWire {
    const { clock, fetch } = this.#options
    this.#http ??= new HttpClient({ fetch, dispatcher })
    return new SseWire({ url, headers, client: this.#http, clock })
  }

  #httpWire(target: HttpTarget, resume: SessionMemory | undefined): HttpWire {
    const { clock, random, fetch } = this.#options
    this.#http ??= new HttpClient({ fetch, dispatcher: target.dispatcher })
    return new HttpWire({
      url: target.url,
      headers: target.headers,
      client: this.#http,
      session: resume?.id === undefined ? undefined : { id: resume.id, protocolVersion: resume.protocolVersion },
      listen: 'manual',
      clock,
      random,
    })
  }

  /** At most one wire at a time: what is done here begins when everything before it has ended. */
  inSlot<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#slot.then(work)
    this.#slot = done.then(nothing, nothing)
    return done
  }

  /** Ends, on the server, the session that is remembered; bounded. */
  async endRemembered(): Promise<void> {
    this.forgetSession()
    const former = this.#former
    this.#former = undefined
    if (former) await this.#endFormer(former)
  }

  async #endFormer({ session, target }: FormerSession): Promise<void> {
    if (session.id === undefined || !('url' in target)) return
    const wire = this.#httpWire(target, session)
    await wire.start()
    await wire.endSession(this.policy.closeMs / 2)
    await wire.close()
  }

  /** Closes idle sockets, when everything that uses them has ended; a later link opens new ones. */
  letGo(): Promise<void> {
    return this.inSlot(async () => {
      const http = this.#http
      this.#http = undefined
      await http?.close()
    })
  }
}

function nothing(): void {}

function mutable({ command, args, env, inheritEnv, cwd }: StdioTarget) {
  return { command, args: args && [...args], env, inheritEnv: inheritEnv && [...inheritEnv], cwd }
}
