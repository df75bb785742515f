/** Who may come in: a page of this server, on this machine, that knows the token. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Why a request is turned away, as an HTTP status. */
export type Refusal = 400 | 401 | 403 | 421

/**
 * Three locks. `Host` has to be a loopback name with our port: a name that an attacker lets point to 127.0.0.1 (DNS
 * rebinding) is none. `Origin` has to be our own where a browser names one: pages of other sites may open WebSockets to
 * anywhere. And the token, since other users of this machine can reach loopback too.
 */
export class Gate {
  readonly token = randomBytes(24).toString('base64url')
  readonly #digest = digestOf(this.token)
  readonly #hosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>
  readonly #feedOrigins: ReadonlySet<string>

  constructor(port: number, feedOrigins: readonly string[]) {
    const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`)
    this.#hosts = new Set(hosts)
    this.#origins = new Set(hosts.map((host) => `http://${host}`))
    this.#feedOrigins = new Set(feedOrigins)
  }

  /** For files, in which nothing is secret. */
  refuseFile({ headers }: IncomingMessage): Refusal | undefined {
    return this.#isOurs(headers.host) ? undefined : 421
  }

  /** For what the page hears and says. Browsers name an origin with every WebSocket. */
  refusePage(request: IncomingMessage): Refusal | undefined {
    const { headers } = request
    if (!this.#isOurs(headers.host)) return 421
    // `localhost` and `127.0.0.1` are two origins; a page speaks to the one it came from.
    if (headers.origin !== `http://${headers.host}` || !this.#origins.has(headers.origin)) return 403
    return this.#refuseToken(request)
  }

  /** For what other programs send. They name no origin, unless they run in a browser. */
  refuseFeed(request: IncomingMessage): Refusal | undefined {
    const { headers } = request
    if (!this.#isOurs(headers.host)) return 421
    if (headers.origin !== undefined && !this.#feedOrigins.has(headers.origin)) return 403
    return this.#refuseToken(request)
  }

  #isOurs(host: string | undefined): boolean {
    return host !== undefined && this.#hosts.has(host.toLowerCase())
  }

  #refuseToken({ url = '' }: IncomingMessage): Refusal | undefined {
    const given = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('token') ?? ''
    // Digests have one length, so that the comparison takes one time.
    return timingSafeEqual(digestOf(given), this.#digest) ? undefined : 401
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
