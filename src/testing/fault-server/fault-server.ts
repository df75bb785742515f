import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Clock, systemClock } from '../../clock.js'
import { type HealthOptions, serveHealthy } from './health.js'
import { type LegacyPaths, LegacySessions } from './legacy.js'
import { type LoggedRequest, RequestLog, type Selector, selects } from './log.js'
import { status } from './plays.js'
import { ListeningStreams } from './streams.js'
import type { Play, Visit, VisitedServer } from './visit.js'

export interface FaultServerOptions extends HealthOptions {
  /** Default: any free port. */
  port?: number
  /** Path of the endpoint; others are answered 404, unless arranged. Default `/mcp`. */
  path?: string
  /** Speak the HTTP+SSE transport of 2024-11-05 too, at addresses of its own. Default: no. */
  legacy?: boolean | LegacyPaths
  /** Stamps the log and serves `wait`. Default: the real one. */
  clock?: Clock
}

interface Arrangement {
  readonly selector: Selector
  readonly play: Play
  left: number
}

/**
 * An MCP server over real sockets that does what a test arranges. Unarranged it is a healthy server, so that a test says
 * only what goes wrong:
 *
 * ```ts
 * await using server = await startFaultServer()
 * server.once('tools/call', status(503, { retryAfter: 2 }))
 * server.answer('GET', sse([{ data: '…' }, 'destroy']))
 * server.forgetSessions()
 * await server.restart()
 * expect(server.count('initialize')).toBe(2)
 * ```
 */
export class FaultServer implements VisitedServer, AsyncDisposable {
  /** May be changed at any time. */
  readonly health: HealthOptions
  readonly sessions = new Set<string>()
  readonly streams = new ListeningStreams()
  /** Sessions of the HTTP+SSE transport. */
  readonly legacy: LegacySessions
  readonly log = new RequestLog()
  readonly #path: string
  readonly #speaksLegacy: boolean
  readonly #clock: Clock
  readonly #sockets = new Set<Socket>()
  readonly #timers = new Set<unknown>()
  #arranged: Arrangement[] = []
  #http: Server | undefined
  #port: number
  #sessionsGiven = 0
  #connections = 0

  constructor({ port = 0, path = '/mcp', legacy = false, clock = systemClock, ...health }: FaultServerOptions = {}) {
    this.#speaksLegacy = legacy !== false
    this.legacy = new LegacySessions(typeof legacy === 'object' ? legacy : {})
    this.#port = port
    this.#path = path
    this.#clock = clock
    this.health = health
  }

