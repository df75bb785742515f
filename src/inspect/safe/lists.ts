import type { Evidence } from '../../../machines/evidence.js'
import type { Fault } from '../../../machines/faults.js'
import type { Policy } from '../../../machines/policy.js'
import type { ConnectionContext, ConnectionEvent, LinkCommand } from '../../../machines/types.js'
import type { AllowList } from './pick.js'

/** A key that the type does not have, or a misspelt one, is a compile error. */
type ListOf<T> = { readonly [K in keyof T]?: AllowList[string] }

/**
 * What of a failure goes out: codes and counts. Never what a server or a child wrote (body, stderr, error message, and
 * the summary that may quote them): a server may send back what it was sent.
 */
export const evidenceList = {
  kind: 'word',
  wire: 'word',
  phase: 'word',
  method: 'word',
  http: { status: 'number', exchange: 'word' },
  exit: { code: 'number', signal: 'word' },
  rpc: { code: 'number' },
  errno: 'word',
  subject: 'word',
  sent: 'flag',
  sessionSent: 'flag',
  tokenState: 'word',
  credentialAgeMs: 'number',
  stream: 'word',
  protocolVersion: 'word',
  retryAfterMs: 'number',
  afterMs: 'number',
  refusedForMs: 'number',
  earlyExits: 'number',
  everReady: 'flag',
} satisfies ListOf<Evidence>

const faultList = {
  class: 'word',
  code: 'word',
  scope: 'word',
  delivery: 'word',
  retryAfterMs: 'number',
  suspect: 'flag',
  endsSession: 'flag',
  rule: 'word',
  evidence: evidenceList,
} satisfies ListOf<Fault>

const sessionList = {
  protocolVersion: 'word',
  server: { name: 'word', version: 'word' },
  resumable: 'flag',
} satisfies ListOf<NonNullable<ConnectionContext['session']>>

const policyList = {
  backoff: { baseMs: 'number', capMs: 'number', factor: 'number' },
  maxAttempts: 'number',
  stableAfterMs: 'number',
  keepaliveMs: 'number',
  slowProbeMs: 'number',
  queueLimit: 'number',
  onSessionLost: 'word',
  connectMs: 'number',
  initializeMs: 'number',
  discoverMs: 'number',
  probeMs: 'number',
  callMs: 'number',
  closeMs: 'number',
} satisfies ListOf<Policy>

export const contextList = {
  name: 'text',
  wire: 'word',
  remote: 'flag',
  authorizer: 'flag',
  legacyAllowed: 'flag',
  policy: policyList,
  generation: 'number',
  reached: 'word',
  resumed: 'flag',
  linkLost: 'flag',
  postOnly: 'flag',
  everReady: 'flag',
  session: sessionList,
  attempts: 'number',
  renewals: 'number',
  authorizations: 'number',
  earlyExits: 'number',
  slowStarts: 'number',
  missedProbes: 'number',
  stable: 'flag',
  unansweredResumes: 'number',
  holdMs: 'number',
  insists: 'flag',
  fault: faultList,
  origin: faultList,
  noticed: 'flag',
  online: 'flag',
  demand: 'flag',
  hurried: 'flag',
  coolMs: 'number',
  waitMs: 'number',
  lists: 'word',
  listsDirty: 'flag',
  listRounds: 'number',
  credentialEpoch: 'number',
  refreshAt: 'number',
  after: 'word',
} satisfies ListOf<ConnectionContext>

type Fields<E> = E extends unknown ? Exclude<keyof E, 'type'> : never

/** The fields of events that go out. An event that is not listed, as those of an extension, goes out by its type alone. */
export const eventList: AllowList = {
  fault: faultList,
  session: sessionList,
  policy: policyList,
  generation: 'number',
  credentialEpoch: 'number',
  refreshAt: 'number',
  epoch: 'number',
  known: 'flag',
  complete: 'flag',
  unchanged: 'flag',
  relink: 'flag',
  remote: 'flag',
  legacyAllowed: 'flag',
  keep: 'flag',
  underWay: 'word',
  because: 'word',
  forMs: 'number',
} satisfies { readonly [K in Fields<ConnectionEvent> | Fields<LinkCommand>]?: AllowList[string] }

/** The events that the fields above belong to. */
export const eventTypes: ReadonlySet<string> = new Set<(ConnectionEvent | LinkCommand)['type']>([
  'configure',
  'credentials.changed',
  'detach',
  'fault',
  'link.held',
  'link.initialized',
  'link.resumed',
  'link.discovered',
  'lists.refreshed',
  'probe.failed',
  'scope.insufficient',
  'suspect',
])
