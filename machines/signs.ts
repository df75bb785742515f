/** Predicates over evidence, so that the table of rules reads as sentences. Server text is read only here. */
import type { Evidence } from './evidence.js'
import { mutualVersion, namedVersions, olderVersion } from './versions.js'

/** The handshake is not over: nothing has worked on this link yet. */
export const opening = (e: Evidence): boolean =>
  e.phase === 'connecting' || e.phase === 'initializing' || e.phase === 'resuming'

/** The server's answer to our own `initialize`. */
export const toInitialize = (e: Evidence): boolean => e.method === 'initialize'

export const status =
  (...codes: readonly number[]) =>
  (e: Evidence): boolean =>
    e.kind === 'http' && e.http !== undefined && codes.includes(e.http.status)

export const statusBetween =
  (low: number, high: number) =>
  (e: Evidence): boolean =>
    e.kind === 'http' && e.http !== undefined && e.http.status >= low && e.http.status <= high

/** Refusals that say: not now. */
export const mayPass = status(401, 403, 408, 425, 429)

/** Whatever words the server gave: JSON-RPC error message, HTTP body. */
const words = (e: Evidence): string => `${e.rpc?.message ?? ''} ${e.http?.body ?? ''}`

const sessionIsGone =
  /session(?:[\s_-]*id)?\b[^.{}]{0,60}\b(?:not found|unknown|invalid|missing|expired|terminated|required|does(?:n't| not) exist|no longer)|(?:unknown|invalid|missing|expired|no valid|no active|no|bad)\s+(?:or\s+\w+\s+)?(?:mcp[\s_-]*)?session|(?:server|client|session)\s+(?:is\s+)?not\s+initiali[sz]ed|before initiali[sz]ation was complete/i

/** The server says that it does not know our session; servers say it in many ways (deviations 1–10). */
export const namesLostSession = (e: Evidence): boolean => sessionIsGone.test(words(e)) && !saysAlreadyInitialized(e)

export const namesSession = (e: Evidence): boolean => /session/i.test(words(e))

export const saysAlreadyInitialized = (e: Evidence): boolean => /already (?:been )?initiali[sz]ed/i.test(words(e))

/** Words by which only the protocol's own layers speak of its session; an application has sessions of its own. */
const protocolSession =
  /mcp[\s_-]*session|session[\s_-]*id\b|(?:server|client)\s+(?:is\s+)?not\s+initiali[sz]ed|^\W*(?:(?:bad|invalid) request:?\s*)?(?:unknown|invalid|expired|no)?\s*session(?:\s+(?:was\s+)?(?:not found|unknown|expired|terminated))?\W*$/i

/**
 * A JSON-RPC error that came with status 200 speaks of the session only under the codes the protocol's own layers use.
 * An application's code (404, …) or a tool's complaint about its arguments does not count (report 01.06).
 */
export const losesSessionByError = (e: Evidence): boolean => {
  const code = e.rpc?.code
  if (code === undefined) return false
  if (code === -32602) return /before initiali[sz]ation was complete/i.test(words(e))
  return (
    (code === -32600 || (code <= -32000 && code >= -32019)) &&
    namesLostSession(e) &&
    protocolSession.test(e.rpc?.message ?? '')
  )
}

/** A version both sides speak, other than the one just offered, that the server's refusal names. */
export const offeredVersion = (e: Evidence): string | undefined =>
  mutualVersion(e.rpc?.data, e.askedVersion) ??
  (speaksOfVersion(e) ? mutualVersion(words(e), e.askedVersion) : undefined)

/** The next older version, where a refusal names none beside the one that was asked for. */
export function guessedVersion(e: Evidence): string | undefined {
  const { askedVersion, protocolVersion, rpc } = e
  if (askedVersion === undefined || protocolVersion !== undefined) return undefined
  const named = [...namedVersions(rpc?.data), ...namedVersions(words(e))]
  return named.every((version) => version === askedVersion) ? olderVersion(askedVersion) : undefined
}

export const speaksOfVersion = (e: Evidence): boolean =>
  e.protocolVersion !== undefined || e.rpc?.code === -32022 || /protocol[\s_-]*version/i.test(words(e))

/** A JSON-RPC error stood in the body: a server of the protocol answered, not a proxy before it. */
export const answeredInJsonRpc = (e: Evidence): boolean => e.rpc !== undefined

export const wantsMoreScope = (e: Evidence): boolean =>
  /error="?insufficient_scope/i.test(e.http?.headers?.['www-authenticate'] ?? '')

export const untrustedCertificate = (e: Evidence): boolean =>
  e.kind === 'network' && /CERT|SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)|HOSTNAME_MISMATCH/.test(e.errno ?? '')

/** A dialect that was tried and did not help is not offered again. */
export const tried = (e: Evidence, dialect: string): boolean => e.dialectsTried?.includes(dialect) ?? false
