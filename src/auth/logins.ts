import { AuthorizationResponseError } from '../errors.js'
import type { AuthorizationResponse, LoginRequest, Site } from './authorizer.js'
import { clientFor } from './clients.js'
import type { Discovered } from './discovery.js'
import { checkIssuer, makeLogin, readAnswer, scopeFor } from './login.js'
import type { Messenger } from './messenger.js'
import { covers } from './scopes.js'
import type { OAuthSetup } from './setup.js'
import type { PendingLogin, Vault } from './vault.js'

/** A login that another process began is waited for so long; then it may have died, and another is begun. */
const LOGIN_LEASE_MS = 600_000
/** Logins of this connection that may still be answered: an older browser window may be the one that is used. */
const KEPT_LOGINS = 3

/** The logins of one connection: the one that waits for a person, and the answer that came. */
export class Logins {
  readonly #site: Site
  readonly #setup: OAuthSetup
  readonly #vault: Vault
  readonly #told: () => void
  readonly #begun = new Map<string, PendingLogin>()
  #pending: PendingLogin | undefined
  /** An answer that is to be exchanged. */
  answer: { readonly code: string; readonly login: PendingLogin } | undefined

  /** `told` is called whenever a login begins or ends to be waited for. */
  constructor(site: Site, setup: OAuthSetup, vault: Vault, told: () => void) {
    this.#site = site
    this.#setup = setup
    this.#vault = vault
    this.#told = told
  }

  get request(): LoginRequest | undefined {
    const login = this.#pending
    if (!login) return undefined
    return { url: new URL(login.url), redirectUrl: login.redirectUrl, begunHere: this.#begun.has(login.state) }
  }

  /** A login for all of this scope waits for a person. */
  awaits(scope: string | undefined): boolean {
    return this.#pending !== undefined && covers(this.#pending.scope, scope)
  }

  /** A login waits that this scope makes needless. */
  isMetBy(scope: string | undefined): boolean {
    return this.#pending !== undefined && covers(scope, this.#pending.scope)
  }

  /** Goes on with a login that is remembered, if it is young enough and for this scope: one is enough for all processes. */
  share(login: PendingLogin | undefined, scope: string | undefined): boolean {
    if (!login || !covers(login.scope, scope)) return false
    // One that begins later than now was begun by a clock that has been set back since: nobody knows how old it is.
    if (Math.abs(this.#site.clock.now() - login.startedAt) >= LOGIN_LEASE_MS) return false
    this.await(login)
    return true
  }

  /** Begins a login. Only while locked. */
  async begin(found: Discovered, wanted: string | undefined, messenger: Messenger): Promise<void> {
    const scope = scopeFor(this.#setup, found, wanted)
    const client = await clientFor(this.#vault, this.#setup, found, scope, messenger)
    const login = await makeLogin(this.#setup, found, client, scope, this.#site.clock.now())
    this.#begun.set(login.state, login)
    for (const [oldest] of this.#begun) if (this.#begun.size > KEPT_LOGINS) this.#begun.delete(oldest)
    await this.#vault.change({ login })
    this.await(login)
    // Not waited for: some open the browser and come back only with its answer, which could not be taken while locked.
    // Where no browser can be opened the login waits all the same, and its address is told.
    void (async () => this.#setup.onLogin?.(new URL(login.url)))().catch(() => {})
  }

  await(login: PendingLogin | undefined): void {
    if (login?.state === this.#pending?.state) return
    this.#pending = login
    this.#told()
  }

  /** The login of another process that is waited for was followed by another one. */
  follow(login: PendingLogin | undefined): void {
    if (login && this.#pending && !this.#begun.has(this.#pending.state)) this.await(login)
  }

  /**
   * Takes the answer of a login.
   *
   * @throws AuthorizationResponseError when it is none that may be used, or a refusal
   */
  async take(response: AuthorizationResponse, forgetClient: () => Promise<void>): Promise<void> {
    const answer = readAnswer(response)
    const login = await this.#loginOf(answer.state)
    checkIssuer(answer, login)
    const { code, error } = answer
    if (error !== undefined || code === undefined) {
      await this.#vault.lock(async () => {
        await this.end(login)
        // Done once: after that the login is refused, and its failure says so.
        if (/^(?:invalid|unauthorized)_client$/.test(error ?? '')) await forgetClient().catch(() => {})
      })
      throw new AuthorizationResponseError('refused', error)
    }
    this.answer = { code, login }
  }

  /** It is answered, whatever came of it. Only while locked. */
  async end(login: PendingLogin): Promise<void> {
    if (this.answer?.login.state === login.state) this.answer = undefined
    this.#begun.delete(login.state)
    try {
      if ((await this.#vault.read()).login?.state === login.state) await this.#vault.change({ login: undefined })
    } catch {
      // One that cannot be taken away is too old soon, or is replaced by the next.
    }
    if (this.#pending?.state === login.state) this.await(undefined)
  }

  async #loginOf(state: string | undefined): Promise<PendingLogin> {
    const own = state === undefined ? undefined : this.#begun.get(state)
    const login = own ?? (await this.#vault.read()).login ?? this.#pending
    if (state === undefined || login?.state !== state) throw new AuthorizationResponseError('state')
    return login
  }
}
