import type { JsonRpcMessage, JsonRpcRequest } from '../../wire/messages.js'
import { type Askable, askable, ServerAsks } from './asks.js'
import type { Chance } from './chance.js'
import type { DrivenClock } from './driven-clock.js'
import { ServerSession } from './session.js'
import type { Trace } from './trace.js'
import type { Traits } from './traits.js'

export type Answer =
  | { readonly result: Record<string, unknown> }
  | { readonly error: { code: number; message: string } }

/** Names the call that a request is of; the application chose it. */
export const keyOf = ({ params }: JsonRpcRequest): string | undefined => {
  const args = (params as { arguments?: { key?: unknown } } | undefined)?.arguments
  return typeof args?.key === 'string' ? args.key : undefined
}

/**
 * An MCP server: sessions, lists that change, and tools that count how often they ran, by the key of each call. It knows
 * nothing of wires; those bring it messages and carry its answers.
 */
export class SimulatedServer {
  readonly traits: Traits
  /** How often each call had its effect. */
  readonly runs = new Map<string, number>()
  readonly sessions = new Map<string, ServerSession>()
  readonly asks: ServerAsks
  /** Calls that the client took back, by their key. */
  readonly takenBack = new Set<string>()
  /** Told of a call that is taken back. */
  readonly onTakenBack = new Set<(key: string) => void>()
  readonly trace: Trace
  readonly #clock: DrivenClock
  readonly #chance: Chance
  readonly #breach: (invariant: string, message: string) => void
  up = true
  boot = 1
  replicas = 1
  /** A balancer brings every request to the instance that knows its session. */
  affinity = true
  /** Until then nothing is answered. */
  busyUntil = 0
  #named = 0
  #version = 0
  #told = 0

  constructor(
    traits: Traits,
    clock: DrivenClock,
    chance: Chance,
    trace: Trace,
    breach: (invariant: string, message: string) => void,
  ) {
    this.traits = traits
    this.trace = trace
    this.#clock = clock
    this.#chance = chance
    this.#breach = breach
    this.asks = new ServerAsks(breach)
    this.asks.onTakenBack = (session, id) => {
      const key = session.calls.get(id)
      if (key === undefined) return
      this.trace.note(`server: ${key} is taken back`)
      this.takenBack.add(key)
      for (const tell of this.onTakenBack) tell(key)
    }
  }

  get toolNames(): string[] {
    const fixed = ['read', 'write', ...Array.from({ length: this.traits.tools }, (_, i) => `tool-${i}`)]
    return [...fixed, `since-${this.#version}`]
  }

