/** The headers a request goes out with, and what will later be asked about them. */
import type { AccessToken, WebWireOptions } from './options.js'

export interface Outgoing {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly sessionSent: boolean
  readonly tokenState: 'none' | 'fresh' | 'expired'
  readonly credentialEpoch?: number
  readonly credentialAgeMs?: number
}

/** `initialize` starts a session, so it carries none; `listen` takes only a stream; `end` takes nothing. */
export type Purpose = 'initialize' | 'message' | 'listen' | 'end'

const own: Readonly<Record<Purpose, Readonly<Record<string, string>>>> = {
  // Both types on every POST, in full: some servers answer 406 to anything else (deviation 20).
  initialize: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
  message: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
  listen: { accept: 'text/event-stream' },
  end: {},
}

/** Asks the caller's headers and token for each request; without either it hands out one ready-made object. */
export class RequestHeaders {
  readonly #dynamic: (() => Record<string, string> | Promise<Record<string, string>>) | undefined
  readonly #fixed: Record<string, string>
  readonly #token: WebWireOptions['token']
  readonly #basic: string | undefined
  readonly #sessionIn: 'header' | 'address'
  #session: string | undefined
  #version: string | undefined
  readonly #made = new Map<Purpose, Outgoing>()

  /** `sessionIn`: where a message names its session; the address it is posted to can say it all. */
  constructor(
    { headers, token }: Pick<WebWireOptions, 'headers' | 'token'>,
    basic?: string,
    sessionIn: 'header' | 'address' = 'header',
  ) {
    this.#sessionIn = sessionIn
    this.#dynamic = typeof headers === 'function' ? headers : undefined
    this.#fixed = typeof headers === 'function' ? {} : lowerCased(headers ?? {})
    this.#token = token
    this.#basic = basic
  }

  get session(): string | undefined {
    return this.#session
  }

  get version(): string | undefined {
    return this.#version
  }

  adopt(session: string | undefined, version: string | undefined): void {
    this.#session = session
    this.#version = version
    this.#made.clear()
  }

  /** Synchronous when nothing has to be asked, which keeps a plain call off the promise queue. */
  for(purpose: Purpose): Outgoing | Promise<Outgoing> {
    if (this.#dynamic || this.#token) return this.#ask(purpose)
    let made = this.#made.get(purpose)
    if (made === undefined) {
      made = this.#compose(purpose, this.#fixed, undefined)
      this.#made.set(purpose, made)
    }
    return made
  }

  async #ask(purpose: Purpose): Promise<Outgoing> {
    const [fixed, token] = await Promise.all([this.#dynamic?.(), this.#token?.()])
    return this.#compose(purpose, fixed ? lowerCased(fixed) : this.#fixed, token)
  }

  #compose(purpose: Purpose, callers: Record<string, string>, token: AccessToken | undefined): Outgoing {
    const inSession = purpose !== 'initialize'
    const headers: Record<string, string> = { ...own[purpose] }
    if (this.#basic !== undefined) headers.authorization = this.#basic
    if (token !== undefined) headers.authorization = `Bearer ${token.value}`
    Object.assign(headers, callers)
    // A session or version header of the caller's could only be a stale one.
    delete headers['mcp-session-id']
    delete headers['mcp-protocol-version']
    if (inSession && this.#session !== undefined) headers['mcp-session-id'] = this.#session
    if (inSession && this.#version !== undefined) headers['mcp-protocol-version'] = this.#version
    const carried = token !== undefined && headers.authorization === `Bearer ${token.value}` ? token : undefined
    return {
      headers,
      sessionSent: this.#sessionIn === 'address' ? purpose === 'message' : inSession && this.#session !== undefined,
      tokenState: carried?.state ?? 'none',
      ...(carried && { credentialEpoch: carried.epoch }),
      ...(carried?.ageMs !== undefined && { credentialAgeMs: carried.ageMs }),
    }
  }
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  const lower: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) lower[name.toLowerCase()] = String(value)
  }
  return lower
}
