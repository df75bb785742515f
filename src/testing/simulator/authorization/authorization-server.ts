import { createHash } from 'node:crypto'
import type { DrivenClock } from '../driven-clock.js'
import type { GrantTraits } from '../grant-traits.js'

/** Stands in every secret that is given out, so that it is known wherever it turns up. */
export const CANARY = 'canary'

/** An answer for a token. */
export interface GivenTokens {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in?: number
  readonly refresh_token?: string
  readonly scope: string
}

/** Why no token is given, in the words of OAuth. */
export type TokenRefusal = 'invalid_grant' | 'invalid_client'

/** What somebody has agreed to. */
interface Grant {
  readonly scope: string
  readonly client: string
  revoked: boolean
}

interface RefreshToken {
  readonly grant: Grant
  spentAt?: number
}

/** Who gives tokens, and knows which of them are good. It knows nothing of HTTP. */
export class AuthorizationServer {
  readonly clients = new Set<string>()
  readonly #traits: GrantTraits
  readonly #clock: DrivenClock
  readonly #access = new Map<string, { readonly grant: Grant; readonly endsAt: number }>()
  readonly #refresh = new Map<string, RefreshToken>()
  readonly #codes = new Map<string, { readonly grant: Grant; readonly challenge: string }>()
  #count = 0

  constructor(traits: GrantTraits, clock: DrivenClock) {
    this.#traits = traits
    this.#clock = clock
  }

  register(): string {
    this.#count += 1
    const client = `client-${this.#count}`
    this.clients.add(client)
    return client
  }

  /** Tokens for a login. */
  begin(client: string, scope: string): GivenTokens {
    return this.#give({ client, scope, revoked: false }, this.#traits.refreshes)
  }

  /** The person agrees; what the browser is sent back to. */
  agree(url: URL): URL {
    const of = (name: string) => url.searchParams.get(name) ?? ''
    const back = new URL(of('redirect_uri'))
    this.#count += 1
    const code = `${CANARY}-code-${this.#count}`
    const grant = { client: of('client_id'), scope: of('scope') || 'read', revoked: false }
    this.#codes.set(code, { grant, challenge: of('code_challenge') })
    back.searchParams.set('code', code)
    back.searchParams.set('state', of('state'))
    return back
  }

  exchange(code: string, verifier: string, client: string): GivenTokens | TokenRefusal {
    if (!this.clients.has(client)) return 'invalid_client'
    const found = this.#codes.get(code)
    this.#codes.delete(code)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    if (!found || found.grant.client !== client || found.challenge !== challenge) return 'invalid_grant'
    return this.#give(found.grant, this.#traits.refreshes)
  }

  refresh(token: string, client: string): GivenTokens | TokenRefusal {
    if (!this.clients.has(client)) return 'invalid_client'
    const found = this.#refresh.get(token)
    if (!found || !this.takes(token)) {
      // Whoever comes with a spent one may have stolen it.
      if (found) found.grant.revoked = true
      return 'invalid_grant'
    }
    if (this.#traits.rotates) found.spentAt ??= this.#clock.now()
    return this.#give(found.grant, this.#traits.rotates)
  }

  /** The refresh token would be taken. */
  takes(token: string): boolean {
    const found = this.#refresh.get(token)
    if (!found || found.grant.revoked || !this.clients.has(found.grant.client)) return false
    return found.spentAt === undefined || this.#clock.now() - found.spentAt < this.#traits.graceMs
  }

  /** What the access token is good for; `undefined`: nothing. */
  scopeOf(token: string): string | undefined {
    const found = this.#access.get(token)
    return found && !found.grant.revoked && found.endsAt > this.#clock.now() ? found.grant.scope : undefined
  }

  revokeAccess(): void {
    this.#access.clear()
  }

  revokeLogins(): void {
    for (const { grant } of this.#refresh.values()) grant.revoked = true
    for (const { grant } of this.#access.values()) grant.revoked = true
  }

  #give(grant: Grant, withRefresh: boolean): GivenTokens {
    const { lifeS, tellsLife } = this.#traits
    this.#count += 1
    const access = `${CANARY}-access-${this.#count}`
    this.#access.set(access, { grant, endsAt: this.#clock.now() + lifeS * 1_000 })
    const refresh = withRefresh ? `${CANARY}-refresh-${this.#count}` : undefined
    if (refresh) this.#refresh.set(refresh, { grant })
    return {
      access_token: access,
      token_type: 'Bearer',
      ...(tellsLife && { expires_in: lifeS }),
      ...(refresh && { refresh_token: refresh }),
      scope: grant.scope,
    }
  }
}
