import type { Clock } from '../../clock.js'
import type { HttpClient } from './client.js'

/** What a token provider hands out. The wire only carries it; getting and refreshing tokens is not its business. */
export interface AccessToken {
  readonly value: string
  /** Rises with every new credential: an answer to a request under an older one moves nothing. */
  readonly epoch: number
  readonly state: 'fresh' | 'expired'
  /** How long it has been held, in milliseconds. One that has served for a while was good, whatever is said of it now. */
  readonly ageMs?: number
}

type Headers = Record<string, string>

/** Options that both wires over HTTP have. */
export interface WebWireOptions {
  /** The MCP endpoint, `http:` or `https:`. Credentials in it are sent as Basic authorization and told nowhere. */
  url: string | URL
  /**
   * Headers of your own on every request, evaluated anew for each. They win over the wire's own, `authorization`
   * included; the session and version headers cannot be set here.
   */
  headers?: Headers | (() => Headers | Promise<Headers>)
  /**
   * Sockets, cookies and the remembered redirect, shared by the wires of one connection. Default: an own one, made at
   * start and closed with the wire.
   */
  client?: HttpClient
  /** Use this `fetch` in place of undici, when no `client` is given. */
  fetch?: typeof globalThis.fetch
  /** Read before every request. Default: no token. */
  token?: () => Promise<AccessToken | undefined>
  /** The largest message taken, in bytes; for a larger one the request fails and the wire lives. Default 32 MiB. */
  maxMessageBytes?: number
  clock?: Clock
}

export const defaultMaxMessageBytes = 32 * 1024 * 1024
