import type { WireEvidence } from '../../machines/evidence.js'
import type { AuthOutcome } from '../../machines/types.js'
import { evidenceOf, WireError } from '../wire/index.js'

/** What the authorization server made of a request, read from its answer. */
export type Verdict =
  /** It passes: the server or the way to it is not well. Tokens are kept. */
  | 'passing'
  /** The login is not accepted any more: a person has to log in. */
  | 'login'
  /** The server does not know the client any more. */
  | 'client'

/**
 * Evidence of a step of authorization.
 *
 * - `login`: only a person can help
 * - `credential`: the credential is refused and there is no other
 * - `authorization`: the server's way of authorization cannot be used
 */
export function stepEvidence(
  summary: string,
  seen: Partial<Pick<WireEvidence, 'subject' | 'http' | 'errno' | 'target' | 'retryAfterMs'>> = {},
): WireEvidence {
  return { kind: 'token', wire: 'http', sent: false, summary, ...seen }
}

/** What no waiting cures: the server's authorization cannot be used as it is. */
export const unusable = (summary: string): WireError =>
  new WireError(stepEvidence(summary, { subject: 'authorization' }))

/** The outcome of a step that threw. What an application's function throws may hold anything; only its kind is told. */
export function failedBy(error: unknown, doing: string): AuthOutcome {
  const name = error instanceof Error ? error.name : typeof error
  return { type: 'failed', evidence: evidenceOf(error) ?? stepEvidence(`${doing}: ${name} was thrown`) }
}
