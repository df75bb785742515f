/**
 * The HTTP+SSE transport of revision 2024-11-05 on the server's side: GET opens a stream, which is a session and names
 * the address that its messages go to; a POST there is answered 202, and the answer comes on the stream.
 */
import type { ServerResponse } from 'node:http'
import { frame } from './frame.js'
import { type HealthOptions, outcomeOf, paramsOf } from './health.js'
import type { Visit } from './visit.js'

export interface LegacyPaths {
  /** Of the event stream. Default `/sse`. */
  stream?: string
  /** That messages are posted to; `?sid=N` is added. Default `/messages`. */
  messages?: string
}

interface LegacySession {
  readonly res: ServerResponse
  isInitialized: boolean
}

export class LegacySessions {
  readonly #streamPath: string
  readonly #messagesPath: string
  readonly #sessions = new Map<string, LegacySession>()
  #given = 0

  constructor({ stream = '/sse', messages = '/messages' }: LegacyPaths = {}) {
    this.#streamPath = stream
    this.#messagesPath = messages
  }

  get streamPath(): string {
    return this.#streamPath
  }

  /** Sessions that are open now, which are as many as streams. */
  get size(): number {
    return this.#sessions.size
  }

  /** Sessions ever begun. */
  get begun(): number {
    return this.#given
  }

  /** Pushes a message, as it is, to every session. */
  push(message: unknown): void {
    this.write(frame({ event: 'message', data: message }))
  }

  /** Writes to every stream. */
  write(text: string): void {
    for (const { res } of this.#sessions.values()) res.write(text)
  }

  /** Begins another session on every open stream, in place of the one before: a second `endpoint` event. */
  renew(): void {
    for (const [sid, { res }] of [...this.#sessions]) {
      this.#sessions.delete(sid)
      this.#begin(res)
    }
  }

  /** Ends every stream cleanly. */
  end(): void {
    for (const { res } of this.#sessions.values()) res.end()
  }

  /** Cuts every stream's socket. */
  cut(): void {
    for (const { res } of this.#sessions.values()) res.destroy()
  }

  /** `false` when the address is not one of these. */
  serve(visit: Visit, health: HealthOptions): boolean | Promise<boolean> {
    const [path, query] = visit.request.path.split('?')
    if (path === this.#streamPath) return this.#stream(visit)
    if (path === this.#messagesPath) return this.#message(visit, new URLSearchParams(query).get('sid'), health)
    return false
  }

  #stream({ request, res }: Visit): true {
    if (request.http !== 'GET') {
      res.writeHead(405, { allow: 'GET' }).end()
      return true
    }
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    this.#begin(res)
    return true
  }

  #begin(res: ServerResponse): void {
    this.#given += 1
    const sid = String(this.#given)
    this.#sessions.set(sid, { res, isInitialized: false })
    res.once('close', () => this.#sessions.delete(sid))
    res.write(frame({ event: 'endpoint', data: `${this.#messagesPath}?sid=${sid}` }))
  }

  async #message({ request, res }: Visit, sid: string | null, health: HealthOptions): Promise<true> {
    const session = sid === null ? undefined : this.#sessions.get(sid)
    if (request.http !== 'POST' || session === undefined) {
      const code = request.http !== 'POST' ? 405 : sid === null ? 400 : 404
      res.writeHead(code, { 'content-type': 'text/plain' }).end(code === 404 ? 'Could not find session' : undefined)
      return true
    }
    res.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted')
    if (request.method === 'initialize') session.isInitialized = true
    if (request.method === undefined || request.id === undefined) return true
    const outcome = session.isInitialized
      ? await outcomeOf(request.method, paramsOf(request.body), health)
      : { error: { code: -32602, message: 'Received request before initialization was complete' } }
    if (session.res.writable)
      session.res.write(frame({ event: 'message', data: { jsonrpc: '2.0', id: request.id, ...outcome } }))
    return true
  }
}
