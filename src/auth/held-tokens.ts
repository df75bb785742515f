import type { AuthOutcome } from '../../machines/types.js'
import type { Clock } from '../clock.js'
import type { AccessToken } from '../wire/index.js'
import { type CredentialsChange, nextEpoch, type Refusal } from './authorizer.js'
import { expiresAtMs, refreshAtMs, type StoredTokens } from './tokens.js'

/** A refresh that comes a little before its time is not sent back to wait for it. */
const DUE_MS = 1_000

/** The tokens that one connection goes by: numbered, with what was refused of them. */
export class HeldTokens {
  readonly #clock: Clock
  /** Tokens are got again without a refresh token: by a secret of the client. */
  readonly #renewsItself: boolean
  tokens: StoredTokens | undefined
  /** Rises with whatever is taken here: what was read before that is out of date. */
  version = 0
  /** What could not be written is newer than what is remembered. */
  unsaved: StoredTokens | undefined
  #epoch = 0
  /** When the access token came here, as a time of the clock. */
  #since = 0
  /** The newest credential that a server refused. */
  #refusedEpoch = 0
  /** Refused, but not for certain: left where it is remembered, and not used again. */
  #spent: { readonly refresh: string; readonly access?: string } | undefined
  #wasRead = false

  constructor(clock: Clock, renewsItself: boolean) {
    this.#clock = clock
    this.#renewsItself = renewsItself
  }

  get scope(): string | undefined {
    return this.tokens?.scope
  }

  get access(): AccessToken | undefined {
    if (!this.tokens) return undefined
    const end = expiresAtMs(this.tokens)
    const state = end !== undefined && this.#clock.now() >= end ? 'expired' : 'fresh'
    return {
      value: this.tokens.access_token,
      epoch: this.#epoch,
      state,
      ageMs: Math.max(0, this.#clock.now() - this.#since),
    }
  }

  /** What is remembered is what counts. Returns what is to be told: that there is another credential than before. */
  take(remembered: StoredTokens | undefined, from: 'here' | 'elsewhere'): CredentialsChange | undefined {
    const before = this.tokens
    const tokens = this.#usable(remembered)
    const isFirst = !this.#wasRead
    this.#wasRead = true
    this.tokens = tokens
    if (from === 'here') this.version += 1
    if (!tokens || tokens.access_token === before?.access_token) return undefined
    this.#epoch = nextEpoch()
    this.#since = this.#clock.now()
    const isOfSameLogin = before?.login_id !== undefined && before.login_id === tokens.login_id
    return { epoch: this.#epoch, ...this.#due(tokens), renewed: isFirst || from === 'here' || isOfSameLogin }
  }

  refuse(refusal: Refusal | undefined): void {
    this.#refusedEpoch = Math.max(this.#refusedEpoch, refusal?.credentialEpoch ?? 0)
  }

  /** The refresh token is not used again; nor is the access token, if that was refused, too. */
  spend(refresh: string, access: string | undefined): void {
    this.#spent = { refresh, ...(access !== undefined && { access }) }
  }

  /** There is a credential that is not the refused one. */
  isNewerThan(refusal: Refusal | undefined): boolean {
    if (!refusal || !this.tokens) return false
    return this.#epoch > Math.max(this.#refusedEpoch, refusal.credentialEpoch ?? 0)
  }

  get isDue(): boolean {
    const now = this.#clock.now()
    return this.tokens === undefined || (refreshAtMs(this.tokens, now) ?? 0) <= now + DUE_MS
  }

  granted(): AuthOutcome {
    return { type: 'granted', ...this.state }
  }

  get state(): { epoch: number; refreshAt?: number } {
    return { epoch: this.#epoch, ...(this.tokens && this.#due(this.tokens)) }
  }

  /** Without a way to refresh, a token is used until it is refused (report 04.08). */
  #due(tokens: StoredTokens): { refreshAt?: number } {
    const canRefresh = tokens.refresh_token !== undefined || this.#renewsItself
    const refreshAt = canRefresh ? refreshAtMs(tokens, this.#clock.now()) : undefined
    return refreshAt === undefined ? {} : { refreshAt }
  }

  #usable(tokens: StoredTokens | undefined): StoredTokens | undefined {
    if (!tokens || tokens.refresh_token === undefined || tokens.refresh_token !== this.#spent?.refresh) return tokens
    if (tokens.access_token === this.#spent.access) return undefined
    const { refresh_token: _spent, ...rest } = tokens
    return rest
  }
}
