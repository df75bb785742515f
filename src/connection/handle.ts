import { BehaviorSubject, type Observable, Subject } from 'rxjs'
import type { WireEvidence } from '../../machines/evidence.js'
import type { Fault } from '../../machines/faults.js'
import { resolvePolicy } from '../../machines/policy.js'
import { type CallHost, type CallOptions, Calls, isReadOnly } from '../calls/index.js'
import { CallTimeoutError, ConnectionClosedError, ConnectionFailedError } from '../errors.js'
import { type Catalog, ConnectionRuntime, judge } from '../link/index.js'
import type { CallToolResult, Notification, Prompt, Resource, Result, Tool } from '../protocol.js'
import type { Configuration, Connection, ConnectionActor, ConnectionSnapshot, Session } from './connection.js'
import { type Incident, IncidentLog } from './incidents.js'
import { type Status, statusOf } from './status.js'

/** The thin handle over one actor: it reads snapshots, sends events, and lets calls through. */
export class ConnectionHandle implements Connection {
  readonly actor: ConnectionActor
  readonly status$: Observable<Status>
  readonly catalog$: Observable<Catalog>
  readonly notifications$: Observable<Notification>
  readonly incidents$: Observable<Incident>

  readonly #runtime: ConnectionRuntime
  readonly #calls: Calls
  readonly #status: BehaviorSubject<Status>
  readonly #incidents = new Subject<Incident>()
  readonly #log = new IncidentLog()
  /** Read on every call, so kept and not asked for. */
  #usable = false
  #stopped = false
  #over = false
  /** What broke the actor: an extension's guard or action that threw. */
  #broken: unknown
  /** Resolves when nothing of the connection is left; set when it is over. */
  #released: Promise<void> | undefined

  constructor(actor: ConnectionActor) {
    const snapshot = actor.getSnapshot()
    this.actor = actor
    this.#runtime = ConnectionRuntime.behind(snapshot.context.runtime)
    this.#calls = new Calls(this.#callHost())
    this.#status = new BehaviorSubject(statusOf(snapshot))
    this.status$ = this.#status.asObservable()
    this.catalog$ = this.#runtime.catalog$.asObservable()
    this.notifications$ = this.#runtime.notifications$.asObservable()
    this.incidents$ = this.#incidents.asObservable()
    actor.on('*', (news) => {
      const ended = this.#log.take(news, this.#runtime.clock.now())
      if (ended) this.#incidents.next(ended)
    })
    // Without an error observer XState rethrows on a later tick and takes the process down.
    actor.subscribe({
      next: (next) => this.#follow(next),
      error: (error) => {
        this.#broken = error
        this.#end()
      },
      complete: () => this.#end(),
    })
    this.#follow(snapshot)
  }

  get name(): string {
    return this.#runtime.name
  }

  get status(): Status {
    return this.#over ? 'closed' : this.#status.value
  }

