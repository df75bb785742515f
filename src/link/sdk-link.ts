/**
 * The protocol as SDK v1 speaks it. The only file in which that SDK is named: public types are our own, so that another
 * implementation can stand beside this one.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ErrorCode,
  ListRootsRequestSchema,
  McpError,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation'
import { MAX_DELAY_MS } from '../../machines/backoff.js'
import type { WireEvidence } from '../../machines/evidence.js'
import { supportedVersions } from '../../machines/versions.js'
import { systemClock } from '../clock.js'
import { type Capabilities, isReadOnly, type Notification, type Result } from '../protocol.js'
import { evidenceOf, keepAnswer, WireError } from '../wire/failure.js'
import type { Wire } from '../wire/wire.js'
import { type ListKind, listMethods, listsOf } from './catalog.js'
import { type ClientOptions, type ServerRequest, type ServerRequestHandler, serverRequests } from './client-options.js'
import { ClientTransport, ServerErrorData } from './client-transport.js'
import { readPages } from './pages.js'
import type { Link, RequestOptions, SessionMemory } from './port.js'
import { shownError } from './rpc-evidence.js'

/** Output schemas are not compiled by the client: 18 of the 22 KiB a bare client takes are its own validator. */
const noValidator: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'not compiled' }),
}

const requestSchemas = {
  'elicitation/create': ElicitRequestSchema,
  'sampling/createMessage': CreateMessageRequestSchema,
  'roots/list': ListRootsRequestSchema,
} as const satisfies Record<ServerRequest, unknown>

/** The chart keeps the deadlines of the handshake; the SDK's own timer must not fire before. */
const NEVER = { timeout: MAX_DELAY_MS }

/** Told to the server twice, they change nothing. */
const repeatable: ReadonlySet<string> = new Set([
  'initialize',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
])

const isRepeatable = (method: string): boolean => isReadOnly(method) || repeatable.has(method)

export class SdkLink implements Link {
  readonly wire: Wire
  onNotification: ((notification: Notification) => void) | undefined
  readonly #options: ClientOptions
  readonly #secrets: readonly string[]
  #client: Client | undefined
  #transport: ClientTransport | undefined
  #session: SessionMemory | undefined

  /** `secrets`: what must not be shown, should the server repeat it. */
  constructor(wire: Wire, options: ClientOptions, secrets: readonly string[] = []) {
    this.wire = wire
    this.#secrets = secrets
    this.#options = options
  }

