import type { AuthOutcome } from '../../machines/types.js'
import type { AccessToken } from '../wire/index.js'
import type {
  AuthorizationResponse,
  Credentials,
  CredentialsChange,
  CredentialsListener,
  LoginRequest,
  Refusal,
  Site,
} from './authorizer.js'
import { isSameClient, knownClient } from './clients.js'
import { type Discovered, discover, isSameIssuer } from './discovery.js'
import { failedBy, stepEvidence, unusable } from './failure.js'
import { byClient, byCode, byRefresh, type Grant, type GrantContext } from './grants.js'
import { HeldTokens } from './held-tokens.js'
import { Logins } from './logins.js'
import { Messenger } from './messenger.js'
import { covers, unite } from './scopes.js'
import type { OAuthSetup } from './setup.js'
import { type StoredTokens, withExpiry } from './tokens.js'
import type { Remembered, Vault } from './vault.js'

/**
 * OAuth for one connection. The SDK finds, registers and asks; when to do which of it, and what a failure means, is
 * decided here (SDK traps 7–10): one refresh at a time under the lock of what is remembered, nothing thrown away but
 * what is refused for certain, more scope by a login and never by a refresh.
 */
export class OAuthCredentials implements Credentials {
  readonly #site: Site
  readonly #setup: OAuthSetup
  readonly #vault: Vault
  readonly #held: HeldTokens
  readonly #logins: Logins
  readonly #listeners = new Set<CredentialsListener>()
  #unwatch: (() => void) | undefined
  /** What is remembered was read and is told of when it changes. */
  #isKnown = false
  #found: Discovered | undefined
  /** Scopes that were asked for, and given or refused, since this connection began. */
  #asked: string | undefined
  /** A client was thrown away because the server had forgotten it; not done twice in a row. */
  #clientForgotten = false
  #refreshing: Promise<AuthOutcome> | undefined
  #beginning: Promise<void> | undefined
  #exchanging: Promise<AuthOutcome> | undefined