  get port(): number {
    return this.#port
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get url(): string {
    return `${this.origin}${this.#path}`
  }

  /** Where the HTTP+SSE transport is spoken. */
  get legacyUrl(): string {
    return `${this.origin}${this.legacy.streamPath}`
  }

  /** Sockets that are open now. */
  get sockets(): number {
    return this.#sockets.size
  }

  /** Sockets ever accepted. */
  get connections(): number {
    return this.#connections
  }

  /** From now on, requests that the selector names are played so. The latest arrangement wins. */
  answer(selector: Selector, play: Play): this {
    this.#arranged.unshift({ selector, play, left: Number.POSITIVE_INFINITY })
    return this
  }

  /** The next request that the selector names, or the next `times` of them. */
  once(selector: Selector, play: Play, times = 1): this {
    this.#arranged.unshift({ selector, play, left: times })
    return this
  }

  /** Takes back what was arranged, for one selector or altogether. */
  heal(selector?: Selector): this {
    this.#arranged = selector === undefined ? [] : this.#arranged.filter((one) => one.selector !== selector)
    return this
  }

  requests(selector: Selector = '*'): LoggedRequest[] {
    return this.log.of(selector)
  }

  count(selector: Selector = '*'): number {
    return this.requests(selector).length
  }

  /** Resolves when so many requests that the selector names have arrived, counted from the beginning. */
  async seen(selector: Selector, times = 1): Promise<LoggedRequest> {
    await this.log.until(() => this.count(selector) >= times)
    const request = this.requests(selector)[times - 1]
    if (request === undefined) throw new Error(`no request ${times} to ${selector}`)
    return request
  }

  /** Resolves when the exchange of such a request is over on the server's side. */
  async over(selector: Selector, times = 1): Promise<LoggedRequest> {
    const request = await this.seen(selector, times)
    await this.log.until(() => request.closedAt !== undefined)
    return request
  }

  openSession(): string {
    this.#sessionsGiven += 1
    const id = `session-${this.#sessionsGiven}`
    this.sessions.add(id)
    return id
  }

  /** As after a restart without storage: every id given out is unknown from now on. */
  forgetSessions(): void {
    this.sessions.clear()
  }

  /** Cuts every open socket, with a reset. */
  dropSockets(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  /** Resolves after so many milliseconds of the server's clock, or when the server is stopped. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer: unknown = this.#clock.setTimeout(() => {
        this.#timers.delete(timer)
        resolve()
      }, ms)
      this.#timers.add(timer)
    })
  }

  /** Starts to listen; after `stop()` on the same port as before. */
  async start(): Promise<this> {
    const http = createServer((req, res) => {
      if (this.#http !== http) res.shouldKeepAlive = false
      void this.#visit(req, res)
    })
    http.on('connection', (socket) => {
      this.#connections += 1
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    http.listen(this.#port, '127.0.0.1')
    await once(http, 'listening')
    this.#http = http
    this.#port = (http.address() as AddressInfo).port
    return this
  }

  /** Stops to listen and cuts every socket: further connects are refused. */
  async stop(): Promise<void> {
    const http = this.#http
    this.#http = undefined
    if (!http) return this.dropSockets()
    const closed = once(http, 'close')
    http.close()
    this.dropSockets()
    await closed
  }

  /**
   * As a server that is asked to end: further connects are refused, what is under way goes on, and what still comes over
   * a socket that was busy is its last.
   */
  drain(): void {
    const http = this.#http
    this.#http = undefined
    http?.close()
    http?.closeIdleConnections()
  }

  /** Stops and starts on the same port; sessions are forgotten unless `keepSessions`. */
  async restart({ keepSessions = false }: { keepSessions?: boolean } = {}): Promise<void> {
    await this.stop()
    if (!keepSessions) this.forgetSessions()
    await this.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    for (const timer of this.#timers) this.#clock.clearTimeout(timer)
    this.#timers.clear()
  }

  async #visit(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const request = await this.#read(req, res)
    if (request === undefined) return
    const visit: Visit = { request, req, res, server: this, healthy: () => this.#healthy(visit) }
    const play = this.#next(request)
    this.log.add(request)
    try {
      await (play ? play(visit) : visit.healthy())
    } catch (error) {
      // A play that goes on after the client, or the server, has gone.
      if (!res.destroyed) throw error
    }
  }

  async #healthy(visit: Visit): Promise<void> {
    if (this.#speaksLegacy && (await this.legacy.serve(visit, this.health))) return
    if (visit.request.path.split('?')[0] !== this.#path) return status(404, { body: 'no such page' })(visit)
    return serveHealthy(visit, this.health)
  }

  #next(request: LoggedRequest): Play | undefined {
    const found = this.#arranged.find(({ selector, left }) => left > 0 && selects(selector, request))
    if (found) found.left -= 1
    return found?.play
  }

  async #read(req: IncomingMessage, res: ServerResponse): Promise<LoggedRequest | undefined> {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of req) chunks.push(chunk)
    } catch {
      return undefined
    }
    const body = parsed(Buffer.concat(chunks).toString())
    const message = typeof body === 'object' && body !== null ? body : {}
    const request: LoggedRequest = {
      at: this.#clock.now(),
      http: req.method ?? '',
      path: req.url ?? '',
      headers: req.headers,
      ...('method' in message && typeof message.method === 'string' && { method: message.method }),
      ...('id' in message && { id: message.id }),
      ...(req.headers['mcp-session-id'] !== undefined && { session: String(req.headers['mcp-session-id']) }),
      ...(req.headers['last-event-id'] !== undefined && { lastEventId: String(req.headers['last-event-id']) }),
      ...(body !== undefined && { body }),
    }
    res.once('close', () => {
      request.status = res.statusCode
      request.closedAt = this.#clock.now()
      request.abandoned = !res.writableFinished
      this.log.changed()
    })
    return request
  }
}

/** A fault server that listens already; dispose of it with `await using`. */
export function startFaultServer(options: FaultServerOptions = {}): Promise<FaultServer> {
  return new FaultServer(options).start()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
