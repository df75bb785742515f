/** Kinds of faults that several checks speak of, by code and evidence and never by words. */
import type { Fault } from '../../machines/faults.js'

const nameErrors: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME', 'EAI_FAIL'])

/** The name of the server is not known. */
export const isNameTrouble = ({ evidence: { kind, errno } }: Fault): boolean =>
  kind === 'network' && nameErrors.has(errno ?? '')

export const isCertificateTrouble = ({ code }: Fault): boolean => code.startsWith('tls.')

/** A server that cannot be reached, or whose connection broke. */
export const isBroken = (fault: Fault): boolean =>
  (fault.evidence.kind === 'network' && !isNameTrouble(fault) && !isCertificateTrouble(fault)) ||
  (isFailedProbe(fault) && fault.evidence.http === undefined) ||
  fault.code === 'wire.closed' ||
  fault.code === 'stream.lost'

/** Probes were answered, but not by a server that works: by a status of a proxy, or by a connection that broke. */
const isFailedProbe = ({ code }: Fault): boolean => code === 'probe.failed'

/** The HTTP status that the fault is about. */
function statusIn(fault: Fault): string {
  if (isFailedProbe(fault)) return String(fault.evidence.http?.status ?? '')
  return /^http\.(\d+)$/.exec(fault.code)?.[1] ?? ''
}

/** The server does not know the session any more. */
export const isSessionLost = ({ code }: Fault): boolean =>
  ['session.unknown', 'session.not-found', 'session.refused', 'session.forgotten'].includes(code)

/** The session was unknown as soon as it had been given out. */
export const isLostAtOnce = ({ code }: Fault): boolean => code === 'session.lost-at-once'

/** The server, or a proxy before it, says that it cannot just now. */
export const isOverload = (fault: Fault): boolean => /^(?:408|425|5\d\d)$/.test(statusIn(fault))

/** What a proxy says while there is no server behind it. */
export const isGatewayError = (fault: Fault): boolean => /^50[234]$/.test(statusIn(fault))

export const isRateLimit = ({ code }: Fault): boolean => code === 'http.429'
