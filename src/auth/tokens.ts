import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { StoredClient } from './stored-client.js'

/** Tokens as they are remembered. */
export interface StoredTokens extends OAuthTokens {
  /**
   * When the access token runs out, in seconds of the clock: an absolute time, so that it means the same after a restart
   * and in another process. `expires_in` is kept beside it as the whole lifetime.
   */
  readonly expires_at?: number
  /** Names the login that these tokens come of; kept through every refresh. */
  readonly login_id?: string
  /**
   * The registered client that they were given to, and that alone may refresh them: another process may have registered
   * another one since, for a redirect address of its own.
   */
  readonly client?: StoredClient
}

/** The longest time by which a refresh comes ahead of the end, in seconds. */
const AHEAD_S = 300
/** Its share of the lifetime. */
const AHEAD_SHARE = 0.1

/** The tokens with the moment of their end. `nowMs`: when the answer was asked for, which is before its time runs. */
export function withExpiry(tokens: OAuthTokens, nowMs: number): StoredTokens {
  const lifeS = lifetime(tokens)
  return lifeS === undefined ? tokens : { ...tokens, expires_in: lifeS, expires_at: nowMs / 1000 + lifeS }
}

/** When the access token runs out, in milliseconds of the clock; `undefined` when nothing tells. */
export function expiresAtMs({ access_token, expires_at }: StoredTokens): number | undefined {
  if (typeof expires_at === 'number' && Number.isFinite(expires_at)) return expires_at * 1000
  const { exp } = jwtTimes(access_token)
  return exp === undefined ? undefined : exp * 1000
}

/**
 * When to refresh: ahead of the end by a tenth of the lifetime, at most five minutes. A JWT that is over by its own word
 * alone may come of a clock that is behind ours, as the next one would: planned by it, refreshes would never end. The
 * server says when it is over.
 */
export function refreshAtMs(tokens: StoredTokens, nowMs: number): number | undefined {
  const endMs = expiresAtMs(tokens)
  if (endMs === undefined || (endMs <= nowMs && tokens.expires_at === undefined)) return undefined
  const lifeS = lifetime(tokens) ?? Math.max(0, endMs - nowMs) / 1000
  return endMs - Math.min(AHEAD_S, lifeS * AHEAD_SHARE) * 1000
}

/**
 * How long the access token lives, in seconds: by the answer, or by its own word where it is a JWT (report 04.07). The
 * difference of a JWT's two times holds whatever our clock says.
 */
function lifetime({ expires_in, access_token }: OAuthTokens): number | undefined {
  if (typeof expires_in === 'number' && expires_in > 0) return expires_in
  const { exp, iat } = jwtTimes(access_token)
  return exp !== undefined && iat !== undefined && exp > iat ? exp - iat : undefined
}

/** Times of a token that happens to be a JWT. Nothing is verified: they are a hint, and the server has the last word. */
export function jwtTimes(token: string): { exp?: number; iat?: number } {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return {}
  try {
    const claims: unknown = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')))
    const { exp, iat }: Record<string, unknown> = { ...Object(claims) }
    return { ...(typeof exp === 'number' && { exp }), ...(typeof iat === 'number' && { iat }) }
  } catch {
    return {}
  }
}
