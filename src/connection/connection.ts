import type { Observable } from 'rxjs'
import type { Fault } from '../../machines/faults.js'
import type { PolicyOptions } from '../../machines/policy.js'
import type { ConnectionContext, ConnectionEmitted, ConnectionEvent, ConnectionTag } from '../../machines/types.js'
import type { AuthorizationResponse, LoginRequest } from '../auth/index.js'
import type { CallObserver, CallOptions } from '../calls/index.js'
import type { Explanation, Incident } from '../diagnosis/index.js'
import type { Catalog, ListChange, Target } from '../link/index.js'
import type {
  CallToolResult,
  Capabilities,
  CompleteResult,
  GetPromptResult,
  Notification,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Result,
  ServerInfo,
  Tool,
} from '../protocol.js'
import type { Checkpoint } from './checkpoint.js'
import type { Status } from './status.js'

/** What is agreed on with the server now. The session id is a secret and is not shown. */
export interface Session {
  readonly protocolVersion: string
  readonly capabilities: Capabilities
  readonly serverInfo: ServerInfo
  readonly instructions?: string
}

/** An actor of the chart, or of a chart that extends it: all that the library asks of it. */
export interface ConnectionActor {
  getSnapshot(): ConnectionSnapshot
  send(event: ConnectionEvent): void
  start?(): unknown
  stop?(): unknown
  subscribe(observer: {
    next?: (snapshot: ConnectionSnapshot) => void
    error?: (error: unknown) => void
    complete?: () => void
  }): { unsubscribe(): void }
  on(type: '*', handler: (event: ConnectionEmitted) => void): { unsubscribe(): void }
}

export interface ConnectionSnapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped'
  readonly value: unknown
  readonly context: ConnectionContext
  hasTag(tag: ConnectionTag): boolean
}

export interface Configuration {
  readonly target?: Target
  readonly policy?: PolicyOptions
}

/**
 * A lasting connection to one MCP server. Wires, sessions, tokens and processes come and go underneath; this handle and
 * everything read from it stay valid.
 */
export interface Connection<Actor extends ConnectionActor = ConnectionActor> extends AsyncDisposable {
  readonly name: string
  /** The command, or the address without query and credentials. */
  readonly address: string
  /** The actor behind it, for inspectors, parents and those who ask for more than the handle tells. */
  readonly actor: Actor
  /** One word for people, measured, not remembered: it is never `ready` over a wire known to be dead. */
  readonly status: Status
  /** What is agreed on with the server; `undefined` before the first handshake. */
  readonly session: Session | undefined
  /** The last known lists; kept while the server is away. */
  readonly catalog: Catalog
  /** The last fault, with evidence and advice. */
  readonly fault: Fault | undefined

  /**
   * Starts connecting where that is not under way; resolves when the connection is ready, which can take a person who
   * logs in (`authorization$`).
   *
   * @throws ConnectionFailedError when it comes to rest in `failed`, with the fault
   * @throws ConnectionClosedError when it is closed meanwhile
   */
  connect(): Promise<void>
  /**
   * Resolves when the connection is ready; starts nothing.
   *
   * @throws CallTimeoutError after `timeoutMs` (default: none), or AuthorizationRequiredError where a person is waited
   * for; also as `connect`
   */
  ready(options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<void>
  /** A new link and a new session, now, whatever the state; resolves when ready. Throws as `connect` does. */
  reconnect(): Promise<void>
  /** Ends session and wire and rests in `idle`; `connect`, or a call, starts it again. Waiting calls are refused. */
  disconnect(): Promise<void>
  /**
   * Takes the answer of a login: the address that the browser was sent to, or the parameters out of it. Resolves when the
   * connection is ready with what came of it.
   *
   * @throws AuthorizationResponseError when it is not an answer to a login of this connection (state, issuer), or a refusal
   * @throws AuthorizationRequiredError when the authorization server does not take it, so that another login is needed
   * @throws ConnectionFailedError, ConnectionClosedError as `connect` does
   */
  authorize(response: AuthorizationResponse): Promise<void>
  /** From `failed` or a wait: tries at once, with all counters at zero. */
  retry(): void
  /** Changes policy or target (of the same kind). A new target means a new link. Sets a failed connection going again. */
  configure(configuration: Configuration): void
  /** Ends it for good, within `policy.timeouts.closeMs` and the graces of a child; leaves no child, socket, timer or listener. */
  close(): Promise<void>

  /** Calls a tool. Rejects with one of the package's errors; a tool's own failure is a result with `isError`. */
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    options?: CallOptions,
  ): Promise<CallToolResult>
  /** The tools as last read. Waits for the first reading where there was none. */
  listTools(): Promise<readonly Tool[]>
  listResources(): Promise<readonly Resource[]>
  listResourceTemplates(): Promise<readonly ResourceTemplate[]>
  listPrompts(): Promise<readonly Prompt[]>
  readResource(params: { uri: string }, options?: CallOptions): Promise<ReadResourceResult>
  getPrompt(
    params: { name: string; arguments?: Record<string, string> },
    options?: CallOptions,
  ): Promise<GetPromptResult>
  complete(params: Record<string, unknown>, options?: CallOptions): Promise<CompleteResult>
  /** Any request of the protocol. */
  request(method: string, params?: Record<string, unknown>, options?: CallOptions): Promise<Result>

  /** Asks for updates of a resource, now and in every later session. Rejects as a call does; what was refused is not kept. */
  subscribe(uri: string): Promise<void>
  unsubscribe(uri: string): Promise<void>
  /** Asks for log messages from this level on, now and in every later session. Rejects as `subscribe` does. */
  setLogLevel(level: string): Promise<void>

  /**
   * The login that waits for a person: open its `url` in a browser. Here alone, since the address holds secrets of the
   * login: not in events, context or logs.
   */
  readonly authorization: LoginRequest | undefined
  /** How long the last probe took, in milliseconds; `undefined` before the first. */
  readonly rttMs: number | undefined
  /** A small record from which another process can go on: `createConnection({ …, resume })`. */
  checkpoint(): Checkpoint

  /** The login that waits for a person, whenever one begins or ends. Replays its last value. */
  readonly authorization$: Observable<LoginRequest | undefined>
  /** Why it is as it is: the disconnect that began it, every attempt, and a checklist, causes first. Without secrets. */
  explain(): Explanation
  /** The same as a bug report in Markdown. */
  report(): string

  /** Calls that wait for the connection. */
  readonly waiting: number
  /** Hears of every call and of its end, for metrics and traces; returns what ends it. Costs nothing while unused. */
  observeCalls(observer: CallObserver): () => void

  /** Replays its last value. */
  readonly status$: Observable<Status>
  /** Replays its last value. */
  readonly catalog$: Observable<Catalog>
  /** What differs, whenever lists were read and something does. */
  readonly changes$: Observable<readonly ListChange[]>
  readonly notifications$: Observable<Notification>
  /** Every incident when it ends. */
  readonly incidents$: Observable<Incident>
}
