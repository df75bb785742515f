import { inspect } from 'node:util'
import type { Fault } from '../../../../machines/index.js'
import type { Connection } from '../../../connection/index.js'
import type { DrivenClock } from '../driven-clock.js'
import type { SimulatedExchange } from '../exchange.js'
import type { Trace } from '../trace.js'
import { type AuthorizationServer, CANARY, type GivenTokens, type TokenRefusal } from './authorization-server.js'
import type { TokenWitness } from './authorization-service.js'
import type { AccessWitness } from './protected-service.js'
import type { SharedStore } from './remembered.js'

/** Credentials that may be got in a row, each refused. */
const MOST_IN_A_ROW = 3
/** Requests beside those to the server that one second may hold. */
const MOST_A_SECOND = 30

/** What is refused after so long was good before, in milliseconds: the least time that a policy asks of it. */
const SERVED_MS = 1_000
/** How much later than a token is given it may be in use, in milliseconds. */
const LATE_MS = 45_000

/** What no waiting cures, once so many credentials were got in vain. */
const vain = new Set(['http.401', 'token.expired', 'token.invalid-grant', 'credential.refused'])

/** What must hold of credentials at every step of a simulation, whatever happens. */
export class AuthorizationWatch implements TokenWitness, AccessWitness {
  /** Requests for tokens. */
  requests = 0
  readonly #clock: DrivenClock
  readonly #trace: Trace
  readonly #breach: (invariant: string, message: string) => void
  readonly #underWay = new Set<SimulatedExchange>()
  /** Refresh tokens whose successor came to whoever asked. */
  readonly #replaced = new Set<string>()
  readonly #recent: number[] = []
  /** The refresh token that came last; a grant without one is over with its access token. */
  #newest: string | undefined
  /** Why a person may be asked, since credentials came last; scope that is missing stays so until it is given. */
  #refusal: TokenRefusal | undefined
  #lacksScope = false
  /** The last credential was refused by the resource. */
  #isRefused = true
  /** Credentials in a row that were got for a refused one. */
  #inRow = 0
  /** The same since the connection last trusted its credentials. */
  #inTrouble = 0
  #givenAt = 0
  /** How long a credential must serve before the connection trusts it, by its own policy. */
  #trustedAfterMs = SERVED_MS
  #clientsRefused = 0
  #showsPages = false
  #server: AuthorizationServer | undefined
  #store: SharedStore | undefined

  constructor(clock: DrivenClock, trace: Trace, breach: (invariant: string, message: string) => void) {
    this.#clock = clock
    this.#trace = trace
    this.#breach = breach
  }

  /** What is remembered is good, as far as is known; `newest` is its refresh token. */
  follow(server: AuthorizationServer, store: SharedStore | undefined, newest: string | undefined): void {
    this.#server = server
    this.#store = store
    this.#newest = newest
  }

  listen(connection: Connection): void {
    connection.authorization$.subscribe((login) => {
      if (login?.begunHere) this.#asks()
    })
  }

