import type { Chance } from './chance.js'
import type { AuthorizationKind } from './grant-traits.js'

/** How a request to the authorization server goes wrong; after, its work is done and the answer is lost. */
export const failures = ['429', '500', '503', 'page', 'cut before', 'cut after'] as const
export type Failure = (typeof failures)[number]

/** What befalls the credentials of a connection. */
export type AuthorizationMisfortune =
  /** Every access token is refused from now on, whatever was said of its end. */
  | { readonly do: 'revoke access' }
  /** Every login is over. */
  | { readonly do: 'revoke logins' }
  /** The resource server takes no token at all. */
  | { readonly do: 'distrust'; readonly ms: number }
  | { readonly do: 'forget clients' }
  | {
      readonly do: 'fail tokens'
      readonly of: 'tokens' | 'documents'
      readonly how: Failure
      readonly times: number
      readonly retryAfterS?: number
    }
  | { readonly do: 'slow tokens'; readonly ms: number; readonly extraMs: number }
  /** Another process refreshes what is remembered, under its lock; where it cannot, somebody may log in there. */
  | { readonly do: 'other process'; readonly holdMs: number; readonly logsIn: boolean; readonly dies: boolean }

type Kind = AuthorizationMisfortune['do']

const ofTokens = { 'revoke access': 8, distrust: 2, 'fail tokens': 12, 'slow tokens': 5 }
const ofLogins = { 'revoke logins': 3, 'forget clients': 1, 'other process': 7 }
const none = (weights: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.keys(weights).map((kind) => [kind, 0]))

/** How often each of them befalls a connection of this kind, beside what befalls every connection. */
export const authorizationWeights = (kind: AuthorizationKind): Readonly<Record<Kind, number>> => ({
  ...ofTokens,
  ...ofLogins,
  ...(kind === 'none' && none(ofTokens)),
  ...(kind !== 'oauth' && none(ofLogins)),
})

const kinds = new Set<string>([...Object.keys(ofTokens), ...Object.keys(ofLogins)])
export const isOfAuthorization = (step: { readonly do: string }): step is AuthorizationMisfortune => kinds.has(step.do)

export function authorizationMisfortune(kind: Kind, chance: Chance): AuthorizationMisfortune {
  switch (kind) {
    case 'distrust':
      return { do: kind, ms: chance.mostlySmall(10, 30_000) }
    case 'slow tokens':
      return { do: kind, ms: chance.mostlySmall(10, 90_000), extraMs: chance.mostlySmall(100, 40_000) }
    case 'other process':
      return {
        do: kind,
        holdMs: chance.mostlySmall(0, 8_000),
        logsIn: chance.happens(0.5),
        dies: chance.happens(0.1),
      }
    case 'fail tokens': {
      const how = chance.pick(failures)
      return {
        do: kind,
        of: chance.happens(0.8) ? 'tokens' : 'documents',
        how,
        times: chance.mostlySmall(1, 8),
        ...((how === '429' || how === '503') && chance.happens(0.6) && { retryAfterS: chance.whole(0, 20) }),
      }
    }
    default:
      return { do: kind }
  }
}