  get fault(): Fault | undefined {
    return this.actor.getSnapshot().context.fault
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

  connect(): Promise<void> {
    this.actor.send({ type: 'connect' })
    return this.ready()
  }

  reconnect(): Promise<void> {
    this.actor.send({ type: 'reconnect' })
    return this.ready()
  }

  ready(options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<void> {
    return this.#until(() => {
      if (this.#usable) return true
      const refusal = this.#refusal()
      if (refusal) throw refusal
      return false
    }, options)
  }

  async disconnect(): Promise<void> {
    if (this.#over) return
    this.actor.send({ type: 'disconnect' })
    await this.#until(() => this.#over || this.#status.value !== 'closing')
  }

  retry(): void {
    this.actor.send({ type: 'retry' })
  }

  configure({ target, policy }: Configuration): void {
    const { wire } = this.actor.getSnapshot().context
    if (target) this.#runtime.retarget(target)
    const resolved = policy && resolvePolicy(wire, policy)
    if (resolved) this.#runtime.policy = resolved
    this.actor.send({ type: 'configure', policy: resolved, relink: target !== undefined })
  }

  async close(): Promise<void> {
    this.actor.send({ type: 'close' })
    await this.#until(() => this.#over)
    await this.#released
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    options?: CallOptions,
  ): Promise<CallToolResult> {
    return this.#calls.call('tools/call', params, options) as Promise<CallToolResult>
  }

  async listTools(): Promise<readonly Tool[]> {
    return (await this.#read()).tools
  }

  async listResources(): Promise<readonly Resource[]> {
    return (await this.#read()).resources
  }

  async listPrompts(): Promise<readonly Prompt[]> {
    return (await this.#read()).prompts
  }

  readResource(params: { uri: string }, options?: CallOptions): Promise<Result> {
    return this.#calls.call('resources/read', params, options)
  }

  getPrompt(params: { name: string; arguments?: Record<string, string> }, options?: CallOptions): Promise<Result> {
    return this.#calls.call('prompts/get', params, options)
  }

  complete(params: Record<string, unknown>, options?: CallOptions): Promise<Result> {
    return this.#calls.call('completion/complete', params, options)
  }

  request(method: string, params?: Record<string, unknown>, options?: CallOptions): Promise<Result> {
    return this.#calls.call(method, params, options)
  }

  /** The catalog, once it was read. */
  async #read(): Promise<Catalog> {
    if (this.catalog.fetchedAt === 0) await this.connect()
    return this.catalog
  }

  #follow(snapshot: ConnectionSnapshot): void {
    const usable = snapshot.hasTag('usable')
    this.#usable = usable
    this.#stopped = snapshot.hasTag('stopped')
    const status = statusOf(snapshot)
    if (status !== this.#status.value) this.#status.next(status)
    if (snapshot.status !== 'active') this.#end()
    else if (usable) this.#calls.flush()
    else if (this.#stopped) this.#calls.refuse(this.#failed())
    else if (status === 'closing') this.#calls.refuse(new ConnectionClosedError(this.name))
  }

  /** The actor is done, was stopped by its parent, or broke. */
  #end(): void {
    if (this.#over) return
    this.#over = true
    this.#usable = false
    this.#calls.refuse(new ConnectionClosedError(this.name))
    if (this.#status.value !== 'closed') this.#status.next('closed')
    this.#status.complete()
    this.#incidents.complete()
    this.#runtime.catalog$.complete()
    this.#runtime.notifications$.complete()
    // The last wire may still be ending; the sockets are let go of after it.
    this.#released = this.#runtime.inSlot(() => this.#runtime.close())
  }

  #failed(): ConnectionFailedError {
    return new ConnectionFailedError(this.name, this.fault)
  }

  #refusal(): Error | undefined {
    if (this.#broken !== undefined) return new ConnectionFailedError(this.name, this.fault, { cause: this.#broken })
    if (this.#over) return new ConnectionClosedError(this.name)
    return this.#stopped ? this.#failed() : undefined
  }

  /** Resolves when the condition holds, which is asked again with every snapshot. */
  #until(
    holds: () => boolean,
    { timeoutMs, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const { clock } = this.#runtime
      let timer: unknown
      const finish = (settle: () => void) => {
        subscription.unsubscribe()
        if (timer !== undefined) clock.clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        settle()
      }
      const check = (): boolean => {
        try {
          if (!holds()) return false
          finish(resolve)
        } catch (error) {
          finish(() => reject(error))
        }
        return true
      }
      const onAbort = () => finish(() => reject(signal?.reason))
      const subscription = this.actor.subscribe({ next: check, error: check, complete: check })
      if (signal?.aborted) {
        onAbort()
        return
      }
      signal?.addEventListener('abort', onAbort)
      if (check() || timeoutMs === undefined) return
      timer = clock.setTimeout(
        () => finish(() => reject(new CallTimeoutError('ready', timeoutMs, false, this.fault))),
        timeoutMs,
      )
    })
  }

  #callHost(): CallHost {
    const runtime = this.#runtime
    return {
      name: runtime.name,
      clock: runtime.clock,
      get queueLimit() {
        return runtime.policy.queueLimit
      },
      get callMs() {
        return runtime.policy.callMs
      },
      requester: () => (this.#usable ? runtime.live : undefined),
      refusal: () => this.#refusal(),
      lastFault: () => this.fault,
      judge: (evidence: WireEvidence) => {
        const { legacyAllowed, dialectsTried } = this.actor.getSnapshot().context
        return judge(runtime, evidence, 'ready', { everReady: true, legacyAllowed, dialectsTried })
      },
      report: (fault, generation) => {
        const { credentialEpoch } = fault.evidence
        if (fault.scope === 'link') this.actor.send({ type: 'fault', fault, generation, credentialEpoch })
        else if (fault.suspect) this.actor.send({ type: 'suspect', generation })
      },
      demand: (raised) => {
        if (!this.#over) this.actor.send({ type: raised ? 'demand.raised' : 'demand.cleared' })
      },
      isReplayable: (method, params) =>
        isReadOnly(method) || (runtime.trusted && saysHarmless(this.catalog, method, params)),
    }
  }
}

function saysHarmless(catalog: Catalog, method: string, params: Record<string, unknown> | undefined): boolean {
  if (method !== 'tools/call') return false
  const hints = catalog.tools.find((tool) => tool.name === params?.name)?.annotations
  return hints?.readOnlyHint === true || hints?.idempotentHint === true
}
