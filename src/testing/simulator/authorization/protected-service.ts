import type { SimulatedExchange } from '../exchange.js'
import type { GrantTraits } from '../grant-traits.js'
import type { Service } from '../network.js'
import type { AuthorizationServer } from './authorization-server.js'
import { type AuthorizationService, json } from './authorization-service.js'

/** Told of what the resource server makes of credentials. */
export interface AccessWitness {
  accepted(): void
  unauthorized(): void
  insufficient(): void
}

/** A server behind the tokens of an authorization server. */
export class ProtectedService implements Service {
  /** No token is taken. */
  distrusts = false
  readonly #service: Service
  readonly #server: AuthorizationServer
  readonly #documents: AuthorizationService
  readonly #origins: { readonly own: string; readonly authorization: string }
  readonly #traits: GrantTraits
  readonly #witness: AccessWitness

  constructor(
    service: Service,
    server: AuthorizationServer,
    documents: AuthorizationService,
    origins: { readonly own: string; readonly authorization: string },
    traits: GrantTraits,
    witness: AccessWitness,
  ) {
    this.#service = service
    this.#server = server
    this.#documents = documents
    this.#origins = origins
    this.#traits = traits
    this.#witness = witness
  }

  get up(): boolean {
    return this.#service.up
  }

  serve(exchange: SimulatedExchange): void {
    const { pathname } = exchange.url
    if (pathname === '/mcp') this.#admit(exchange)
    else if (pathname === '/.well-known/oauth-protected-resource/mcp') {
      const { own, authorization } = this.#origins
      const document = { resource: `${own}/mcp`, authorization_servers: [authorization], scopes_supported: ['read'] }
      this.#documents.document(exchange, document)
    } else exchange.whole({ status: 404 })
  }

  #admit(exchange: SimulatedExchange): void {
    const token = exchange.authorization?.replace(/^Bearer /, '') ?? ''
    const scope = this.distrusts ? undefined : this.#server.scopeOf(token)
    if (scope === undefined) {
      this.#witness.unauthorized()
      this.#refuse(exchange, 401, 'error="invalid_token"', token)
    } else if (this.#traits.stepUp && isWrite(exchange.body) && !scope.split(' ').includes('write')) {
      this.#witness.insufficient()
      this.#refuse(exchange, 403, 'error="insufficient_scope", scope="write"', token)
    } else {
      this.#witness.accepted()
      this.#service.serve(exchange)
    }
  }

  #refuse(exchange: SimulatedExchange, status: number, why: string, token: string): void {
    const { challenges, echoes } = this.#traits
    const where = `${this.#origins.own}/.well-known/oauth-protected-resource/mcp`
    // What is not enough has to be said; that a credential is not good is seen by the status.
    const says = challenges || status === 403
    exchange.whole({
      ...json(status, echoes ? { error: `no such token: ${token}` } : {}),
      ...(says && { headers: { 'www-authenticate': `Bearer ${why}, resource_metadata="${where}"` } }),
    })
  }
}

const isWrite = (body: string | undefined): boolean => {
  const { method, params } = Object(JSON.parse(body ?? 'null'))
  return method === 'tools/call' && params?.name === 'write'
}
