import type { IncomingMessage, ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWTPayload, jwtVerify } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { type Handler, type Listening, listen } from './listen.js'
import { Records } from './records.js'

const signing = await generateKeyPair('RS256', { extractable: true })
const signingKey = { ...(await exportJWK(signing.privateKey)), alg: 'RS256', use: 'sig' }

export interface AuthorizationServerOptions {
  /** Lifetime of an access token, in seconds. Default 600. */
  accessTokenSeconds?: number
  /** Access tokens that the client cannot read (`opaque`, the default), or JWTs. */
  accessTokenFormat?: 'opaque' | 'jwt'
  /** What resources may grant. Default `mcp:read mcp:write`. */
  scopes?: readonly string[]
  /** Give no refresh tokens. Default: give them, and a new one with each use. */
  withoutRefreshTokens?: boolean
  /** Clients that are known from the beginning. Others register themselves. */
  clients?: Configuration['clients']
}

/** One request, after it was answered. No token and no code is kept of it. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly status: number
  /** At the token endpoint: `authorization_code`, `refresh_token`, `client_credentials`. */
  readonly grantType?: string
  /** The error code of the answer, where it is one. */
  readonly error?: string
  readonly scope?: string
  readonly resource?: string
}

/**
 * `oidc-provider`, a certified authorization server, on real sockets: dynamic registration, PKCE, resource indicators,
 * refresh tokens that change with each use, and a whole family revoked when an old one comes back. The person in front
 * of it agrees to everything, so that a test plays them by HTTP alone (`logIn`).
 */
export class AuthorizationServer implements AsyncDisposable {
  /** Every request, in order. */
  readonly seen: SeenRequest[] = []
  /** How often a refresh token came a second time: each is a client that lost track of its tokens. */
  reuses = 0
  /** Answers in place of the server as long as it returns true: outages, HTML pages, whatever. */
  interfere: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  readonly #records = new Records()
  /** Ids of the access tokens that were given and have not been taken back. */
  readonly #alive = new Set<unknown>()
  readonly #options: AuthorizationServerOptions
  #listening: Listening | undefined
  #provider: Provider | undefined

  constructor(options: AuthorizationServerOptions) {
    this.#options = options
  }

  get issuer(): string {
    return this.#listening?.origin ?? ''
  }

  async start(): Promise<this> {
    this.#listening = await listen((origin) => this.#serve(origin))
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listening?.[Symbol.asyncDispose]()
  }

  /** Requests at the token endpoint with this grant; all of them without one. */
  grants(type?: string): SeenRequest[] {
    return this.seen.filter(({ path, grantType }) => path === '/token' && (type === undefined || grantType === type))
  }

  /** How many clients registered themselves. */
  get registrations(): number {
    return this.seen.filter(({ method, path, status }) => method === 'POST' && path === '/reg' && status === 201).length
  }

  /** How many requests for authorization a browser brought. */
  get authorizations(): number {
    return this.seen.filter(({ path }) => path === '/auth').length
  }

  /** Who the token belongs to and what it allows; `undefined` when it is unknown, expired or revoked. */
  async judge(token: string): Promise<{ scopes: string[]; audience: string | undefined } | undefined> {
    const { jti, scope, aud, exp } = Object(
      await (token.includes('.') ? this.#readJwt(token) : this.#findOpaque(token)),
    )
    // The server forgets an opaque token that it revokes; whether a JWT still counts is for its own list to tell.
    if (!this.#alive.has(jti) || !(exp * 1000 > Date.now())) return undefined
    return { scopes: String(scope).split(' '), audience: Array.isArray(aud) ? aud[0] : aud }
  }

  /** Access tokens given so far are worth nothing any more; refresh tokens stay. */
  expireAccessTokens(): void {
    this.#alive.clear()
    this.#records.of('AccessToken').clear()
  }

  /** Refresh tokens given so far are refused with `invalid_grant`. */
  revokeRefreshTokens(): void {
    this.#records.of('RefreshToken').clear()
  }

  /** Registered clients are unknown, and so are their tokens, as after a restart with an empty database. */
  forgetClients(): void {
    this.expireAccessTokens()
    for (const kind of ['Client', 'RefreshToken', 'Grant']) this.#records.of(kind).clear()
  }

  async #findOpaque(token: string): Promise<unknown> {
    const { AccessToken, ClientCredentials } = this.#running
    return (await AccessToken.find(token)) ?? ClientCredentials.find(token)
  }

  async #readJwt(token: string): Promise<JWTPayload> {
    const verified = await jwtVerify(token, signing.publicKey, { issuer: this.issuer }).catch(() => undefined)
    return verified?.payload ?? {}
  }

