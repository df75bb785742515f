import type { Failure } from '../authorization-misfortunes.js'
import type { SimulatedExchange } from '../exchange.js'
import type { Service } from '../network.js'
import { statuses, type Whole } from '../refusals.js'
import type { AuthorizationServer, GivenTokens, TokenRefusal } from './authorization-server.js'

/** Requests that go wrong, until so many have. */
export interface Failing {
  readonly of: 'tokens' | 'documents'
  readonly how: Failure
  readonly retryAfterS?: number
  left: number
}

/** Told of what becomes of requests for tokens. */
export interface TokenWitness {
  /** The answer has reached whoever asked. */
  given(spent: string | undefined, tokens: GivenTokens): void
  refused(why: TokenRefusal): void
  /** A page is shown in the place of a document. */
  page(): void
}

/** The authorization server as it is met: its documents, its registration and its token endpoint. */
export class AuthorizationService implements Service {
  readonly up = true
  failing: Failing | undefined
  /** How much longer than the way there and back an answer for a token takes, in milliseconds. */
  extraMs = 0
  readonly #origin: string
  readonly #server: AuthorizationServer
  readonly #echoes: boolean
  readonly #plan: (ms: number, fn: () => void) => void
  readonly #witness: TokenWitness

  constructor(
    origin: string,
    server: AuthorizationServer,
    echoes: boolean,
    plan: (ms: number, fn: () => void) => void,
    witness: TokenWitness,
  ) {
    this.#origin = origin
    this.#server = server
    this.#echoes = echoes
    this.#plan = plan
    this.#witness = witness
  }

  serve(exchange: SimulatedExchange): void {
    const { pathname } = exchange.url
    if (pathname === '/token') this.#plan(this.extraMs, () => this.#token(exchange))
    else if (pathname === '/register') exchange.whole(json(201, this.#registered(exchange)))
    else if (pathname === '/.well-known/oauth-authorization-server') this.document(exchange, this.#metadata())
    else exchange.whole({ status: 404 })
  }

  /** A document of this server, or of one that it stands behind. */
  document(exchange: SimulatedExchange, document: object): void {
    const failing = this.#take('documents')
    if (!failing) exchange.whole(json(200, document))
    else if (failing.how.startsWith('cut')) exchange.reset()
    else {
      if (failing.how === 'page') this.#witness.page()
      exchange.whole(failureOf(failing))
    }
  }

  #token(exchange: SimulatedExchange): void {
    const failing = this.#take('tokens')
    const asked = new URLSearchParams(exchange.body)
    if (failing?.how === 'cut before') exchange.reset()
    else if (!failing || failing.how === 'cut after') {
      // What is done is done, whether anybody waits for the answer still or not.
      const answer = this.#answer(asked)
      if (failing) exchange.reset()
      else this.#tell(exchange, asked.get('refresh_token') ?? undefined, answer)
    } else exchange.whole(failureOf(failing))
  }

  #answer(asked: URLSearchParams): GivenTokens | TokenRefusal {
    const of = (name: string) => asked.get(name) ?? ''
    const client = of('client_id')
    if (of('grant_type') === 'client_credentials') return this.#server.begin(client, 'read write')
    if (of('grant_type') === 'refresh_token') return this.#server.refresh(of('refresh_token'), client)
    return this.#server.exchange(of('code'), of('code_verifier'), client)
  }

  #tell(exchange: SimulatedExchange, spent: string | undefined, answer: GivenTokens | TokenRefusal): void {
    if (typeof answer !== 'string') {
      exchange.onEnd = () => this.#witness.given(spent, answer)
      exchange.whole(json(200, answer))
      return
    }
    this.#witness.refused(answer)
    const said = this.#echoes && spent !== undefined && { error_description: `no such token: ${spent}` }
    exchange.whole(json(answer === 'invalid_client' ? 401 : 400, { error: answer, ...said }))
  }

  #registered(exchange: SimulatedExchange): object {
    return { ...Object(JSON.parse(exchange.body ?? '{}')), client_id: this.#server.register() }
  }

  #metadata(): object {
    return {
      issuer: this.#origin,
      authorization_endpoint: `${this.#origin}/authorize`,
      token_endpoint: `${this.#origin}/token`,
      registration_endpoint: `${this.#origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    }
  }

  #take(of: Failing['of']): Failing | undefined {
    const { failing } = this
    if (failing?.of !== of) return undefined
    failing.left -= 1
    if (failing.left <= 0) this.failing = undefined
    return failing
  }
}

export const json = (status: number, body: object): Whole => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
})

const failureOf = ({ how, retryAfterS }: Failing): Whole => ({
  ...(how === '429' || how === '500' || how === '503' ? statuses[how] : statuses.page),
  ...(retryAfterS !== undefined && { headers: { 'retry-after': String(retryAfterS) } }),
})
