import type { AuthOutcome } from '../../machines/types.js'
import { AuthorizationResponseError } from '../errors.js'
import type { AccessToken } from '../wire/index.js'
import {
  type AuthorizationResponse,
  type Credentials,
  type CredentialsListener,
  type LoginRequest,
  nextEpoch,
  type Refusal,
  type Site,
} from './authorizer.js'
import { clientFor, knownClient } from './clients.js'
import { type Discovered, discover, isSameIssuer } from './discovery.js'
import { failedBy, stepEvidence, unusable } from './failure.js'
import { byClient, byCode, byRefresh, type Grant, type GrantContext } from './grants.js'
import { checkIssuer, makeLogin, readAnswer, scopeFor } from './login.js'
import { Messenger } from './messenger.js'
import { covers, unite } from './scopes.js'
import type { OAuthSetup } from './setup.js'
import { expiresAtMs, refreshAtMs, type StoredTokens, withExpiry } from './tokens.js'
import type { PendingLogin, Remembered, Vault } from './vault.js'

/** A login that another process began is waited for so long; then it may have died, and another is begun. */
const LOGIN_LEASE_MS = 600_000
/** A refresh that comes a little before its time is not sent back to wait for it. */
const DUE_MS = 1_000

/**
 * OAuth for one connection. The SDK finds, registers and asks; when to do which of it, and what a failure means, is
 * decided here (SDK traps 7–10): one refresh at a time under the lock of what is remembered, nothing thrown away but
 * what is refused for certain, more scope by a login and never by a refresh.
 */
export class OAuthCredentials implements Credentials {
  readonly #site: Site
  readonly #setup: OAuthSetup
  readonly #vault: Vault
  readonly #listeners = new Set<CredentialsListener>()
  #unwatch: (() => void) | undefined
  #tokens: StoredTokens | undefined
  #epoch = 0
  /** What is remembered was read and is told of when it changes. */
  #isKnown = false
  #found: Discovered | undefined
  /** Logins of this connection that may still be answered: an older browser window may be the one that is used. */
  readonly #logins = new Map<string, PendingLogin>()
  #pending: PendingLogin | undefined
  #answer: { readonly code: string; readonly login: PendingLogin } | undefined
  /** Scopes that were asked for since this connection began. */
  #asked: string | undefined
  /** A client was thrown away because the server had forgotten it; not done twice in a row. */
  #clientForgotten = false
  /** The newest credential that a server refused. */
  #refusedEpoch = 0
  /** A refresh token that is not used again, and an access token that is not: refused, but not thrown away. */
  #spent: { readonly refresh: string; readonly access?: string } | undefined
  #wasRead = false
  /** What could not be written is newer than what is remembered. */
  #unsaved: StoredTokens | undefined
  #refreshing: Promise<AuthOutcome> | undefined
  #beginning: Promise<void> | undefined
  #exchanging: Promise<AuthOutcome> | undefined

  constructor(site: Site, setup: OAuthSetup, vault: Vault) {
    this.#site = site
    this.#setup = setup
    this.#vault = vault
  }

