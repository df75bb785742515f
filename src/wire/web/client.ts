/**
 * What outlives one wire: sockets and TLS sessions, affinity cookies, the remembered redirect. A connection keeps one
 * `HttpClient` for all the wires it opens one after another.
 */
import { CookieJar } from './cookies.js'
import {
  type Body,
  type Exchange,
  type ExchangeRequest,
  type Exchanger,
  type ExchangeSink,
  type ResponseHeaders,
  type Target,
  targetOf,
} from './exchange.js'
import { overFetch } from './fetch-exchange.js'
import { isFollowed, redirectTarget } from './redirects.js'
import type { DispatcherLike } from './undici-exchange.js'

export interface HttpClientOptions {
  /** Use this `fetch` in place of undici. Default: undici on Node, the global `fetch` elsewhere. */
  fetch?: typeof globalThis.fetch
  /**
   * An undici `Dispatcher` (7 or later) to send through, for a proxy, a certificate authority, a limit on sockets. Used
   * as it is and not closed. Default: an `Agent` of our own, made when first needed, that honours HTTP_PROXY,
   * HTTPS_PROXY and NO_PROXY when one of the first two is set. Ignored when `fetch` is given.
   */
  dispatcher?: DispatcherLike
}

const maxRedirects = 5

export class HttpClient {
  readonly #options: HttpClientOptions
  readonly #cookies = new CookieJar()
  readonly #redirects = new Map<string, Target>()
  #loading: Promise<void> | undefined
  #backend: Exchanger | undefined
  #closed = false

  constructor(options: HttpClientOptions = {}) {
    this.#options = options
  }

  /** Loads what sends requests; opens no socket. Wires await it when they start. */
  ready(): Promise<void> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  async #load(): Promise<void> {
    const backend = await chooseBackend(this.#options)
    if (this.#closed) await backend.close()
    else this.#backend = backend
  }

  /** Closes the sockets this client opened, at once. A `dispatcher` or `fetch` of the caller's is left alone. */
  async close(): Promise<void> {
    this.#closed = true
    const backend = this.#backend
    this.#backend = undefined
    await backend?.close()
  }

  /** @internal The sockets that idle may be dead without a sign; none of them is used any more. */
  renewSockets(): void {
    this.#backend?.renew?.()
  }

  /** @internal Redirects hold for a session: a new one asks the configured address again. */
  forgetRedirects(): void {
    this.#redirects.clear()
  }

  /**
   * @internal One exchange, with cookies, the remembered redirect, and redirects within the origin followed. The sink
   * hears only the last answer.
   */
  exchange(request: ExchangeRequest, sink: ExchangeSink): Exchange {
    const hop = new RedirectingExchange(this, sink, request)
    const moved = this.#redirects.size === 0 ? undefined : this.#redirects.get(request.target.href)
    hop.go(moved ? { ...request, target: moved } : request)
    return hop
  }

  /** @internal A message as {@link exchange} takes it best. Throws where JSON cannot hold it. */
  body(message: object): Body {
    return this.#backend?.encode?.(message) ?? JSON.stringify(message)
  }

  /** @internal */
  send(request: ExchangeRequest, sink: ExchangeSink): Exchange {
    if (this.#backend === undefined) {
      queueMicrotask(() => sink.fail(new Error('the HTTP client is closed'), false))
      return { mayHaveLeft: false, abort() {} }
    }
    const cookie = this.#cookies.header(request.target.origin, request.headers.cookie)
    const sent =
      cookie === request.headers.cookie || cookie === undefined
        ? request
        : { ...request, headers: { ...request.headers, cookie } }
    return this.#backend.exchange(sent, sink)
  }

  /** @internal */
  keepCookies(origin: string, headers: ResponseHeaders): void {
    const setCookies = headers.setCookies()
    if (setCookies.length > 0) this.#cookies.store(origin, setCookies, headers.get('date'))
  }

  /** @internal */
  rememberRedirect(from: Target, to: Target): void {
    this.#redirects.set(from.href, to)
  }
}

async function chooseBackend({ fetch, dispatcher }: HttpClientOptions): Promise<Exchanger> {
  if (fetch) return overFetch(fetch)
  if (!dispatcher && !globalThis.process?.versions?.node) return overFetch(globalThis.fetch)
  const { overDispatcher, overOwnAgent } = await import('./undici-exchange.js')
  return dispatcher ? overDispatcher(dispatcher) : overOwnAgent()
}

class RedirectingExchange implements Exchange, ExchangeSink {
  readonly #client: HttpClient
  readonly #sink: ExchangeSink
  readonly #asked: ExchangeRequest
  #current: ExchangeRequest
  #exchange: Exchange | undefined
  #hops = 0
  #aborted = false

  constructor(client: HttpClient, sink: ExchangeSink, asked: ExchangeRequest) {
    this.#client = client
    this.#sink = sink
    this.#asked = asked
    this.#current = asked
  }

  go(request: ExchangeRequest): void {
    this.#current = request
    this.#exchange = this.#client.send(request, this)
  }

  get mayHaveLeft(): boolean {
    return this.#hops > 0 || this.#exchange?.mayHaveLeft === true
  }

  abort(): void {
    this.#aborted = true
    this.#exchange?.abort()
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#client.keepCookies(this.#current.target.origin, headers)
    const next = isFollowed(status) ? redirectTarget(this.#current.target, headers.get('location')) : undefined
    if (next === undefined || this.#hops >= maxRedirects) {
      if (this.#hops > 0 && !isFollowed(status)) this.#client.rememberRedirect(this.#asked.target, this.#current.target)
      this.#sink.head(status, headers)
      return
    }
    this.#hops += 1
    const old = this.#exchange
    this.go({ ...this.#current, target: targetOf(next) })
    old?.abort()
  }

  data(chunk: Uint8Array): void {
    if (!this.#aborted) this.#sink.data(chunk)
  }

  end(): void {
    if (!this.#aborted) this.#sink.end()
  }

  fail(error: unknown, sent: boolean | undefined): void {
    if (!this.#aborted) this.#sink.fail(error, sent)
  }
}
