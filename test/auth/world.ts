/** A protected server and its authorization server in one process: every request is an event of the test, none a socket. */
import { SimulatedClock } from 'xstate'
import type { TokenStore } from '../../src/auth/index.js'
import { type Connection, type ConnectionOptions, createConnection } from '../../src/index.js'
import { AuthorizationServer, json } from './authorization-server.js'

interface Asked {
  readonly at: number
  readonly http: string
  readonly method: string | undefined
  readonly token: string | undefined
  readonly body: Record<string, unknown>
  readonly session: string | undefined
  status?: number
}

type Play = (asked: Asked) => Response | undefined | Promise<Response | undefined>

/** A server that takes the tokens of an authorization server. */
export class World {
  readonly clock: SimulatedClock
  readonly as: AuthorizationServer
  readonly url = 'http://mcp.test/mcp'
  readonly asked: Asked[] = []
  /** Answers in place of the server's own, where it gives one: before the token is looked at. */
  play: Play | undefined
  /** Answer to a token that is not good. */
  refusal: (asked: Asked) => Response = () => this.challenge(401, 'error="invalid_token"')
  /** Scope that a request needs. */
  needs: (asked: Asked) => string | undefined = () => undefined
  /** The server's description of itself; `undefined`: none. */
  description: Record<string, unknown> | undefined
  /** Answers to any other address. */
  elsewhere: ((request: Request) => Response | undefined) | undefined
  #sessions = 0
  #fetched = 0

  constructor(clock = new SimulatedClock()) {
    this.clock = clock
    this.as = new AuthorizationServer(clock)
    this.description = { resource: this.url, authorization_servers: [this.as.origin] }
  }

  challenge(status: number, more: string): Response {
    const where = 'http://mcp.test/.well-known/oauth-protected-resource/mcp'
    return json({}, status, { 'www-authenticate': `Bearer ${more}, resource_metadata="${where}"` })
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    this.#fetched += 1
    const request = new Request(input, init)
    const arranged = this.elsewhere?.(request)
    if (arranged) return arranged
    const { origin, pathname } = new URL(request.url)
    if (origin === this.as.origin) return this.as.handle(request)
    if (pathname.startsWith('/.well-known/oauth-protected-resource') && this.description) return json(this.description)
    return pathname === '/mcp' ? this.#serve(request) : json({}, 404)
  }

  /** Requests with this JSON-RPC method. */
  count(method: string): number {
    return this.asked.filter((one) => one.method === method).length
  }