  get pending(): LoginRequest | undefined {
    const login = this.#pending
    if (!login) return undefined
    return { url: new URL(login.url), redirectUrl: login.redirectUrl, begunHere: this.#logins.has(login.state) }
  }

  get answered(): boolean {
    return this.#answer !== undefined
  }

  async token(): Promise<AccessToken | undefined> {
    if (!this.#isKnown) await this.look()
    const tokens = this.#tokens
    if (!tokens) return undefined
    const end = expiresAtMs(tokens)
    const state = end !== undefined && this.#site.clock.now() >= end ? 'expired' : 'fresh'
    return { value: tokens.access_token, epoch: this.#epoch, state }
  }

  async look(): Promise<void> {
    if (!this.#unsaved) this.#adopt(await this.#vault.read(), 'elsewhere')
    this.#isKnown = this.#unwatch !== undefined
  }

  watch(listener: CredentialsListener): () => void {
    this.#listeners.add(listener)
    this.#unwatch ??= this.#vault.watch?.(() => {
      // What cannot be read now is read by the next request.
      this.look().catch(() => {
        this.#isKnown = false
      })
    })
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#unwatch?.()
      this.#unwatch = undefined
      this.#isKnown = false
    }
  }

  refresh(refusal?: Refusal): Promise<AuthOutcome> {
    this.#refreshing ??= this.#refresh(refusal)
      .catch((error) => failedBy(error, 'refreshing the credential'))
      .finally(() => {
        this.#refreshing = undefined
      })
    return this.#refreshing
  }

  async #refresh(refusal: Refusal | undefined): Promise<AuthOutcome> {
    this.#noteRefusal(refusal)
    if (this.#answer) return this.exchange()
    return this.#vault.lock(async () => {
      const read = await this.#vault.read()
      const remembered = this.#unsaved ? { ...read, tokens: this.#unsaved } : read
      this.#adopt(remembered, 'here')
      const tokens = this.#tokens
      // Another process, or another connection, has got one meanwhile (report 04.02).
      if (tokens && this.#isNewer(refusal)) return this.#granted(tokens)
      if (tokens && !refusal && !this.#isDue(tokens)) return this.#granted(tokens)
      const wanted = refusal?.insufficientScope ? unite(tokens?.scope, this.#asked, refusal.scope) : undefined
      if (!this.#setup.redirectUrl) return this.#byClient(remembered, refusal, wanted)
      // More scope is given by a login alone (SDK trap 10), and without a refresh token there is nothing to refresh by.
      if (!tokens?.refresh_token || refusal?.insufficientScope) return { type: 'needs-user' }
      return this.#byRefresh(remembered, tokens, tokens.refresh_token, refusal)
    })
  }

  async #byRefresh(
    remembered: Remembered,
    tokens: StoredTokens,
    refreshToken: string,
    refusal: Refusal | undefined,
  ): Promise<AuthOutcome> {
    const context = await this.#context(remembered, [refreshToken], refusal)
    // A refresh token is shown to nobody but who gave it.
    if (typeof tokens.issuer === 'string' && !isSameIssuer(tokens.issuer, context.found.issuer))
      return { type: 'needs-user' }
    if (!context.client && !this.#setup.addClientAuthentication) return { type: 'needs-user' }
    const startedAt = this.#site.clock.now()
    const grant = await byRefresh(context, refreshToken)
    if ('tokens' in grant) {
      const { scope, login_id } = tokens
      return this.#keep(
        { ...(scope && { scope }), ...grant.tokens, ...(login_id && { login_id }) },
        startedAt,
        context.found,
      )
    }
    return this.#refused(grant, tokens, refreshToken, refusal)
  }

  /** Throws away only what was refused for certain, and only if it is still what is remembered. */
  async #refused(
    grant: Extract<Grant, { verdict: unknown }>,
    tokens: StoredTokens,
    refreshToken: string,
    refusal: Refusal | undefined,
  ): Promise<AuthOutcome> {
    this.#found = undefined
    if (grant.verdict === 'passing') return { type: 'failed', evidence: grant.evidence }
    const now = await this.#vault.read()
    if (now.tokens && now.tokens.refresh_token !== refreshToken) {
      this.#adopt(now, 'here')
      return this.#granted(now.tokens)
    }
    // The access token serves for as long as the server takes it.
    const { refresh_token: _refused, ...rest } = tokens
    const kept = refusal ? undefined : rest
    if (grant.verdict === 'client') {
      await this.#forgetClient({ tokens: kept })
      this.#adopt({ ...now, tokens: kept }, 'here')
      return { type: 'needs-user' }
    }
    // Words of the provider's own may mean something else: such a login is not used again, but not thrown away either.
    const isCertain = grant.evidence.http?.body?.includes('"invalid_grant"') === true
    if (isCertain) await this.#vault.change({ tokens: kept })
    else this.#spent = { refresh: refreshToken, ...(refusal && { access: tokens.access_token }) }
    this.#adopt({ ...now, tokens: kept }, 'here')
    return { type: 'failed', evidence: grant.evidence }
  }

  async #byClient(
    remembered: Remembered,
    refusal: Refusal | undefined,
    wanted: string | undefined,
  ): Promise<AuthOutcome> {
    const context = await this.#context(remembered, [], refusal)
    if (remembered.client && !context.client) {
      const summary = 'the server names another authorization server than the credentials are for'
      return { type: 'failed', evidence: stepEvidence(summary, { subject: 'credential' }) }
    }
    const scope = wanted ?? this.#setup.clientMetadata().scope ?? refusal?.scope ?? context.found.scope
    const startedAt = this.#site.clock.now()
    const grant = await byClient(context, scope)
    if ('tokens' in grant) {
      this.#asked = unite(this.#asked, scope)
      return this.#keep(grant.tokens, startedAt, context.found)
    }
    this.#found = undefined
    const { evidence, verdict } = grant
    // Nobody can log in here: what is refused stays refused until the configuration changes.
    return { type: 'failed', evidence: verdict === 'passing' ? evidence : { ...evidence, subject: 'credential' } }
  }