  begin(): ServerSession {
    this.#named += 1
    const session = new ServerSession(`session-${this.#named}`, this.#instance(), this.boot)
    // A server that names no sessions has one client, the last.
    if (!this.traits.sessions && this.traits.wire === 'http') this.sessions.clear()
    this.sessions.set(session.id, session)
    return session
  }

  /** The session, where the instance that the request comes to knows it. */
  find(id: string): ServerSession | undefined {
    const session = this.sessions.get(id)
    if (!session || this.affinity || this.replicas === 1) return session
    return this.#instance() === session.replica ? session : undefined
  }

  /** A session without an id, or over a transport of its own, is over with its client and never before. */
  expireSessions(): void {
    if (this.traits.sessions && this.traits.wire === 'http') this.sessions.clear()
  }

  /** The process that kept it has ended. */
  leave(session: ServerSession): void {
    session.isOver = true
    this.sessions.delete(session.id)
  }

  /** Everything under way is lost with the process; sessions too, unless they are kept elsewhere. */
  stop(): void {
    this.up = false
    this.boot += 1
    this.busyUntil = 0
    if (!this.traits.keepsSessions) this.expireSessions()
  }

  start(): void {
    this.up = true
  }

  changeLists(): void {
    this.#version += 1
    for (const session of this.sessions.values())
      session.notify?.({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
  }

  /** Asks all its clients for something. */
  ask(method: Askable): void {
    for (const session of this.sessions.values()) this.asks.ask(session, method)
  }

  /** Nothing is answered for so long, in milliseconds. */
  stall(ms: number): void {
    this.busyUntil = this.#clock.elapsed + ms
  }

  /**
   * Answers after some work, unless the server is stopped meanwhile. `answer` may come in the same turn.
   *
   * @param tell brings something to the client before the answer, where there is a way
   */
  handle(
    session: ServerSession,
    request: JsonRpcRequest,
    answer: (answer: Answer) => void,
    tell?: (message: JsonRpcMessage) => void,
  ): void {
    const { id, method } = request
    this.trace.note(`server: ${method} ${id} in ${session.id}`)
    if (session.seen.has(id)) this.#breach('request ids never repeat within a session', `${method} ${id}`)
    session.seen.add(id)
    const key = keyOf(request)
    if (key !== undefined) session.calls.set(id, key)
    const { boot } = this
    const unlessStopped = (fn: () => void) => () => {
      if (this.boot === boot && !session.isOver) fn()
    }
    const startsIn = Math.max(0, this.busyUntil - this.#clock.elapsed)
    const workMs = method === 'tools/call' ? this.#chance.mostlySmall(0, 3_000) : this.#chance.mostlySmall(0, 50)
    const run = unlessStopped(() => {
      const made = this.#answer(session, request)
      // What was done is done, whether the answer gets through or not.
      this.#clock.plan(
        this.#chance.mostlySmall(0, 100),
        unlessStopped(() => answer(made)),
      )
    })
    this.#clock.plan(startsIn + workMs, run)
    if (key !== undefined && tell)
      this.#tellMeanwhile(session, request, startsIn + workMs, (fn) => unlessStopped(fn), tell)
  }

  /** While it works on a call, it tells how far it is, if it was asked to, and now and then asks for something. */
  #tellMeanwhile(
    session: ServerSession,
    request: JsonRpcRequest,
    withinMs: number,
    unlessStopped: (fn: () => void) => () => void,
    tell: (message: JsonRpcMessage) => void,
  ): void {
    const { progressToken } = (request.params?._meta ?? {}) as { progressToken?: unknown }
    const at = () => this.#chance.whole(0, Math.max(0, withinMs - 1))
    if (this.#chance.happens(0.1)) {
      const method = this.#chance.pick(askable)
      this.#clock.plan(
        at(),
        unlessStopped(() => this.asks.ask(session, method, tell)),
      )
    }
    if (progressToken === undefined) return
    this.#told += 1
    const message = `${keyOf(request)} ${this.#told}`
    const times = Array.from({ length: this.#chance.mostlySmall(1, 10) }, at).sort((a, b) => a - b)
    for (const [step, time] of times.entries()) {
      const params = { progressToken, progress: step + 1, message }
      this.#clock.plan(
        time,
        unlessStopped(() => tell({ jsonrpc: '2.0', method: 'notifications/progress', params })),
      )
    }
  }

  #answer(session: ServerSession, request: JsonRpcRequest): Answer {
    const { method, params = {} } = request
    switch (method) {
      case 'ping':
        return this.traits.answersPing ? { result: {} } : { error: { code: -32601, message: 'Method not found' } }
      case 'tools/list':
        return { result: { tools: this.toolNames.map(tool) } }
      case 'resources/list':
        return { result: { resources: [{ uri: 'sim:///one', name: 'one' }] } }
      case 'resources/templates/list':
        return { result: { resourceTemplates: [] } }
      case 'tools/call':
        return this.#run(request)
      case 'resources/subscribe':
        session.subscriptions.add(String(params.uri))
        return { result: {} }
      case 'resources/unsubscribe':
        session.subscriptions.delete(String(params.uri))
        return { result: {} }
      case 'logging/setLevel':
        session.logLevel = String(params.level)
        return { result: {} }
      default:
        return { error: { code: -32601, message: 'Method not found' } }
    }
  }

  #run(request: JsonRpcRequest): Answer {
    const key = keyOf(request)
    if (key === undefined) return { error: { code: -32602, message: 'no key' } }
    const times = (this.runs.get(key) ?? 0) + 1
    this.runs.set(key, times)
    this.trace.note(`server: ${key} ran`)
    return { result: { content: [{ type: 'text', text: key }] } }
  }

  #instance(): number {
    return this.replicas === 1 ? 0 : this.#chance.whole(0, this.replicas - 1)
  }

  /** What `initialize` is answered by. */
  greeting(request: JsonRpcRequest): Record<string, unknown> {
    return {
      protocolVersion: request.params?.protocolVersion ?? '2025-11-25',
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
      serverInfo: { name: 'simulated', version: String(this.boot) },
    }
  }
}

/** `read` says of itself that it does no harm; nothing else does. */
const tool = (name: string) => ({
  name,
  inputSchema: { type: 'object' },
  ...(name === 'read' && { annotations: { readOnlyHint: true } }),
})