  constructor(site: Site, setup: OAuthSetup, vault: Vault) {
    this.#site = site
    this.#setup = setup
    this.#vault = vault
    this.#held = new HeldTokens(site.clock, !setup.redirectUrl)
    this.#logins = new Logins(site, setup, vault, () => {
      for (const listener of this.#listeners) listener.login()
    })
  }

  get pending(): LoginRequest | undefined {
    return this.#logins.request
  }

  get answered(): boolean {
    return this.#logins.answer !== undefined
  }

  async token(): Promise<AccessToken | undefined> {
    if (!this.#isKnown) await this.look()
    return this.#held.access
  }

  async look(): Promise<void> {
    const { version } = this.#held
    const remembered = await this.#vault.read()
    // What was got here meanwhile is newer than what was read, and so is what could not be written.
    if (version === this.#held.version && !this.#held.unsaved) this.#adopt(remembered, 'elsewhere')
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

  async refresh(refusal?: Refusal): Promise<AuthOutcome> {
    const underWay = this.#refreshing
    this.#refreshing ??= this.#refresh(refusal)
      .catch((error) => failedBy(error, 'refreshing the credential'))
      .finally(() => {
        this.#refreshing = undefined
      })
    const outcome = await this.#refreshing
    // One that was begun ahead of time may have found that it was not due, and this credential is refused.
    const isVain = underWay && refusal && outcome.type === 'granted' && !this.#held.isNewerThan(refusal)
    return isVain ? this.refresh(refusal) : outcome
  }

  async #refresh(refusal: Refusal | undefined): Promise<AuthOutcome> {
    const held = this.#held
    held.refuse(refusal)
    if (this.answered) return this.exchange()
    return this.#vault.lock(async () => {
      const read = await this.#vault.read()
      const remembered = held.unsaved ? { ...read, tokens: held.unsaved } : read
      this.#adopt(remembered, 'here')
      // Another process, or another connection, has got one meanwhile (report 04.02).
      if (held.isNewerThan(refusal) || (!refusal && !held.isDue)) return held.granted()
      const wanted = refusal?.insufficientScope ? unite(held.scope, this.#asked, refusal.scope) : undefined
      if (!this.#setup.redirectUrl) return this.#byClient(remembered, refusal, wanted)
      const { tokens } = held
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
    const present = await this.#context(remembered, [refreshToken, tokens.client?.client_secret], refusal)
    const context = { ...present, client: tokens.client ?? present.client }
    // A refresh token is shown to nobody but who gave it.
    const issuer = issuerOf(tokens)
    if (issuer !== undefined && !isSameIssuer(issuer, context.found.issuer)) return { type: 'needs-user' }
    if (!context.client && !this.#setup.addClientAuthentication) return { type: 'needs-user' }
    const startedAt = this.#site.clock.now()
    const grant = await byRefresh(context, refreshToken)
    if ('verdict' in grant) return this.#refused(grant, tokens, refreshToken, refusal)
    const { scope, login_id, client } = tokens
    const got = { ...(scope && { scope }), ...grant.tokens, ...(login_id && { login_id }), ...(client && { client }) }
    return this.#keep(got, startedAt, context.found.issuer)
  }

  /** Throws away only what was refused for certain, and only if it is still what is remembered (promise P13). */
  async #refused(
    { verdict, evidence }: Extract<Grant, { verdict: unknown }>,
    tokens: StoredTokens,
    refreshToken: string,
    refusal: Refusal | undefined,
  ): Promise<AuthOutcome> {
    this.#found = undefined
    if (verdict === 'passing') return { type: 'failed', evidence }
    // What could not be written is worth nothing now; what others have written counts again.
    this.#held.unsaved = undefined
    const now = await this.#vault.read()
    if (now.tokens && now.tokens.refresh_token !== refreshToken) {
      this.#adopt(now, 'here')
      return this.#held.granted()
    }
    // The access token serves for as long as the server takes it.
    const { refresh_token: _refused, ...rest } = tokens
    const kept = refusal ? undefined : rest
    const isFormer = tokens.client !== undefined && !isSameClient(tokens.client, now.client)
    if (verdict === 'client' && !isFormer) await this.#forgetClient({ tokens: kept })
    else if (verdict === 'client') await this.#vault.change({ tokens: kept })
    // Words of the provider's own may mean something else: such a login is not used again, but not thrown away either.
    else if (evidence.http?.body?.includes('"invalid_grant"')) await this.#vault.change({ tokens: kept })
    else this.#held.spend(refreshToken, refusal && tokens.access_token)
    this.#adopt({ ...now, tokens: kept }, 'here')
    return verdict === 'client' ? { type: 'needs-user' } : { type: 'failed', evidence }
  }

  async #byClient(
    remembered: Remembered,
    refusal: Refusal | undefined,
    wanted: string | undefined,
  ): Promise<AuthOutcome> {
    const context = await this.#context(remembered, [], refusal)
    if (remembered.client && !context.client) {
      return this.#vain('the server names another authorization server than the credentials are for')
    }
    const unnamed = refusal?.insufficientScope && refusal.scope === undefined ? context.found.scope : undefined
    const scope = unite(wanted, unnamed) ?? this.#setup.clientMetadata().scope ?? refusal?.scope ?? context.found.scope
    const startedAt = this.#site.clock.now()
    const grant = await byClient(context, scope)
    if ('tokens' in grant) {
      const outcome = await this.#keep(grant.tokens, startedAt, context.found.issuer)
      this.#asked = unite(this.#asked, scope)
      return outcome
    }
    this.#found = undefined
    const { evidence, verdict } = grant
    // Nobody can log in here: what is refused stays refused until the configuration changes.
    return { type: 'failed', evidence: verdict === 'passing' ? evidence : { ...evidence, subject: 'credential' } }
  }

  async stepUp(refusal: Refusal): Promise<AuthOutcome> {
    const held = this.#held
    held.refuse(refusal)
    try {
      if (held.isNewerThan(refusal)) return held.granted()
      // An answer that came while nobody could use it: no other would come for this login.
      if (this.answered) return await this.exchange()
      const scope = refusal.scope ?? (await this.#everyScope(refusal))
      const had = refusal.scope === undefined ? unite(held.scope, this.#asked) : this.#asked
      const wanted = unite(held.scope, this.#asked, scope)
      if (scope === undefined) return this.#vain('the server wants more scope, and does not name it')
      if (covers(had, wanted) && !this.#logins.awaits(wanted)) {
        return this.#vain('the server wants more scope, but that was asked for already')
      }
      if (!this.#setup.redirectUrl) {
        return await this.#vault.lock(async () => this.#byClient(await this.#vault.read(), refusal, wanted))
      }
      await this.begin({ ...refusal, ...(scope !== undefined && { scope }) })
      // It may have come while others held the lock.
      return this.answered ? await this.exchange() : { type: 'needs-user' }
    } catch (error) {
      return failedBy(error, 'asking for more scope')
    }
  }

  /** A refusal that names no scope may mean any that the resource has (specification 2025-11-25, scope selection). */
  async #everyScope(refusal: Refusal): Promise<string | undefined> {
    return (await this.#context(await this.#vault.read(), [], refusal)).found.scope
  }

  #vain(summary: string): AuthOutcome {
    return { type: 'failed', evidence: stepEvidence(summary, { subject: 'credential' }) }
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
    this.#held.refuse(refusal)
    const remembered = await this.#vault.read()
    const stepsUp = refusal?.insufficientScope === true
    this.#adopt(remembered, 'elsewhere')
    // Somebody has logged in elsewhere meanwhile. It may have been told before anybody waited for it.
    const isMet = this.#held.isNewerThan(refusal) && (!stepsUp || covers(this.#held.scope, refusal.scope))
    if (isMet) return this.#tell({ ...this.#held.state, renewed: false })
    const wanted = stepsUp ? unite(this.#held.scope, this.#asked, refusal.scope) : refusal?.scope
    if (this.#logins.share(remembered.login, stepsUp ? wanted : undefined)) return
    // Found out anew: the server may have gone to another authorization server since.
    const messenger = new Messenger(this.#site)
    this.#found = await discover(this.#site.url, this.#setup, messenger, refusal?.resourceMetadataUrl)
    const unnamed = stepsUp && refusal.scope === undefined ? this.#found.scope : undefined
    await this.#logins.begin(this.#found, unite(wanted, unnamed), messenger)
  }

  async answer(response: AuthorizationResponse): Promise<void> {
    await this.#logins.take(response, () => this.#forgetClient())
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
    const { answer } = this.#logins
    if (!answer) return { type: 'needs-user' }
    const { code, login } = answer
    const remembered = await this.#vault.read()
    const present = await this.#context(remembered, [code, login.verifier, login.client?.client_secret])
    const context = { ...present, client: login.client ?? present.client }
    // The server has gone to another authorization server meanwhile: the code is no business of that one's.
    if (!isSameIssuer(login.issuer, context.found.issuer)) {
      await this.#logins.end(login)
      return { type: 'needs-user' }
    }
    const startedAt = this.#site.clock.now()
    const grant = await byCode(context, code, login)
    // The server, or the way to it, is not well: the answer is kept and tried again, as long as the server takes it.
    if ('verdict' in grant && grant.verdict === 'passing') return { type: 'failed', evidence: grant.evidence }
    if ('tokens' in grant) {
      this.#clientForgotten = false
      const { scope, client } = login
      const got = { ...(scope && { scope }), ...grant.tokens, login_id: login.state, ...(client && { client }) }
      const outcome = await this.#keep(got, startedAt, login.issuer, { login: undefined })
      this.#asked = unite(this.#asked, scope)
      await this.#logins.end(login)
      return outcome
    }
    await this.#logins.end(login)
    this.#found = undefined
    if (grant.verdict === 'login') return { type: 'failed', evidence: grant.evidence }
    if (!login.client || isSameClient(login.client, remembered.client)) await this.#forgetClient()
    return { type: 'needs-user' }
  }

  /** A client that the server has forgotten is registered again, once (report 04.06). Only while locked. */
  async #forgetClient(change: Remembered = {}): Promise<void> {
    if (this.#clientForgotten || !this.#setup.registers) {
      throw unusable('the authorization server does not accept this client')
    }
    this.#clientForgotten = true
    await this.#vault.change({ ...change, client: undefined, login: undefined })
    this.#logins.await(undefined)
  }

  async #context(
    remembered: Remembered,
    secrets: readonly (string | undefined)[],
    refusal?: Refusal,
  ): Promise<GrantContext> {
    const { client_secret } = remembered.client ?? {}
    const messenger = new Messenger(this.#site, [...secrets, client_secret])
    const { answer } = this.#logins
    const known = answer?.login.issuer ?? issuerOf(remembered.tokens) ?? issuerOf(remembered.client)
    // Somebody has logged in with another one since; or what was found was a page that was shown for a while.
    if (this.#found && known !== undefined && !isSameIssuer(known, this.#found.issuer)) this.#found = undefined
    this.#found ??= await discover(this.#site.url, this.#setup, messenger, refusal?.resourceMetadataUrl, known)
    const client = knownClient(remembered, this.#found.issuer)
    return { setup: this.#setup, found: this.#found, client, messenger }
  }

  /** Remembers what was got. */
  async #keep(tokens: StoredTokens, startedAt: number, issuer: string, change: Remembered = {}): Promise<AuthOutcome> {
    const kept = { ...withExpiry(tokens, startedAt), issuer }
    // Before it is written: writing tells, and what is told would be taken for somebody else's.
    this.#adopt({ tokens: kept }, 'here')
    this.#held.unsaved = kept
    try {
      await this.#vault.change({ ...change, tokens: kept })
      this.#held.unsaved = undefined
    } catch {
      // The refresh token of before may be spent already: what cannot be written now is used, and written with the next.
    }
    return this.#held.granted()
  }

  #adopt({ tokens, login }: Remembered, from: 'here' | 'elsewhere'): void {
    const { scope } = this.#held
    const change = this.#held.take(tokens, from)
    // Scopes that a refresh has taken away, or that ended with their login, may be asked for again.
    if (!covers(this.#held.scope, scope)) this.#asked = undefined
    if (change) this.#tell(change)
    // A login that is still open was for more scope, or is not needed any more.
    if (change && this.#logins.isMetBy(this.#held.scope)) this.#logins.await(undefined)
    else this.#logins.follow(login)
  }

  #tell(change: CredentialsChange): void {
    for (const listener of this.#listeners) listener.changed(change)
  }
}

/** Who gave it. */
const issuerOf = ({ issuer }: { readonly issuer?: unknown } = {}): string | undefined =>
  typeof issuer === 'string' ? issuer : undefined
