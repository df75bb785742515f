/** Exchanges over `fetch`: in browsers, and wherever the caller brings one. */
import { errnoOf, provesUnsent } from './errno.js'
import type { Exchange, ExchangeRequest, Exchanger, ExchangeSink, ResponseHeaders } from './exchange.js'

export function overFetch(fetch: typeof globalThis.fetch): Exchanger {
  return {
    exchange(request, sink) {
      const exchange = new FetchExchange(sink)
      void exchange.run(fetch, request)
      return exchange
    },
    async close() {},
  }
}

class FetchExchange implements Exchange {
  /** `fetch` does not tell when it sends. */
  readonly mayHaveLeft = true
  readonly #sink: ExchangeSink
  /** Per exchange, never a shared signal: listeners on a long-lived one pile up (report 10.02). */
  readonly #abort = new AbortController()
  #over = false

  constructor(sink: ExchangeSink) {
    this.#sink = sink
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.#abort.abort()
  }

  async run(fetch: typeof globalThis.fetch, { target, method, headers, body }: ExchangeRequest): Promise<void> {
    let headSeen = false
    try {
      const signal = this.#abort.signal
      const response = await fetch(target.href, { method, headers, body, signal, redirect: 'manual' })
      if (this.#over) return void response.body?.cancel().catch(() => {})
      headSeen = true
      this.#sink.head(statusOf(response), headersOf(response.headers))
      const reader = response.body?.getReader()
      while (reader && !this.#over) {
        const { done, value } = await reader.read()
        if (done) break
        if (!this.#over) this.#sink.data(value)
      }
      if (this.#over) return
      this.#over = true
      this.#sink.end()
    } catch (error) {
      if (this.#over) return
      this.#over = true
      this.#sink.fail(error, headSeen ? true : provesUnsent(errnoOf(error)) ? false : undefined)
    }
  }
}

/** A browser tells a page of a redirect that it does not follow, but neither its status nor where it leads. */
const statusOf = ({ type, status }: Response): number => (type === 'opaqueredirect' ? 302 : status)

function headersOf(headers: Headers): ResponseHeaders {
  return { get: (name) => headers.get(name) ?? undefined, setCookies: () => headers.getSetCookie?.() ?? [] }
}
