/**
 * The protocol as SDK v1 speaks it. The only file in which that SDK is named: public types are our own, so that another
 * implementation can stand beside this one. Its client makes the handshake and answers what the server asks; what we ask
 * is asked by {@link Requests}.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  McpError,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation'
import { MAX_DELAY_MS } from '../../machines/backoff.js'
import { supportedVersions } from '../../machines/versions.js'
import type { Clock } from '../clock.js'
import { type Capabilities, isReadOnly, type Result } from '../protocol.js'
import { evidenceOf, WireError } from '../wire/failure.js'
import type { Wire } from '../wire/wire.js'
import { type ListKind, listMethods, listsOf } from './catalog.js'
import { type ClientOptions, type ServerRequest, type ServerRequestHandler, serverRequests } from './client-options.js'
import { ClientTransport, ServerErrorData } from './client-transport.js'
import { Letters, type LettersHost } from './letters.js'
import { readPages } from './pages.js'
import type { Link, LinkListener, ListOptions, RequestOptions, SessionMemory } from './port.js'
import { malformed, Requests, type RequestsHost, refusedBy } from './requests.js'

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

/** Time for an answer where nothing else is said, in milliseconds. */
const DEFAULT_MS = 60_000

/** 0 is the number of initialize, which the SDK's client asks. */
const FIRST_ID = 1

/** Told to the server twice, they change nothing. */
const repeatable: ReadonlySet<string> = new Set([
  'initialize',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
])

const isRepeatable = (method: string): boolean => isReadOnly(method) || repeatable.has(method)

export class SdkLink implements Link, RequestsHost, LettersHost {
  readonly wire: Wire
  listener: LinkListener | undefined
  readonly #options: ClientOptions
  readonly clock: Clock
  readonly secrets: readonly string[]
  /** Most links have none. */
  #letters: Letters | undefined
  #requests: Requests | undefined
  #session: SessionMemory | undefined
  /** The session is its successor's. */
  #isFormer = false

  /** `secrets`: what must not be shown, should the server repeat it. */
  constructor(wire: Wire, options: ClientOptions, clock: Clock, secrets: readonly string[] = []) {
    this.wire = wire
    this.#options = options
    this.clock = clock
    this.secrets = secrets
  }

  get letters(): Letters {
    this.#letters ??= new Letters(this)
    return this.#letters
  }

  renewed(): void {
    this.wire.listen?.()
    this.#letters?.renewed()
  }

  get session(): SessionMemory | undefined {
    const session = this.#session
    if (!session || !this.#requests || this.#isFormer) return session
    session.nextId = this.#requests.nextId
    session.lastEventId = this.wire.lastEventId ?? session.lastEventId
    session.letters = this.#letters?.held
    return session
  }

  async negotiate(version?: string): Promise<SessionMemory> {
    const { client, transport } = await this.#connect(FIRST_ID, { version })
    const memory: SessionMemory = {
      id: this.wire.sessionId,
      protocolVersion: transport.protocolVersion ?? '',
      capabilities: (client.getServerCapabilities() ?? {}) as Capabilities,
      serverInfo: client.getServerVersion() ?? { name: '', version: '' },
      instructions: client.getInstructions(),
      nextId: FIRST_ID,
    }
    this.#session = memory
    return memory
  }

  async resume(session: SessionMemory): Promise<void> {
    // What an earlier link could not send waits until it is known that the session goes on, and the credential is good.
    if (session.letters) this.letters.take(session.letters)
    this.#session = session
    await this.#connect(session.nextId, { resumed: session })
    await this.request(this.#cheapList() ?? 'ping', undefined, MAX_DELAY_MS)
  }

  async #connect(
    firstId: number,
    how: { resumed?: SessionMemory; version?: string },
  ): Promise<{ client: Client; transport: ClientTransport }> {
    const { info, capabilities, handlers } = this.#options
    const requests = new Requests(this, firstId)
    const transport = new ClientTransport(this.wire, this, requests, how)
    const client = new Client(info, { capabilities, jsonSchemaValidator: noValidator })
    for (const method of serverRequests) answerRequests(client, method, handlers[method])
    client.fallbackNotificationHandler = async (notification) => this.listener?.onNotification(notification)
    this.#requests = requests
    try {
      await client.connect(transport, NEVER)
    } catch (error) {
      throw this.#refusedVersion(transport.offeredVersion) ?? this.#noHandshake(error)
    }
    return { client, transport }
  }

  list(kind: ListKind, { timeoutMs = DEFAULT_MS, ...options }: ListOptions = {}): Promise<unknown[]> {
    return readPages((params) => this.request(listMethods[kind], params, timeoutMs, options), kind)
  }

  async probe(thorough: boolean, signal: AbortSignal): Promise<void> {
    const method = (thorough && this.#cheapList()) || 'ping'
    await this.request(method, undefined, MAX_DELAY_MS, { signal })
  }

  /** A list that the server has: it answers that, whatever it makes of a ping. */
  #cheapList(): string | undefined {
    const [kind] = listsOf(this.#session?.capabilities ?? {})
    return kind && listMethods[kind]
  }

  request(
    method: string,
    params: Record<string, unknown> | undefined,
    timeoutMs: number = DEFAULT_MS,
    options: RequestOptions = {},
  ): Promise<Result> {
    return this.#requests?.ask(method, params, timeoutMs, options) ?? Promise.reject(this.#notConnected(method))
  }

  /** A result as the SDK's schemas have it: with its defaults, and with what they do not know. */
  read(method: string, result: unknown): Result | undefined {
    const schema = method === 'tools/call' ? CallToolResultSchema : ResultSchema
    return schema.safeParse(result).data
  }

  async endSession(timeoutMs: number): Promise<void> {
    await this.wire.endSession?.(timeoutMs)
  }

  drain(): Promise<void> | undefined {
    // From here on the session is its successor's: what is remembered of it is not touched again.
    void this.session
    this.#isFormer = true
    return this.wire.drain?.(isRepeatable)
  }

  async release(): Promise<void> {
    // Brings the remembered session up to date before the wire is gone.
    void this.session
    this.#letters?.close()
    await this.wire.close()
    this.listener = undefined
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

  /** Every way in which the handshake can fail, as evidence. The chart keeps its deadline, and the SDK none. */
  #noHandshake(error: unknown): WireError {
    const method = 'initialize'
    const known = evidenceOf(error)
    if (known) return error instanceof WireError ? error : new WireError(known, { cause: error })
    const wire = this.wire.kind
    if (error instanceof McpError) {
      const { data } = error
      if (data instanceof ServerErrorData) return refusedBy(this, method, data.error)
      return new WireError({ kind: 'closed', wire, method, summary: 'the link was closed' }, { cause: error })
    }
    return malformed(this.wire, method, { cause: error })
  }
}

function answerRequests(client: Client, method: ServerRequest, handler: ServerRequestHandler | undefined): void {
  if (!handler) return
  client.setRequestHandler(requestSchemas[method], async (request, { signal }) =>
    handler(request.params ?? {}, { signal }),
  )
}