  async stepUp(refusal: Refusal): Promise<AuthOutcome> {
    this.#noteRefusal(refusal)
    try {
      if (this.#tokens && this.#isNewer(refusal)) return this.#granted(this.#tokens)
      const wanted = unite(this.#tokens?.scope, this.#asked, refusal.scope)
      const isAwaited = this.#pending !== undefined && covers(this.#pending.scope, wanted)
      if (refusal.scope === undefined || (covers(this.#asked, wanted) && !isAwaited)) {
        // It was asked for already, or nobody knows what to ask for: once more would change nothing.
        const summary = `the server wants more scope than was given${refusal.scope === undefined ? ', without naming it' : ''}`
        return { type: 'failed', evidence: stepEvidence(summary, { subject: 'credential' }) }
      }
      if (!this.#setup.redirectUrl) {
        return await this.#vault.lock(async () => this.#byClient(await this.#vault.read(), refusal, wanted))
      }
      await this.begin(refusal)
      return { type: 'needs-user' }
    } catch (error) {
      return failedBy(error, 'asking for more scope')
    }
  }

  begin(refusal?: Refusal): Promise<void> {
    this.#beginning ??= this.#vault
      .lock(() => this.#begin(refusal))
      .finally(() => {
        this.#beginning = undefined
      })
    return this.#beginning
  }

  async #begin(refusal: Refusal | undefined): Promise<void> {
    if (!this.#setup.redirectUrl) throw unusable('nobody can log in here: there is no redirect URL')
    this.#noteRefusal(refusal)
    const remembered = await this.#vault.read()
    const stepsUp = refusal?.insufficientScope === true
    this.#adopt(remembered, 'elsewhere')
    // Somebody has logged in elsewhere meanwhile, and whoever waits for it has been told.
    if (this.#tokens && !stepsUp && this.#isNewer(refusal)) return
    const wanted = stepsUp ? unite(this.#tokens?.scope, this.#asked, refusal.scope) : refusal?.scope
    const { login } = remembered
    const isShared = login && this.#site.clock.now() - login.startedAt < LOGIN_LEASE_MS
    if (login && isShared && (!stepsUp || covers(login.scope, wanted))) {
      this.#await(login)
      return
    }
    const messenger = new Messenger(this.#site)
    // Found out anew: the server may have gone to another authorization server since.
    this.#found = await discover(this.#site.url, this.#setup, messenger, refusal?.resourceMetadataUrl)
    const scope = scopeFor(this.#setup, this.#found, wanted)
    const client = await clientFor(this.#vault, this.#setup, this.#found, scope, messenger)
    const begun = await makeLogin(this.#setup, this.#found, client, scope, this.#site.clock.now())
    await this.#vault.change({ login: begun })
    this.#logins.set(begun.state, begun)
    for (const [oldest] of this.#logins) if (this.#logins.size > 3) this.#logins.delete(oldest)
    this.#await(begun)
    await this.#setup.onLogin?.(new URL(begun.url))
  }

  #await(login: PendingLogin | undefined): void {
    if (login?.state === this.#pending?.state) return
    this.#pending = login
    for (const listener of this.#listeners) listener.login()
  }

  async answer(response: AuthorizationResponse): Promise<void> {
    const answer = readAnswer(response)
    const login = await this.#loginOf(answer.state)
    checkIssuer(answer, login)
    if (answer.error !== undefined || answer.code === undefined) {
      // Whatever was refused, this login is over; the next one has a state of its own.
      await this.#endLogin(login, /^(?:invalid|unauthorized)_client$/.test(answer.error ?? ''))
      throw new AuthorizationResponseError('refused', answer.error)
    }
    this.#answer = { code: answer.code, login }
  }

  async #loginOf(state: string | undefined): Promise<PendingLogin> {
    const own = state === undefined ? undefined : this.#logins.get(state)
    const login = own ?? this.#pending ?? (await this.#vault.read()).login
    if (state === undefined || login?.state !== state) throw new AuthorizationResponseError('state')
    return login
  }

  async #endLogin(login: PendingLogin, forgetsClient: boolean): Promise<void> {
    await this.#vault.lock(async () => {
      await this.#dropLogin(login)
      if (forgetsClient) await this.#forgetClient()
    })
  }

  async #dropLogin(login: PendingLogin): Promise<void> {
    this.#logins.delete(login.state)
    if ((await this.#vault.read()).login?.state === login.state) await this.#vault.change({ login: undefined })
    if (this.#pending?.state === login.state) this.#await(undefined)
  }

  exchange(): Promise<AuthOutcome> {
    this.#exchanging ??= this.#vault
      .lock(() => this.#exchange())
      .catch((error) => failedBy(error, 'exchanging the answer of the login'))
      .finally(() => {
        this.#exchanging = undefined
      })
    return this.#exchanging
  }

  async #exchange(): Promise<AuthOutcome> {
    const answer = this.#answer
    if (!answer) return { type: 'needs-user' }
    const { code, login } = answer
    const remembered = await this.#vault.read()
    const context = await this.#context(remembered, [code, login.verifier])
    const startedAt = this.#site.clock.now()
    const grant = await byCode(context, code, login)
    // The server, or the way to it, is not well: the answer is kept and tried again, as long as the server takes it.
    if ('verdict' in grant && grant.verdict === 'passing') return { type: 'failed', evidence: grant.evidence }
    this.#answer = undefined
    await this.#dropLogin(login)
    if ('tokens' in grant) {
      this.#clientForgotten = false
      const { scope } = login
      this.#asked = unite(this.#asked, scope)
      const found = { ...context.found, issuer: login.issuer }
      return this.#keep({ ...(scope && { scope }), ...grant.tokens, login_id: login.state }, startedAt, found)
    }
    this.#found = undefined
    if (grant.verdict === 'login') return { type: 'failed', evidence: grant.evidence }
    await this.#forgetClient()
    return { type: 'needs-user' }
  }

  /** A client that the server has forgotten is registered again, once (report 04.06). */
  async #forgetClient(change: Remembered = {}): Promise<void> {
    if (this.#clientForgotten || !this.#setup.registers) {
      throw unusable('the authorization server does not accept this client')
    }
    this.#clientForgotten = true
    await this.#vault.change({ ...change, client: undefined, login: undefined })
    this.#await(undefined)
  }

  async #context(remembered: Remembered, secrets: readonly string[], refusal?: Refusal): Promise<GrantContext> {
    const { client_secret } = remembered.client ?? {}
    const messenger = new Messenger(this.#site, [...secrets, client_secret])
    this.#found ??= await discover(this.#site.url, this.#setup, messenger, refusal?.resourceMetadataUrl)
    const client = knownClient(remembered, this.#found.issuer)
    return { setup: this.#setup, found: this.#found, client, messenger }
  }

  /** Remembers what was got. */
  async #keep(tokens: StoredTokens, startedAt: number, { issuer }: Discovered): Promise<AuthOutcome> {
    const kept = { ...withExpiry(tokens, startedAt), issuer }
    // Before it is written: writing tells, and what is told would be taken for somebody else's.
    this.#adopt({ tokens: kept }, 'here')
    this.#unsaved = kept
    try {
      await this.#vault.change({ tokens: kept })
      this.#unsaved = undefined
    } catch {
      // The refresh token of before may be spent already: what cannot be written now is used, and written with the next.
    }
    return this.#granted(kept)
  }

  #isNewer(refusal: Refusal | undefined): boolean {
    return refusal !== undefined && this.#epoch > Math.max(this.#refusedEpoch, refusal.credentialEpoch ?? 0)
  }

  #noteRefusal(refusal: Refusal | undefined): void {
    this.#refusedEpoch = Math.max(this.#refusedEpoch, refusal?.credentialEpoch ?? 0)
  }

  #isDue(tokens: StoredTokens): boolean {
    const now = this.#site.clock.now()
    return (refreshAtMs(tokens, now) ?? 0) <= now + DUE_MS
  }

  #granted(tokens: StoredTokens): AuthOutcome {
    const refreshAt = this.#refreshAt(tokens)
    return { type: 'granted', epoch: this.#epoch, ...(refreshAt !== undefined && { refreshAt }) }
  }

  /** Without a way to refresh, a token is used until it is refused (report 04.08). */
  #refreshAt(tokens: StoredTokens): number | undefined {
    const can = tokens.refresh_token !== undefined || !this.#setup.redirectUrl
    return can ? refreshAtMs(tokens, this.#site.clock.now()) : undefined
  }

  /** What was refused, but not for certain, is left where it is and not used again. */
  #usable(tokens: StoredTokens | undefined): StoredTokens | undefined {
    if (!tokens || tokens.refresh_token === undefined || tokens.refresh_token !== this.#spent?.refresh) return tokens
    if (tokens.access_token === this.#spent.access) return undefined
    const { refresh_token: _spent, ...rest } = tokens
    return rest
  }

  /** What is remembered is what counts. `here`: whoever reads it goes on with it and need not be told. */
  #adopt({ tokens: read, login }: Remembered, from: 'here' | 'elsewhere'): void {
    const before = this.#tokens
    const tokens = this.#usable(read)
    const isFirst = !this.#wasRead
    this.#wasRead = true
    this.#tokens = tokens
    if (tokens && tokens.access_token !== before?.access_token) {
      this.#epoch = nextEpoch()
      const isOurs = before?.login_id !== undefined && before.login_id === tokens.login_id
      const refreshAt = this.#refreshAt(tokens)
      const change = {
        epoch: this.#epoch,
        ...(refreshAt !== undefined && { refreshAt }),
        renewed: isFirst || isOurs || from === 'here',
      }
      for (const listener of this.#listeners) listener.changed(change)
      // A login that is still open was for more scope, or is not needed any more.
      if (this.#pending && covers(tokens.scope, this.#pending.scope)) this.#await(undefined)
    }
    if (login && this.#pending && !this.#logins.has(this.#pending.state)) this.#await(login)
  }
}