  async #serve(request: Request): Promise<Response> {
    const text = await request.text()
    const body: Record<string, unknown> = text === '' ? {} : { ...Object(JSON.parse(text)) }
    const asked: Asked = {
      at: this.clock.now(),
      http: request.method,
      method: typeof body.method === 'string' ? body.method : undefined,
      token: request.headers.get('authorization')?.replace(/^Bearer /, ''),
      session: request.headers.get('mcp-session-id') ?? undefined,
      body,
    }
    this.asked.push(asked)
    const response = (await this.play?.(asked)) ?? this.#answer(asked)
    asked.status = response.status
    return response
  }

  #answer(asked: Asked): Response {
    const good = this.as.scopeOf(asked.token ?? '')
    if (!good) return this.refusal(asked)
    const needed = this.needs(asked)
    if (needed !== undefined && !good.scope?.split(' ').includes(needed)) {
      return this.challenge(403, `error="insufficient_scope", scope="${needed}"`)
    }
    return this.healthy(asked)
  }

  healthy({ http, method, body }: Asked): Response {
    if (http === 'DELETE') return json({}, 200)
    if (http !== 'POST') return json({}, 405)
    if (body.id === undefined) return new Response(null, { status: 202 })
    const headers: Record<string, string> =
      method === 'initialize' ? { 'mcp-session-id': `session-${++this.#sessions}` } : {}
    const result = { ...results[method ?? ''] }
    if (method === 'tools/call')
      result.content = [{ type: 'text', text: JSON.stringify(Object(body.params).arguments ?? {}) }]
    return json({ jsonrpc: '2.0', id: body.id, result }, 200, headers)
  }

  /** A connection to it. */
  connect(options: Omit<ConnectionOptions, 'name' | 'target' | 'clock' | 'fetch'>): Connection {
    return createConnection({
      name: 'test',
      target: { url: this.url, kind: 'http' },
      clock: this.clock,
      fetch: this.fetch,
      random: () => 0.5,
      ...options,
    })
  }

  /** Lets everything that needs no time happen. */
  async settled(): Promise<void> {
    for (let before = -1; before !== this.#events(); ) {
      before = this.#events()
      // Digests of a proof key are made on other threads: one that was asked for before this one is there after it.
      await crypto.subtle.digest('SHA-256', new Uint8Array(1))
      for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Resolves when the condition holds. */
  async until(isMet: () => boolean): Promise<void> {
    for (let turn = 0; !isMet(); turn++) {
      if (turn > 2_000) throw new Error(`waited in vain: ${isMet}`)
      await this.settled()
    }
  }

  /** Lets time pass, in steps. */
  async pass(ms: number, stepMs = 250): Promise<void> {
    await this.settled()
    for (let left = ms; left > 0; left -= stepMs) {
      this.clock.increment(Math.min(stepMs, left))
      await this.settled()
    }
  }

  /** Lets time pass until the promise settles; resolves or rejects as it does. */
  async soon<T>(promise: Promise<T>, atMostMs = 120_000, stepMs = 250): Promise<T> {
    let isOver = false
    const over = promise.finally(() => {
      isOver = true
    })
    over.catch(() => {})
    const until = this.clock.now() + atMostMs
    await this.settled()
    while (!isOver && this.clock.now() < until) await this.pass(stepMs, stepMs)
    if (!isOver) throw new Error(`waited in vain for ${atMostMs} ms`)
    return over
  }

  #events(): number {
    return this.#fetched
  }
}

const results: Record<string, Record<string, unknown>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'protected', version: '1' },
  },
  'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
}

/** A store in memory, shared like a file: its lock holds between connections, and it tells of changes by others. */
export class MemoryStore implements TokenStore {
  readonly values = new Map<string, string>()
  readonly #last = new Map<string, Promise<unknown>>()
  readonly #listeners = new Map<string, Set<() => void>>()

  async get(key: string): Promise<string | undefined> {
    return this.values.get(key)
  }

  async set(key: string, value: string): Promise<void> {
    this.values.set(key, value)
    for (const listener of this.#listeners.get(key) ?? []) queueMicrotask(listener)
  }

  async delete(key: string): Promise<void> {
    this.values.delete(key)
    for (const listener of this.#listeners.get(key) ?? []) queueMicrotask(listener)
  }

  lock<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work)
    this.#last.set(
      key,
      mine.catch(() => {}),
    )
    return mine
  }

  watch(key: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(key) ?? new Set()
    this.#listeners.set(key, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  /** How many listen for changes. */
  get watchers(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** What is remembered of the only server. */
  get record(): Record<string, unknown> {
    return JSON.parse([...this.values.values()][0] ?? '{}')
  }
}

/** As a provider written for the SDK's own examples: everything in memory. */
export function memoryProvider(options: { saves?: boolean } = {}) {
  const kept: { tokens?: Record<string, unknown>; client?: Record<string, unknown>; verifier?: string } = {}
  const opened: URL[] = []
  const wiped: string[] = []
  return {
    kept,
    opened,
    wiped,
    redirectUrl: 'http://localhost:9/callback',
    clientMetadata: { redirect_uris: ['http://localhost:9/callback'], client_name: 'test' },
    clientInformation: () => kept.client,
    ...(options.saves !== false && {
      saveClientInformation: (client: Record<string, unknown>) => {
        kept.client = client
      },
    }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: Record<string, unknown>) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (url: URL) => {
      opened.push(url)
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? '',
    invalidateCredentials: (scope: string) => {
      wiped.push(scope)
      if (scope === 'all' || scope === 'tokens') kept.tokens = undefined
      if (scope === 'all' || scope === 'client') kept.client = undefined
    },
  }
}
