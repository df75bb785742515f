import type { AuthOutcome } from '../../machines/types.js'
import { type AccessToken, WireError } from '../wire/index.js'
import {
  type Authorizer,
  type Credentials,
  type CredentialsListener,
  nextEpoch,
  type Refusal,
  type Site,
} from './authorizer.js'
import { failedBy, stepEvidence } from './failure.js'
import { jwtTimes, refreshAtMs } from './tokens.js'

/** The simplest authorizer: an API key, or a token that is got in a way of your own. */
export interface TokenSource {
  /** The token to send as `Bearer`; `undefined`: none. Asked before every request, so it should be at hand. */
  token(): string | undefined | Promise<string | undefined>
  /**
   * Gets another token, which `token()` gives from then on. Called once at a time: when a server refused the token, and
   * ahead of its end where the token is a JWT that names it. Without it, a refused token ends in `failed` until
   * `token()` gives another and `retry()` is called.
   */
  refresh?(): unknown
}

export const isTokenSource = (value: object): value is TokenSource =>
  'token' in value && typeof value.token === 'function'

/** An authorizer out of a {@link TokenSource}; one refresh at a time for all connections that use it. */
export function tokenAuthorizer(source: TokenSource): Authorizer {
  const shared = flights.get(source) ?? { refreshing: undefined }
  flights.set(source, shared)
  return { attach: (site) => new SourceCredentials(site, source, shared) }
}

interface Shared {
  refreshing: Promise<unknown> | undefined
}

/** By source, by however many connections it is used. */
const flights = new WeakMap<TokenSource, Shared>()

class SourceCredentials implements Credentials {
  readonly pending = undefined
  readonly answered = false
  readonly #site: Site
  readonly #source: TokenSource
  readonly #shared: Shared
  readonly #listeners = new Set<CredentialsListener>()
  #value: string | undefined
  #epoch = 0
  #since = 0

  constructor(site: Site, source: TokenSource, shared: Shared) {
    this.#site = site
    this.#source = source
    this.#shared = shared
  }

  async token(): Promise<AccessToken | undefined> {
    await this.look()
    const value = this.#value
    if (value === undefined) return undefined
    const { exp } = jwtTimes(value)
    const isOver = exp !== undefined && this.#site.clock.now() >= exp * 1000
    const ageMs = Math.max(0, this.#site.clock.now() - this.#since)
    return { value, epoch: this.#epoch, state: isOver ? 'expired' : 'fresh', ageMs }
  }

  async look(): Promise<void> {
    const value = usable(await this.#source.token())
    if (value === this.#value) return
    this.#value = value
    if (value === undefined) return
    this.#epoch = nextEpoch()
    this.#since = this.#site.clock.now()
    for (const listener of this.#listeners) listener.changed({ epoch: this.#epoch, ...this.#due(), renewed: true })
  }

  async refresh(refusal?: Refusal): Promise<AuthOutcome> {
    try {
      const refused = refusal ? (refusal.credentialEpoch ?? 0) : this.#epoch
      await this.look()
      if (this.#epoch > refused) return this.#granted()
      if (this.#source.refresh) {
        this.#shared.refreshing ??= Promise.resolve(this.#source.refresh()).finally(() => {
          this.#shared.refreshing = undefined
        })
        await this.#shared.refreshing
        await this.look()
        if (this.#epoch > refused) return this.#granted()
      }
      const none = this.#value === undefined ? 'there is no token' : 'the token is refused, and there is no other'
      return { type: 'failed', evidence: stepEvidence(none, { subject: 'credential' }) }
    } catch (error) {
      return failedBy(error, 'refreshing the token')
    }
  }

  /** Where tokens come from, nobody but the application can ask for more scope. */
  stepUp(refusal: Refusal): Promise<AuthOutcome> {
    return this.refresh(refusal)
  }

  async begin(): Promise<void> {
    throw new WireError(stepEvidence('nobody can log in with this authorizer', { subject: 'credential' }))
  }

  async answer(): Promise<void> {
    await this.begin()
  }

  async exchange(): Promise<AuthOutcome> {
    return { type: 'needs-user' }
  }

  watch(listener: CredentialsListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #granted(): AuthOutcome {
    return { type: 'granted', epoch: this.#epoch, ...this.#due() }
  }

  #due(): { refreshAt?: number } {
    if (!this.#source.refresh || this.#value === undefined) return {}
    const refreshAt = refreshAtMs({ access_token: this.#value, token_type: 'Bearer' }, this.#site.clock.now())
    return refreshAt === undefined ? {} : { refreshAt }
  }
}

/** Read from a file or a terminal, a token ends in a newline, with which no request can be made. */
function usable(token: string | undefined): string | undefined {
  const value = token?.trim() || undefined
  if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return value
  throw new WireError(stepEvidence('the token holds characters that no header may hold', { subject: 'credential' }))
}