  get #running(): Provider {
    if (!this.#provider) throw new Error('the authorization server was not started')
    return this.#provider
  }

  #serve(origin: string): Handler {
    const provider = new Provider(origin, this.#configuration())
    this.#provider = provider
    const note = ({ jti }: { jti: string }) => this.#alive.add(jti)
    provider.on('access_token.saved', note).on('access_token.issued', note)
    provider.on('client_credentials.saved', note).on('client_credentials.issued', note)
    provider.on('grant.error', (_ctx, error) => {
      if (error.error_detail === 'refresh token already used') this.reuses += 1
    })
    provider.use(async (ctx, next) => {
      await next()
      const { grant_type, scope, resource } = ctx.oidc?.params ?? {}
      const { method, path, status } = ctx
      const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
      const error = text(Object(ctx.body).error)
      this.seen.push({
        ...{ method, path, status, error },
        ...{ grantType: text(grant_type), scope: text(scope), resource: text(resource) },
      })
    })
    const respond = provider.callback()
    return (request, response) => {
      if (this.interfere?.(request, response)) return
      if (request.url?.startsWith('/interaction/')) void this.#agree(request, response)
      else void respond(request, response)
    }
  }

  /** The person logs in and grants whatever is asked for. */
  async #agree(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session, grantId } = await this.#running.interactionDetails(request, response)
    if (prompt.name === 'login') {
      await this.#running.interactionFinished(request, response, { login: { accountId: 'somebody' } })
      return
    }
    const known = grantId === undefined ? undefined : await this.#running.Grant.find(grantId)
    const grant =
      known ?? new this.#running.Grant({ accountId: session?.accountId, clientId: String(params.client_id) })
    const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details as {
      missingOIDCScope?: string[]
      missingResourceScopes?: Record<string, string[]>
    }
    grant.addOIDCScope(missingOIDCScope.join(' '))
    for (const [resource, scopes] of Object.entries(missingResourceScopes))
      grant.addResourceScope(resource, scopes.join(' '))
    const consent = { grantId: await grant.save() }
    await this.#running.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
  }

  #configuration(): Configuration {
    const { accessTokenSeconds = 600, accessTokenFormat = 'opaque', clients = [] } = this.#options
    const scope = (this.#options.scopes ?? ['mcp:read', 'mcp:write']).join(' ')
    return {
      adapter: this.#records.adapter,
      clients,
      jwks: { keys: [signingKey] },
      clientDefaults: { token_endpoint_auth_method: 'none', application_type: 'native' },
      cookies: { keys: ['only for tests'] },
      scopes: ['openid', 'offline_access', ...scope.split(' ')],
      pkce: { required: () => true },
      findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      issueRefreshToken: () => !this.#options.withoutRefreshTokens,
      rotateRefreshToken: true,
      features: {
        devInteractions: { enabled: false },
        registration: { enabled: true },
        revocation: { enabled: true },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: (_ctx, audience) => ({
            ...{ audience, scope, accessTokenFormat, accessTokenTTL: accessTokenSeconds },
            ...(accessTokenFormat === 'jwt' && { jwt: { sign: { alg: 'RS256' as const } } }),
          }),
        },
      },
      ttl: {
        AccessToken: accessTokenSeconds,
        ClientCredentials: accessTokenSeconds,
        Interaction: 600,
        Session: 3_600,
        Grant: 86_400,
        RefreshToken: 86_400,
      },
    }
  }
}
