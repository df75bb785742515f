import { createHash } from 'node:crypto'
import type { Clock } from '../../src/clock.js'

export interface TokenRequest {
  readonly at: number
  readonly params: Readonly<Record<string, string>>
  readonly authorization: string | null
}

interface Issued {
  readonly family: number
  readonly scope: string | undefined
  readonly endsAt: number
}

type Answer = (request: TokenRequest) => Response | undefined | Promise<Response | undefined>

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })

export const page = (status = 200): Response =>
  new Response('<!doctype html><html><body>hello</body></html>', { status, headers: { 'content-type': 'text/html' } })

/**
 * A small authorization server: registration, code with proof key, client credentials, refresh tokens that rotate and
 * whose second use revokes their whole family. It does what it should unless a test says otherwise.
 */
export class AuthorizationServer {
  readonly clock: Clock
  origin = 'http://as.test'
  /** Lifetime of access tokens, in seconds. */
  lifeS = 600
  tellsLife = true
  givesRefresh = true
  rotates = true
  /** Answers in place of the server's own, where they give one. */
  onToken: Answer | undefined
  onRegister: (() => Response | undefined) | undefined
  /** Further fields of the metadata; `undefined`: there is none. */
  metadata: Record<string, unknown> | undefined = {}
  readonly tokenRequests: TokenRequest[] = []
  readonly registrations: string[] = []
  /** Addresses a person was sent to and opened. */
  readonly logins: URL[] = []
  readonly clients = new Set<string>()
  readonly #codes = new Map<string, { challenge: string; scope: string | undefined; client: string }>()
  readonly access = new Map<string, Issued>()
  /** Refresh tokens that are good, and those that were used. */
  readonly refresh = new Map<string, { family: number; scope: string | undefined }>()
  readonly #used = new Map<string, number>()
  readonly #revoked = new Set<number>()
  #count = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Requests for tokens by this grant. */
  count(grant?: string): number {
    return this.tokenRequests.filter(({ params }) => grant === undefined || params.grant_type === grant).length
  }

  /** Tokens as if a person had logged in before. */
  issue(scope?: string, family = ++this.#count): { access_token: string; refresh_token: string } {
    this.#count += 1
    const access = `access-canary-${this.#count}`
    const refresh = `refresh-canary-${this.#count}`
    this.access.set(access, { family, scope, endsAt: this.clock.now() + this.lifeS * 1000 })
    this.refresh.set(refresh, { family, scope })
    return { access_token: access, refresh_token: refresh }
  }

  /** Every access token ends now; refresh tokens stay good. */
  expire(): void {
    this.access.clear()
  }

  /** As after a restart without storage: no client is known. */
  forgetClients(): void {
    this.clients.clear()
  }

  scopeOf(token: string): { scope: string | undefined } | undefined {
    const issued = this.access.get(token)
    const isGood = issued && issued.endsAt > this.clock.now() && !this.#revoked.has(issued.family)
    return isGood ? { scope: issued.scope } : undefined
  }

  /** A person opens the address and agrees; where the browser is sent. */
  login(url: URL, given: Record<string, string | undefined> = {}): URL {
    this.logins.push(url)
    const of = (name: string) => url.searchParams.get(name) ?? undefined
    const back = new URL(of('redirect_uri') ?? '')
    this.#count += 1
    const code = `code-canary-${this.#count}`
    this.#codes.set(code, { challenge: of('code_challenge') ?? '', scope: of('scope'), client: of('client_id') ?? '' })
    const answer = { code, state: of('state'), ...given }
    for (const [name, value] of Object.entries(answer)) if (value !== undefined) back.searchParams.set(name, value)
    return back
  }

  async handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/.well-known/oauth-authorization-server')) {
      return this.metadata ? json({ ...this.#document(), ...this.metadata }) : json({}, 404)
    }
    if (request.method === 'POST' && pathname === '/register') return this.onRegister?.() ?? this.#register(request)
    if (request.method === 'POST' && pathname === '/token') return this.#token(request)
    return json({ error: 'not_found' }, 404)
  }

  #document() {
    return {
      issuer: this.origin,
      authorization_endpoint: `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      registration_endpoint: `${this.origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    }
  }

  async #register(request: Request): Promise<Response> {
    const metadata = Object(await request.json())
    const client = `client-${this.registrations.length + 1}`
    this.registrations.push(client)
    this.clients.add(client)
    return json({ ...metadata, client_id: client }, 201)
  }

  async #token(request: Request): Promise<Response> {
    const params = Object.fromEntries(new URLSearchParams(await request.text()))
    const told = { at: this.clock.now(), params, authorization: request.headers.get('authorization') }
    this.tokenRequests.push(told)
    const arranged = await this.onToken?.(told)
    if (arranged) return arranged
    const client = params.client_id ?? atob((told.authorization ?? '').replace(/^Basic /, '')).split(':')[0] ?? ''
    if (!this.clients.has(client)) return json({ error: 'invalid_client' }, 401)
    if (params.grant_type === 'client_credentials') return this.#grant(params.scope, ++this.#count, false)
    return params.grant_type === 'refresh_token' ? this.#refresh(params) : this.#exchange(params, client)
  }

  #refresh({ refresh_token = '' }: Record<string, string>): Response {
    const usedBy = this.#used.get(refresh_token)
    if (usedBy !== undefined) this.#revoked.add(usedBy)
    const found = this.refresh.get(refresh_token)
    if (!found || this.#revoked.has(found.family)) return json({ error: 'invalid_grant' }, 400)
    if (this.rotates) {
      this.refresh.delete(refresh_token)
      this.#used.set(refresh_token, found.family)
    }
    return this.#grant(found.scope, found.family, this.rotates)
  }

  #exchange({ code = '', code_verifier = '' }: Record<string, string>, client: string): Response {
    const found = this.#codes.get(code)
    this.#codes.delete(code)
    const challenge = createHash('sha256').update(code_verifier).digest('base64url')
    if (!found || found.challenge !== challenge || found.client !== client) return json({ error: 'invalid_grant' }, 400)
    return this.#grant(found.scope, ++this.#count, this.givesRefresh)
  }

  #grant(scope: string | undefined, family: number, withRefresh: boolean): Response {
    const { access_token, refresh_token } = this.issue(scope, family)
    return json({
      access_token,
      token_type: 'Bearer',
      ...(this.tellsLife && { expires_in: this.lifeS }),
      ...(withRefresh && { refresh_token }),
      ...(scope !== undefined && { scope }),
    })
  }
}
