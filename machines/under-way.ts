/** What becomes of the requests that are under way when their link is left. */
import type { Fault } from './faults.js'
import type { ConnectionContext, UnderWay } from './types.js'

/** Nothing came where something was due: whatever else is under way may be as dead, and nobody would be told. */
const silences: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
])

const isSilence = ({ evidence: { kind, errno = '' } }: Fault): boolean => kind === 'deadline' || silences.has(errno)

/** Somebody said that one request was not taken. Of requests that were taken before, that says nothing. */
const isOfOneRequest = ({ delivery, evidence: { http } }: Fault): boolean =>
  delivery !== 'unknown' || http !== undefined

/** A request over HTTP has a socket of its own and hears of its end; on any other wire there is one for all. */
export function underWay(
  fault: Fault | undefined,
  { online, remote }: Pick<ConnectionContext, 'online' | 'remote'>,
): UnderWay {
  if (!fault || fault.endsSession) return 'cut'
  if (fault.class === 'session-expired') return 'refusals'
  const isAway = remote && !online
  const drains =
    fault.class === 'transient' && fault.evidence.wire === 'http' && isOfOneRequest(fault) && !isSilence(fault)
  return drains && !isAway ? 'drain' : 'cut'
}
