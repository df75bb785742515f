/** What a connection sends over HTTP and what it is answered, seen from outside and without standing in the way. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

export interface Exchange {
  readonly verb: string
  /** Method of the JSON-RPC message. */
  readonly rpc: string | undefined
  readonly params: unknown
  readonly session: string | undefined
  readonly lastEventId: string | undefined
  /** Absent while, or if, no answer came. */
  status?: number
  /** The session that the answer names. */
  named?: string
  /** What of the answer's body has come. */
  body: string
}

/** As undici tells its diagnostics channels. */
interface UndiciRequest {
  readonly method: string
  readonly origin: string | URL
  readonly headers: readonly string[]
  readonly body?: unknown
}

const channels = {
  create: 'undici:request:create',
  headers: 'undici:request:headers',
  chunk: 'undici:request:bodyChunkReceived',
} as const

/** Records every exchange with the origin from now on. */
export class Tap {
  readonly exchanges: Exchange[] = []
  readonly #origin: string
  readonly #known = new WeakMap<object, Exchange>()

  constructor(url: string) {
    this.#origin = new URL(url).origin
    subscribe(channels.create, this.#onCreate)
    subscribe(channels.headers, this.#onHeaders)
    subscribe(channels.chunk, this.#onChunk)
  }

  [Symbol.dispose](): void {
    unsubscribe(channels.create, this.#onCreate)
    unsubscribe(channels.headers, this.#onHeaders)
    unsubscribe(channels.chunk, this.#onChunk)
  }

  /** Exchanges of this verb or JSON-RPC method. */
  of(name: string): Exchange[] {
    return this.exchanges.filter(({ verb, rpc }) => verb === name || rpc === name)
  }

  /** Handshakes that the server took. */
  get handshakes(): number {
    return this.of('initialize').filter(({ status }) => status === 200).length
  }

  /** The session that was given last; absent where the server gives none. */
  get session(): string | undefined {
    return this.of('initialize').at(-1)?.named
  }

  readonly #onCreate = (message: unknown): void => {
    const { request } = message as { request: UndiciRequest }
    if (new URL(request.origin).origin !== this.#origin) return
    const headers = new Map<string, string>()
    for (let i = 0; i + 1 < request.headers.length; i += 2)
      headers.set(`${request.headers[i]}`.toLowerCase(), `${request.headers[i + 1]}`)
    const { method, params } = request.body == null ? {} : JSON.parse(String(request.body))
    const exchange: Exchange = {
      verb: request.method,
      rpc: method,
      params,
      session: headers.get('mcp-session-id'),
      lastEventId: headers.get('last-event-id'),
      body: '',
    }
    this.#known.set(request, exchange)
    this.exchanges.push(exchange)
  }

  readonly #onHeaders = (message: unknown): void => {
    const { request, response } = message as {
      request: UndiciRequest
      response: { statusCode: number; headers: readonly Buffer[] }
    }
    const exchange = this.#known.get(request)
    if (!exchange) return
    exchange.status = response.statusCode
    const names = response.headers.map(String)
    const at = names.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'mcp-session-id')
    if (at >= 0) exchange.named = names[at + 1]
  }

  readonly #onChunk = (message: unknown): void => {
    const { request, chunk } = message as { request: UndiciRequest; chunk: Buffer }
    const exchange = this.#known.get(request)
    if (exchange) exchange.body += chunk.toString()
  }
}
