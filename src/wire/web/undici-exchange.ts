/**
 * Exchanges over undici, on Node. The only file that imports undici; it is loaded lazily, so that a browser bundle can
 * leave it out. It drives `dispatch` directly: no stream object and no AbortController per request, and it tells the
 * moment at which a request is put on an open socket, which proves of every earlier failure that nothing was sent.
 */
import { Socket } from 'node:net'
import { setImmediate as afterThisTurn } from 'node:timers'
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { bytesOf, jsonPieces } from '../json-pieces.js'
import type { Body, Exchange, ExchangeRequest, Exchanger, ExchangeSink, ResponseHeaders } from './exchange.js'

/** The part of an undici `Dispatcher` (7 or later) that is used; `Agent`, `ProxyAgent`, `MockAgent` and others fit. */
export type DispatcherLike = Pick<Dispatcher, 'dispatch'>

/** Exchanges over the caller's dispatcher, which is used as it is and not closed. */
export function overDispatcher(dispatcher: DispatcherLike): Exchanger {
  return new UndiciExchanger({ current: dispatcher, renew() {}, async close() {} })
}

/** Exchanges over an agent of our own; through a proxy only where the environment names one. */
export function overOwnAgent(env: Readonly<Record<string, string | undefined>> = process.env): Exchanger {
  const dialling = new Set<Socket>()
  const agentOptions = {
    // Silence is legal, before the headers as well as on a stream: deadlines are the chart's and the request's.
    bodyTimeout: 0,
    headersTimeout: 0,
    // A listening stream or a slow call must never stand before another request on the same socket.
    pipelining: 1,
    connect: tracked(dialling),
  }
  return new UndiciExchanger(
    new OwnAgents(() => (namesProxy(env) ? new EnvHttpProxyAgent(agentOptions) : new Agent(agentOptions)), dialling),
  )
}

/** Where requests go out, and how it is ended. */
interface Dispatchers {
  readonly current: DispatcherLike
  renew(): void
  close(): Promise<void>
}

class OwnAgents implements Dispatchers {
  readonly #make: () => Dispatcher
  readonly #dialling: Set<Socket>
  /** With what is still under way. */
  readonly #retired = new Set<Dispatcher>()
  current: Dispatcher

  constructor(make: () => Dispatcher, dialling: Set<Socket>) {
    this.#make = make
    this.#dialling = dialling
    this.current = make()
  }

  renew(): void {
    const old = this.current
    this.current = this.#make()
    this.#retired.add(old)
    const forget = () => this.#retired.delete(old)
    old.close().then(forget, forget)
  }

  async close(): Promise<void> {
    const destroyed = [this.current, ...this.#retired].map((agent) => agent.destroy())
    // undici lets a socket that is still dialling run into its own timeout, which would hold the process for it.
    for (const socket of this.#dialling) socket.destroy()
    await Promise.all(destroyed)
  }
}

function namesProxy(env: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(env.http_proxy || env.HTTP_PROXY || env.https_proxy || env.HTTPS_PROXY)
}

function tracked(dialling: Set<Socket>): buildConnector.connector {
  const connect = buildConnector({})
  return (options, callback) => {
    const socket: unknown = connect(options, (...result) => {
      if (socket instanceof Socket) dialling.delete(socket)
      callback(...result)
    })
    if (socket instanceof Socket) dialling.add(socket)
  }
}

class UndiciExchanger implements Exchanger {
  readonly #dispatchers: Dispatchers
  /** A response ended in this turn of the event loop, and these wait for the next. */
  #waiting: (() => void)[] | undefined

  constructor(dispatchers: Dispatchers) {
    this.#dispatchers = dispatchers
  }

  renew(): void {
    this.#dispatchers.renew()
  }

  close(): Promise<void> {
    return this.#dispatchers.close()
  }

  encode(value: object): Body {
    return bytesOf(jsonPieces(value))
  }

  exchange(request: ExchangeRequest, sink: ExchangeSink): Exchange {
    const exchange = new UndiciExchange(sink, () => this.#ended())
    if (this.#waiting === undefined) this.#dispatch(request, exchange)
    else this.#waiting.push(() => this.#dispatch(request, exchange))
    return exchange
  }

  /**
   * undici takes a socket up again one turn of the event loop after its response. Whoever sends the next message on
   * getting the answer, as the handshake does, would otherwise pay for a second socket and its TLS handshake. The
   * microtask puts us behind undici's own turn.
   */
  #ended(): void {
    if (this.#waiting !== undefined) return
    this.#waiting = []
    queueMicrotask(() =>
      afterThisTurn(() => {
        const waiting = this.#waiting ?? []
        this.#waiting = undefined
        for (const dispatch of waiting) dispatch()
      }),
    )
  }

  #dispatch(request: ExchangeRequest, exchange: UndiciExchange): void {
    if (exchange.isOver) return
    try {
      this.#dispatchers.current.dispatch(
        {
          origin: request.target.origin,
          path: request.target.path,
          method: request.method,
          headers: request.headers,
          body: request.body,
          // Also here, for a dispatcher of the caller: undici's default of 300 s would cut a quiet stream.
          bodyTimeout: 0,
          headersTimeout: 0,
        },
        exchange,
      )
    } catch (error) {
      // The sink must not be called before its owner holds the exchange.
      queueMicrotask(() => exchange.onResponseError(undefined, error))
    }
  }
}

/**
 * Made anew for each abort: an error remembers the calls that led to it, with what they were called on. One made while
 * this module is loaded would keep the connection that loaded it for as long as the process lives.
 */
const aborted = () => new Error('aborted')

class UndiciExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #sink: ExchangeSink
  readonly #ended: () => void
  #controller: Dispatcher.DispatchController | undefined
  #over = false

  constructor(sink: ExchangeSink, ended: () => void) {
    this.#sink = sink
    this.#ended = ended
  }

  get isOver(): boolean {
    return this.#over
  }

  get mayHaveLeft(): boolean {
    return this.#controller !== undefined
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.#controller?.abort(aborted())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) controller.abort(aborted())
    else this.#controller = controller
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (!this.#over && status >= 200) this.#sink.head(status, new RecordHeaders(headers))
  }

  onResponseData(_: unknown, chunk: Uint8Array): void {
    if (!this.#over) this.#sink.data(chunk)
  }

  onResponseEnd(): void {
    if (this.#over) return
    this.#over = true
    this.#ended()
    this.#sink.end()
  }

  onResponseError(_: unknown, error: unknown): void {
    if (this.#over) return
    this.#over = true
    this.#sink.fail(error, this.mayHaveLeft)
  }
}

class RecordHeaders implements ResponseHeaders {
  readonly #record: Record<string, string | string[] | undefined>

  constructor(record: Record<string, string | string[] | undefined>) {
    this.#record = record
  }

  get(name: string): string | undefined {
    const value = this.#record[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  setCookies(): readonly string[] {
    const value = this.#record['set-cookie']
    return value === undefined ? [] : Array.isArray(value) ? value : [value]
  }
}
