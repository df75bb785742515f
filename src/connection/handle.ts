import { BehaviorSubject, filter, firstValueFrom, type Observable, of, Subject, throwError, timeout } from 'rxjs'
import type { Fault } from '../../machines/faults.js'
import type { ConnectionEvent } from '../../machines/types.js'
import type { AuthorizationResponse, LoginRequest } from '../auth/index.js'
import { type CallObserver, type CallOptions, Calls } from '../calls/index.js'
import { systemClock } from '../clock.js'
import { type Explanation, explain, explanationMarkdown, type Incident } from '../diagnosis/index.js'
import {
  AuthorizationRequiredError,
  AuthorizationResponseError,
  CallRefusedError,
  CallTimeoutError,
  ConnectionClosedError,
} from '../errors.js'
import { type Catalog, ConnectionRuntime, type ListChange, type ListKind } from '../link/index.js'
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  Notification,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Result,
  Tool,
} from '../protocol.js'
import { type Authorization, authorizationOf } from './authorization.js'
import { ConnectionCallHost } from './call-host.js'
import { caseFile, shownAddress } from './case-file.js'
import { type Checkpoint, takeCheckpoint } from './checkpoint.js'
import { configure } from './configure.js'
import type { Configuration, Connection, ConnectionActor, ConnectionSnapshot, Session } from './connection.js'
import { ConnectionRecord } from './record.js'
import { Standing } from './standing.js'
import { type Status, statusOf } from './status.js'
import { surroundings } from './surroundings.js'
import { type UntilOptions, until } from './until.js'
import { Wishes } from './wishes.js'

/** The thin handle over one actor: it reads snapshots, sends events, and lets calls through. */
export class ConnectionHandle implements Connection {
  readonly actor: ConnectionActor

  readonly #runtime: ConnectionRuntime
  readonly #calls: Calls
  readonly #wishes: Wishes
  readonly #status: BehaviorSubject<Status>
  readonly #incidents = new Subject<Incident>()
  readonly #record: ConnectionRecord
  readonly #standing: Standing
  readonly #authorization: Authorization | undefined
  #unwatch: (() => void) | undefined
  /** Resolves when nothing of the connection is left; set when it is over. */
  #released: Promise<void> | undefined

