/**
 * One HTTP exchange, as this folder needs it: a request with a whole body, answered by a head and then chunks. Two
 * backends stand behind it, undici and `fetch`. Callbacks and not promises or streams, because this is the hot path: a
 * call is one exchange, and every layer between the socket and the parser is paid for on each.
 */

/** A URL taken apart once and used for many requests. */
export interface Target {
  readonly href: string
  readonly origin: string
  /** Path with query. */
  readonly path: string
  /** Parts of the address that must not be told: it can be a session's own. */
  readonly secrets?: readonly string[]
}

/** A body as a backend sends it. */
export type Body = string | Uint8Array<ArrayBuffer>

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly target: Target
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Body
}

/** Response headers; names are looked up in lower case, whatever case the server wrote. */
export interface ResponseHeaders {
  get(name: string): string | undefined
  setCookies(): readonly string[]
}

/**
 * What hears an exchange: `head` once, then `data` any number of times, then `end`; or `fail` at any point in place of
 * what would have come. After `end`, `fail` or {@link Exchange.abort} nothing more is heard. None of them may throw.
 */
export interface ExchangeSink {
  head(status: number, headers: ResponseHeaders): void
  data(chunk: Uint8Array): void
  end(): void
  /** `sent`: `false` when no byte of the request can have left, `true` when some may have, absent when not known. */
  fail(error: unknown, sent: boolean | undefined): void
}

export interface Exchange {
  /** `false` while no byte of the request can have left: it waits for a socket. */
  readonly mayHaveLeft: boolean
  /** Destroys this exchange and nothing else. The sink hears nothing more. */
  abort(): void
}

/** What makes exchanges: owns sockets, knows nothing of MCP. */
export interface Exchanger {
  exchange(request: ExchangeRequest, sink: ExchangeSink): Exchange
  /**
   * JSON as this backend sends it. What is bytes at once is not kept as text for as long as the request is under way, to
   * be copied by every collection of garbage. Default: its text.
   */
  encode?(value: object): Body
  /**
   * Further requests use none of the sockets that idle now; what is under way goes on. No effect on those of the caller.
   */
  renew?(): void
  /** Destroys what this backend made itself; a dispatcher or `fetch` of the caller is left alone. */
  close(): Promise<void>
}

export function targetOf(url: URL): Target {
  return { href: `${url.origin}${url.pathname}${url.search}`, origin: url.origin, path: url.pathname + url.search }
}