  get session(): SessionMemory | undefined {
    const session = this.#session
    if (!session || !this.#transport) return session
    session.nextId = this.#transport.nextId
    session.lastEventId = this.wire.lastEventId ?? session.lastEventId
    return session
  }

  async negotiate(version?: string): Promise<SessionMemory> {
    const transport = new ClientTransport(this.wire, { version })
    const client = await this.#connect(transport)
    const memory: SessionMemory = {
      id: this.wire.sessionId,
      protocolVersion: transport.protocolVersion ?? '',
      capabilities: (client.getServerCapabilities() ?? {}) as Capabilities,
      serverInfo: client.getServerVersion() ?? { name: '', version: '' },
      instructions: client.getInstructions(),
      nextId: 0,
    }
    this.#session = memory
    return memory
  }

  async resume(session: SessionMemory): Promise<void> {
    this.#session = session
    await this.#connect(new ClientTransport(this.wire, { resumed: session }))
    await this.request(this.#cheapList() ?? 'ping', undefined, { timeoutMs: MAX_DELAY_MS })
  }

  async #connect(transport: ClientTransport): Promise<Client> {
    const { info, capabilities, handlers } = this.#options
    const client = new Client(info, { capabilities, jsonSchemaValidator: noValidator })
    for (const method of serverRequests) answerRequests(client, method, handlers[method])
    client.fallbackNotificationHandler = async (notification) => this.onNotification?.(notification)
    this.#client = client
    this.#transport = transport
    try {
      await client.connect(transport, NEVER)
    } catch (error) {
      throw this.#refusedVersion(transport.offeredVersion) ?? this.#failure(error, 'initialize')
    }
    return client
  }

  list(kind: ListKind, options: Pick<RequestOptions, 'timeoutMs' | 'signal'> = {}): Promise<unknown[]> {
    return readPages((params) => this.request(listMethods[kind], params, options), kind)
  }

  async probe(thorough: boolean, signal: AbortSignal): Promise<void> {
    const method = (thorough && this.#cheapList()) || 'ping'
    await this.request(method, undefined, { timeoutMs: MAX_DELAY_MS, signal })
  }

  /** A list that the server has: it answers that, whatever it makes of a ping. */
  #cheapList(): string | undefined {
    const [kind] = listsOf(this.#session?.capabilities ?? {})
    return kind && listMethods[kind]
  }

  async request(
    method: string,
    params: Record<string, unknown> | undefined,
    options: RequestOptions = {},
  ): Promise<Result> {
    try {
      return await this.ask(method, params, options.timeoutMs ?? 60_000, options)
    } catch (error) {
      if (options.signal?.aborted) throw options.signal.reason
      throw this.#failure(error, method, options.timeoutMs)
    }
  }

  ask(
    method: string,
    params: Record<string, unknown> | undefined,
    timeoutMs: number,
    options: Omit<RequestOptions, 'timeoutMs'>,
  ): Promise<Result> {
    const client = this.#client
    if (!client?.transport) return Promise.reject(this.#notConnected(method))
    const request = params === undefined ? { method } : { method, params }
    const schema = method === 'tools/call' ? CallToolResultSchema : ResultSchema
    if (!options.signal && options.maxTotalMs === undefined)
      return client.request(request, schema, sdkOptions(timeoutMs, options))
    return withOwnSignal(options, (own) => client.request(request, schema, sdkOptions(timeoutMs, own)))
  }

  explain(failure: unknown, method: string, timeoutMs?: number): WireEvidence {
    return this.#failure(failure, method, timeoutMs).evidence
  }

  async endSession(timeoutMs: number): Promise<void> {
    await this.wire.endSession?.(timeoutMs)
  }

  drain(): Promise<void> | undefined {
    // From here on the session is its successor's: what is remembered of it is not touched again.
    void this.session
    this.#transport = undefined
    return this.wire.drain?.(isRepeatable)
  }

  async release(): Promise<void> {
    // Brings the remembered session up to date before the wire is gone.
    void this.session
    await this.wire.close()
    this.onNotification = undefined
  }

  #notConnected(method: string): WireError {
    return new WireError({ kind: 'closed', wire: this.wire.kind, method, sent: false, summary: 'there is no link' })
  }

  /** The server answered the handshake well, but in a version that is not ours. */
  #refusedVersion(protocolVersion: string | undefined): WireError | undefined {
    if (protocolVersion === undefined || supportedVersions.some((version) => version === protocolVersion))
      return undefined
    const summary = `the server speaks protocol version ${protocolVersion} only`
    return new WireError({ kind: 'malformed', wire: this.wire.kind, method: 'initialize', protocolVersion, summary })
  }

  /** Every way in which a request can fail, as evidence; the texts of errors are passed on but never judged. */
  #failure(error: unknown, method: string, timeoutMs = 60_000): WireError {
    const known = evidenceOf(error)
    if (known) return error instanceof WireError ? error : new WireError(known, { cause: error })
    const wire = this.wire.kind
    if (error instanceof McpError) {
      if (error.data instanceof ServerErrorData) {
        const { code, message } = error
        const answer = { code, message: message.replace(/^MCP error -?\d+: /, ''), data: error.data.value }
        const rpc = shownError(answer, this.#secrets)
        // On the older wire the stream is the session, and every request goes into it.
        const sessionSent = this.wire.sessionId !== undefined || wire === 'sse'
        const evidence: WireEvidence = { kind: 'rpc', wire, method, sent: true, sessionSent, rpc, summary: rpc.message }
        return new WireError(keepAnswer(evidence, answer))
      }
      if (error.code === ErrorCode.RequestTimeout) {
        const afterMs = error.data instanceof TotalTime ? error.data.ms : timeoutMs
        const summary = `${method} was not answered within ${afterMs} ms`
        return new WireError({ kind: 'timeout', wire, method, sent: true, afterMs, summary }, { cause: error })
      }
      return new WireError({ kind: 'closed', wire, method, summary: 'the link was closed' }, { cause: error })
    }
    return new WireError(
      { kind: 'malformed', wire, method, summary: `the answer to ${method} is malformed` },
      { cause: error },
    )
  }
}

function noop(): void {}

function answerRequests(client: Client, method: ServerRequest, handler: ServerRequestHandler | undefined): void {
  if (!handler) return
  client.setRequestHandler(requestSchemas[method], async (request, { signal }) =>
    handler(request.params ?? {}, { signal }),
  )
}

/** Marks a timeout by the bound that progress cannot extend. */
class TotalTime {
  readonly ms: number
  constructor(ms: number) {
    this.ms = ms
  }
}

type AskOptions = Omit<RequestOptions, 'timeoutMs'>

/**
 * The SDK never takes its listener off a signal (trap 18), so each request gets one of its own. The total time is kept
 * by it too: the SDK looks at its own bound only when progress comes, and then does not tell the server that it has
 * stopped waiting (report 07.06). And so is a first time that is shorter: the SDK has one for both.
 */
async function withOwnSignal<T>(options: AskOptions, work: (own: AskOptions) => Promise<T>): Promise<T> {
  const { signal, maxTotalMs, firstMs, onProgress } = options
  const own = new AbortController()
  const abort = () => own.abort(signal?.reason)
  // By the real clock, as the SDK's own timers of a request.
  const expireAfter = (ms: number | undefined, told?: TotalTime): unknown => {
    const expire = () => own.abort(new McpError(ErrorCode.RequestTimeout, 'out of time', told))
    return ms === undefined ? undefined : systemClock.setTimeout(expire, Math.min(ms, MAX_DELAY_MS))
  }
  const timer = expireAfter(maxTotalMs, new TotalTime(maxTotalMs ?? 0))
  const first = expireAfter(firstMs)
  const hear: RequestOptions['onProgress'] = (progress) => {
    systemClock.clearTimeout(first)
    onProgress?.(progress)
  }
  signal?.addEventListener('abort', abort)
  try {
    return await work({ ...options, signal: own.signal, ...(firstMs !== undefined && { onProgress: hear }) })
  } finally {
    systemClock.clearTimeout(timer)
    systemClock.clearTimeout(first)
    signal?.removeEventListener('abort', abort)
  }
}

function sdkOptions(timeoutMs: number, { maxTotalMs, signal, onProgress }: AskOptions) {
  const timeout = Math.min(timeoutMs, MAX_DELAY_MS)
  // Nearly every call asks for nothing else, and every object built here is built for each of them.
  if (maxTotalMs === undefined && signal === undefined && onProgress === undefined) return { timeout }
  return {
    timeout,
    signal,
    // Only a request with a progress token gets progress, and only progress extends its time (report 07.06).
    ...((onProgress || maxTotalMs !== undefined) && { onprogress: onProgress ?? noop }),
    ...(maxTotalMs !== undefined && { resetTimeoutOnProgress: true }),
  }
}