  constructor(actor: ConnectionActor) {
    const snapshot = actor.getSnapshot()
    this.actor = actor
    this.#runtime = ConnectionRuntime.behind(snapshot.context.runtime)
    this.#authorization = authorizationOf(snapshot.context.runtime)
    this.#standing = new Standing(this.#runtime.name, actor, this.#authorization)
    this.#calls = new Calls(new ConnectionCallHost(this.#runtime, this.#standing))
    this.#wishes = new Wishes(this.#runtime, this.#calls)
    this.#status = new BehaviorSubject(statusOf(snapshot))
    this.#record = new ConnectionRecord(this.#status.value, this.#runtime.clock.now())
    this.#runtime.onNote = (note) => this.#record.note(note, this.#runtime.clock.now())
    actor.on('*', (news) => {
      const ended = this.#record.take(news, this.#runtime.clock.now(), this.#runtime.restored)
      if (ended) this.#incidents.next(ended)
    })
    // Without an error observer XState rethrows on a later tick and takes the process down.
    actor.subscribe({
      next: (next) => this.#follow(next),
      error: (error) => this.#end(error),
      complete: () => this.#end(),
    })
    this.#authorization?.changes$.subscribe((change) => this.#tell({ type: 'credentials.changed', ...change }))
    if (this.#runtime.clock === systemClock) this.#unwatch = surroundings.watch((event) => this.#tell(event))
    this.#follow(snapshot)
  }

  get status$(): Observable<Status> {
    return this.#status.asObservable()
  }
  get catalog$(): Observable<Catalog> {
    return this.#runtime.catalog$.asObservable()
  }
  get changes$(): Observable<readonly ListChange[]> {
    return this.#runtime.changes$.asObservable()
  }
  get notifications$(): Observable<Notification> {
    return this.#runtime.notifications$.asObservable()
  }
  get incidents$(): Observable<Incident> {
    return this.#incidents.asObservable()
  }

  get authorization$(): Observable<LoginRequest | undefined> {
    return this.#authorization?.login$.asObservable() ?? of(undefined)
  }

  get authorization(): LoginRequest | undefined {
    return this.#authorization?.login$.value
  }

  get name(): string {
    return this.#runtime.name
  }

  get address(): string {
    return shownAddress(this.#runtime)
  }

  get status(): Status {
    return this.#standing.over ? 'closed' : this.#status.value
  }

  get fault(): Fault | undefined {
    return this.#standing.fault
  }

  get catalog(): Catalog {
    return this.#runtime.catalog$.value
  }

  get session(): Session | undefined {
    const session = this.#runtime.session
    if (!session) return undefined
    const { protocolVersion, capabilities, serverInfo, instructions } = session
    return { protocolVersion, capabilities, serverInfo, instructions }
  }

  async connect(): Promise<void> {
    await this.#obeyed({ type: 'connect' })
    await this.ready()
  }

  async reconnect(): Promise<void> {
    await this.#obeyed({ type: 'reconnect' })
    await this.ready()
  }

  ready(options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<void> {
    return this.#until(() => {
      if (this.#standing.usable) return true
      const refusal = this.#standing.refusal()
      if (refusal) throw refusal
      return false
    }, options)
  }

  async disconnect(): Promise<void> {
    await this.#obeyed({ type: 'disconnect' })
    await this.#until(() => this.#standing.over || this.#status.value !== 'closing')
  }

  async authorize(response: AuthorizationResponse): Promise<void> {
    const authorization = this.#authorization
    if (!authorization) throw new TypeError(`Connection '${this.name}' has no authorizer that a login could be for.`)
    await authorization.answer(response).catch((error: unknown) => {
      // That login is over: another one is begun, or the call that it was for is told so.
      const isOver = error instanceof AuthorizationResponseError && error.problem === 'refused'
      if (isOver && this.#standing.needsUser) this.#tell({ type: 'auth.responded' })
      throw error
    })
    await this.#obeyed({ type: 'auth.responded' })
    await this.#until(() => {
      const refusal = this.#standing.refusal()
      if (refusal) throw refusal
      const { usable, stepsUp, needsUser } = this.#standing
      // The answer was not taken, and another one is waited for; or it got nothing, while all else goes on.
      const isVain = !authorization.answered && (usable ? authorization.exchanged !== 'granted' : needsUser)
      if (isVain && !stepsUp) throw new AuthorizationRequiredError(this.name, this.authorization?.url, this.fault)
      return usable && !stepsUp
    })
  }

  retry(): void {
    this.#tell({ type: 'retry' })
  }

  configure(configuration: Configuration): void {
    this.#tell(configure(this.#runtime, this.#authorization, this.actor, configuration))
  }

  async close(): Promise<void> {
    this.#tell({ type: 'close' })
    await this.#until(() => this.#standing.over)
    await this.#released
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    options?: CallOptions,
  ): Promise<CallToolResult> {
    return this.#calls.call<CallToolResult>('tools/call', params, options)
  }

  async listTools(): Promise<readonly Tool[]> {
    return (await this.#read('tools')).tools
  }

  async listResources(): Promise<readonly Resource[]> {
    return (await this.#read('resources')).resources
  }

  async listResourceTemplates(): Promise<readonly ResourceTemplate[]> {
    return (await this.#read('resourceTemplates')).resourceTemplates
  }

  async listPrompts(): Promise<readonly Prompt[]> {
    return (await this.#read('prompts')).prompts
  }

  readResource(params: { uri: string }, options?: CallOptions): Promise<ReadResourceResult> {
    return this.#calls.call<ReadResourceResult>('resources/read', params, options)
  }

  getPrompt(
    params: { name: string; arguments?: Record<string, string> },
    options?: CallOptions,
  ): Promise<GetPromptResult> {
    return this.#calls.call<GetPromptResult>('prompts/get', params, options)
  }

  complete(params: Record<string, unknown>, options?: CallOptions): Promise<CompleteResult> {
    return this.#calls.call<CompleteResult>('completion/complete', params, options)
  }

  request(method: string, params?: Record<string, unknown>, options?: CallOptions): Promise<Result> {
    return this.#calls.call(method, params, options)
  }

  subscribe(uri: string): Promise<void> {
    return this.#wishes.subscribe(uri)
  }

  unsubscribe(uri: string): Promise<void> {
    return this.#wishes.unsubscribe(uri)
  }

  setLogLevel(level: string): Promise<void> {
    return this.#wishes.setLogLevel(level)
  }

  get rttMs(): number | undefined {
    return this.#runtime.rttMs
  }

  checkpoint(): Checkpoint {
    const { address, live, session, catalog$, restoration } = this.#runtime
    return takeCheckpoint(address, live?.link.session ?? session, catalog$.value, restoration)
  }

  explain(): Explanation {
    const file = caseFile(this.#runtime, this.#record, this.#standing, this.#calls)
    return explain(file, this.#runtime.secrets)
  }

  report(): string {
    return explanationMarkdown(this.explain())
  }

  get waiting(): number {
    return this.#calls.waiting
  }

  observeCalls(observer: CallObserver): () => void {
    return this.#calls.observe(observer)
  }

  /** The catalog, once this list was read in it. Rejects with the reason when it could not be. */
  async #read(kind: ListKind): Promise<Catalog> {
    if (this.catalog.fetchedAt === 0) await this.connect()
    const { errors, fetchedAt } = this.catalog
    const fault = errors[kind]
    if (fault && this.catalog[kind].length === 0) throw new CallRefusedError(`listing ${kind}`, fault)
    if (fetchedAt > 0) return this.catalog
    // Ready without its lists, since they took their time.
    const { callMs } = this.#runtime.policy
    const read = this.catalog$.pipe(filter((catalog) => catalog.fetchedAt > 0))
    return firstValueFrom(read.pipe(timeout({ first: callMs, with: () => throwError(() => this.#late(kind, callMs)) })))
  }

  #late(kind: ListKind, ms: number): Error {
    return new CallTimeoutError(`listing ${kind}`, ms, true, this.fault)
  }

  /** From within a subscriber an event is taken up only after it: looked at before, the state would be the old one. */
  async #obeyed(event: ConnectionEvent): Promise<void> {
    this.#tell(event)
    await Promise.resolve()
  }

  /** An actor that is over takes nothing any more. */
  #tell(event: ConnectionEvent): void {
    if (!this.#standing.over) this.actor.send(event)
  }

  #follow(snapshot: ConnectionSnapshot): void {
    const standing = this.#standing
    standing.follow(snapshot)
    const status = statusOf(snapshot)
    const before = this.#status.value
    this.#record.follow(snapshot, status, this.#runtime.clock.now())
    if (status !== before) this.#status.next(status)
    this.#calls.scopeSettled()
    if (snapshot.status !== 'active') this.#end()
    else if (standing.usable) this.#calls.flush()
    else if (status !== 'closing') this.#refuseWhenStopped()
    // Who waits when the application disconnects is told so. Who comes while the old link still ends is for the next one,
    // and waits for it (report 13.05).
    else if (before !== 'closing' || snapshot.context.after === 'closed') {
      this.#calls.refuse(new ConnectionClosedError(this.name))
    }
  }

  #refuseWhenStopped(): void {
    const refusal = this.#standing.refusal()
    if (refusal) this.#calls.refuse(refusal)
  }

  #end(broken?: unknown): void {
    if (this.#standing.over) return
    this.#standing.end(broken)
    // Nobody tells of it when a parent stopped the actor, or it broke.
    const ended = this.#record.end(this.#runtime.clock.now())
    if (ended) this.#incidents.next(ended)
    this.#unwatch?.()
    this.#authorization?.close()
    this.#refuseWhenStopped()
    if (this.#status.value !== 'closed') this.#status.next('closed')
    this.#status.complete()
    this.#incidents.complete()
    this.#runtime.catalog$.complete()
    this.#runtime.changes$.complete()
    this.#runtime.notifications$.complete()
    // An actor that broke did not stop its children, and one that was stopped in a wait leaves its session behind.
    if (broken !== undefined) this.#runtime.run?.leave()
    this.#released = this.#runtime.release()
  }

  #until(holds: () => boolean, options?: UntilOptions): Promise<void> {
    return until(this.actor, this.#runtime.clock, holds, options, () => this.#standing.loginRequired())
  }
}