  readonly exchange = (exchange: SimulatedExchange): void => {
    this.#trace.note(`client: ${exchange.method} #${exchange.number} ${exchange.url.pathname}`)
    const now = this.#clock.elapsed
    while (this.#recent[0] !== undefined && now - this.#recent[0] >= 1_000) this.#recent.shift()
    this.#recent.push(now)
    if (this.#recent.length > MOST_A_SECOND)
      this.#breach('there is no hot loop (P6)', `${this.#recent.length} a second`)
    if (exchange.url.pathname === '/token') this.#request(exchange)
  }

  readonly given = (spent: string | undefined, tokens: GivenTokens): void => {
    // What has served for a while ends a row.
    if (this.#heldMs >= SERVED_MS) this.#inRow = 0
    this.elsewhere(spent, tokens)
    if (!this.#isRefused) return
    this.#isRefused = false
    this.#inRow += 1
    if (this.#inRow > MOST_IN_A_ROW)
      this.#breach('no more than three credentials are got in a row', `${this.#inRow}, each refused`)
  }

  /** The same to another process that remembers it in the same place. */
  readonly elsewhere = (spent: string | undefined, tokens: GivenTokens): void => {
    const newest = tokens.refresh_token ?? spent
    if (spent !== undefined && spent !== newest) this.#replaced.add(spent)
    this.#newest = newest
    this.#givenAt = this.#clock.now()
    this.#inTrouble += 1
    this.#trace.note(`tokens: ${newest} for ${spent ?? 'a login'}`)
    this.#refusal = undefined
    this.#lacksScope &&= !tokens.scope.includes('write')
    if (spent === undefined) this.#clientsRefused = 0
  }

  readonly refused = (why: TokenRefusal): void => {
    this.#trace.note(`tokens: ${why}`)
    this.#refusal = why
    this.#inTrouble += 1
    if (why === 'invalid_client') this.#clientsRefused += 1
  }

  readonly accepted = (): void => {
    this.#isRefused = false
    this.#inRow = 0
  }

  /** A page came in the place of a document. */
  readonly page = (): void => {
    this.#showsPages = true
  }

  readonly unauthorized = (): void => {
    this.#isRefused = true
    if (this.#heldMs >= this.#trustedAfterMs + LATE_MS) this.#inTrouble = 0
  }

  readonly insufficient = (): void => {
    this.#lacksScope = true
  }

  /** Somebody asked for something: credentials may be tried anew. */
  released(): void {
    this.#inRow = 0
  }

  /** Since the credential that came last was given. */
  get #heldMs(): number {
    return this.#clock.now() - this.#givenAt
  }

  /** Looked at after every step. */
  look(connection: Connection): void {
    const { status, actor } = connection
    const { authorizations, policy } = actor.getSnapshot().context
    this.#trustedAfterMs = Math.max(policy.stableAfterMs, SERVED_MS)
    if (status === 'ready' && authorizations === 0) this.#inTrouble = 0
  }

  /** The connection may give up for this. */
  excuses({ code, evidence }: Fault): boolean {
    // What a target is that only shows pages, nobody knows who has never been served by it.
    if (code === 'authorization.unusable') return this.#clientsRefused > 1 || (this.#showsPages && !evidence.everReady)
    return vain.has(code) && this.#inTrouble >= MOST_IN_A_ROW
  }

  /** Nothing that is told holds a secret. */
  overhears(told: unknown, where: string): void {
    const text = typeof told === 'string' ? told : `${JSON.stringify(told)} ${inspect(told, { depth: 6 })}`
    const at = text.indexOf(CANARY)
    if (at >= 0) this.#breach('no secret is ever told (P19)', `${where}: …${text.slice(Math.max(0, at - 40), at + 30)}`)
  }

  /** It is over, and nobody asks for a token any more. */
  end(): void {
    const newest = this.#newest
    if (!this.#store || newest === undefined || !this.#server?.takes(newest)) return
    const kept = this.#store.login.tokens?.refresh_token
    if (kept !== newest)
      this.#breach('a good refresh token is never thrown away (P13)', `${kept ?? 'nothing'} is kept, not ${newest}`)
    if (this.#store.listeners > 0)
      this.#breach('nothing is left open after close (P18)', `${this.#store.listeners} listen to the store`)
  }

  #request(exchange: SimulatedExchange): void {
    this.requests += 1
    for (const one of this.#underWay) if (one.over) this.#underWay.delete(one)
    if (this.#underWay.size > 0)
      this.#breach('one token is asked for at a time (P12)', `#${exchange.number} beside another`)
    this.#underWay.add(exchange)
    const refresh = new URLSearchParams(exchange.body).get('refresh_token')
    if (refresh !== null && this.#replaced.has(refresh))
      this.#breach('a replaced refresh token is never used again (P13)', `${refresh} in #${exchange.number}`)
  }

  #asks(): void {
    const newest = this.#newest
    const isOver = newest === undefined || this.#server?.takes(newest) === false
    if (!isOver && !this.#lacksScope && this.#refusal === undefined)
      this.#breach('nobody is asked to log in while the login is good', `${newest} would be taken`)
  }
}
