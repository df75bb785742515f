import type { Chance } from './chance.js'

/** Who gives the connection its credentials: nobody, a source of tokens in the application, or OAuth and a person. */
export const authorizations = ['none', 'tokens', 'oauth'] as const
export type AuthorizationKind = (typeof authorizations)[number]

/** What is remembered of a login when the connection begins. */
export const beginnings = ['logged in', 'expired', 'logged out', 'never there'] as const
type Beginning = (typeof beginnings)[number]

/** What kind of authorization server it is, and what kind of person logs in. */
export interface GrantTraits {
  /** How long an access token serves, in seconds. */
  readonly lifeS: number
  /** The answer for a token says how long it serves. */
  readonly tellsLife: boolean
  /** Refresh tokens are given. */
  readonly refreshes: boolean
  /** Each refresh gives another refresh token and spends the one before; a spent one that comes again ends the grant. */
  readonly rotates: boolean
  /** A spent refresh token is taken for so long all the same, in milliseconds: its successor may have been lost. */
  readonly graceMs: number
  /** The resource describes itself in its refusals, and not only where everybody knows to look. */
  readonly challenges: boolean
  /** Refusals repeat the credential that they refuse. */
  readonly echoes: boolean
  /** Writing needs a scope that nobody asks for at first. */
  readonly stepUp: boolean
  readonly begins: Beginning
  /** How long the person takes to log in, in milliseconds; `undefined`: the person is away until all is well. */
  readonly personMs: readonly [least: number, most: number] | undefined
  /** The share of logins that the person refuses while all is not well. */
  readonly refusals: number
}

export function grantTraitsOf(chance: Chance): GrantTraits {
  const quick = chance.happens(0.7)
  return {
    lifeS: chance.pick([20, 60, 60, 300, 3_600]),
    tellsLife: chance.happens(0.7),
    refreshes: chance.happens(0.9),
    rotates: chance.happens(0.8),
    graceMs: chance.pick([0, 0, 5_000, 60_000]),
    challenges: chance.happens(0.7),
    echoes: chance.happens(0.3),
    stepUp: chance.happens(0.25),
    begins: chance.pick(['logged in', 'logged in', 'logged in', 'expired', 'logged out', 'never there']),
    personMs: chance.happens(0.8) ? (quick ? [200, 5_000] : [5_000, 120_000]) : undefined,
    refusals: chance.pick([0, 0, 0.3]),
  }
}
