/** Predicates of the chart: what may be the case. Pure; each is one sentence. */

import { dialectKey, type Fault } from './faults.js'
import { CRASH_MEMORY, LEAST_REFRESH_MS, MAX_AUTHORIZATIONS, MAX_MISSED_PROBES } from './policy.js'
import type { AuthOutcome, ConnectionContext, ConnectionEvent } from './types.js'

interface Args {
  readonly context: ConnectionContext
  readonly event: ConnectionEvent
}

/** The fault that the event carries, if it is one. */
export const faultOf = (event: ConnectionEvent): Fault | undefined => (event.type === 'fault' ? event.fault : undefined)

/** The outcome that a finished step of authorization hands over. */
export function outcomeOf(event: object): AuthOutcome | undefined {
  return 'output' in event && isOutcome(event.output) ? event.output : undefined
}

const isOutcome = (value: unknown): value is AuthOutcome =>
  typeof value === 'object' && value !== null && 'type' in value

const isClass =
  (...classes: readonly Fault['class'][]) =>
  ({ event }: Args): boolean =>
    event.type === 'fault' && classes.includes(event.fault.class)

/** Waiting may help. So it is with every class that has no verdict of its own: the safe side (promise P25). */
const waits = ({ event }: Args): boolean =>
  event.type === 'fault' && !['permanent', 'mismatch', 'unauthorized'].includes(event.fault.class)

/** The server asks for time: nothing is tried again before it is over. */
const namesTime = ({ event }: Args): boolean => (faultOf(event)?.retryAfterMs ?? 0) > 0

/** The child ended before the connection was ready. */
export const isEarlyExit = ({ code }: Pick<Fault, 'code'>): boolean =>
  code === 'process.exited-early' || code === 'process.interpreter'

/** While a call waits the pauses are short and use up attempts quickly, so twice as many are allowed (report 01.09). */
const budget = ({ policy, demand }: ConnectionContext): number => policy.maxAttempts * (demand ? 2 : 1)

/** By its own count, or by that of all connections to the same command. */
const crashMemoryFull = ({ context, event }: Args): boolean =>
  event.type === 'fault' &&
  isEarlyExit(event.fault) &&
  Math.max(context.earlyExits + 1, event.fault.evidence.earlyExits ?? 0) >= CRASH_MEMORY

/**
 * The credential that is refused has served for as long as proves a connection: that it is over now is no loop. Where the
 * connection itself never holds for so long (a server that restarts, a machine that sleeps), nothing else tells.
 */
export const hasServed = ({ policy }: ConnectionContext, fault: Fault | undefined): boolean =>
  (fault?.evidence.credentialAgeMs ?? 0) >= Math.max(policy.stableAfterMs, LEAST_REFRESH_MS)

/** An event that names what it was seen under: a link, a credential. */
const fence = (event: ConnectionEvent) => ({
  generation: 'generation' in event ? event.generation : undefined,
  credentialEpoch:
    event.type !== 'credentials.changed' && 'credentialEpoch' in event ? event.credentialEpoch : undefined,
})

export const guards = {
  /**
   * Seen on an older link, or answered to an older credential: what it complains of is gone. But what opens a link is not
   * asked again by itself: its refusal is heeded, and the credential that is at hand by now is the answer to it.
   */
  stale: ({ context, event }: Args): boolean =>
    (fence(event).generation ?? context.generation) < context.generation ||
    ((fence(event).credentialEpoch ?? context.credentialEpoch) < context.credentialEpoch &&
      context.reached !== 'nothing'),

  /** Said on the last link, or to a call that goes on beside it. */
  sessionLost: (args: Args): boolean => isClass('session-expired')(args) && !guards.stale(args),

  // Verdicts
  dialectLeft: (args: Args): boolean => {
    const dialect = faultOf(args.event)?.dialect
    return (
      isClass('mismatch')(args) && dialect !== undefined && !args.context.dialectsTried.includes(dialectKey(dialect))
    )
  },
  permanent: isClass('permanent', 'mismatch'),
  authorizable: (args: Args): boolean =>
    isClass('unauthorized')(args) &&
    args.context.authorizer &&
    (args.context.authorizations < MAX_AUTHORIZATIONS || hasServed(args.context, faultOf(args.event))),
  unauthorized: isClass('unauthorized'),
  sessionLossFails: (args: Args): boolean =>
    isClass('session-expired')(args) && args.context.policy.onSessionLost === 'fail',
  /** At once, so not where the server asks for time: that is served first. */
  renewable: (args: Args): boolean => isClass('session-expired')(args) && args.context.renewals < 1 && !namesTime(args),
  /** A server that asks for time has answered: whatever was told of the network, it is there. */
  offline: (args: Args): boolean => waits(args) && args.context.remote && !args.context.online && !namesTime(args),
  attemptsLeft: (args: Args): boolean =>
    waits(args) && args.context.attempts < budget(args.context) && !crashMemoryFull(args),

  // Link and session
  resumable: ({ context }: Args): boolean => context.session?.resumable === true,
  linkReady: ({ context }: Args): boolean => context.reached === 'ready' && !context.linkLost,
  linkEstablished: ({ context }: Args): boolean => context.reached === 'session' && !context.linkLost,
  remote: ({ context }: Args): boolean => context.remote,
  relinks: ({ event }: Args): boolean => 'relink' in event && event.relink === true,

  // Waiting
  nothingToServe: ({ context }: Args): boolean => context.coolMs === 0,
  demanded: ({ context }: Args): boolean => context.demand,
  notHurried: ({ context }: Args): boolean => !context.hurried,
  probesSlowly: ({ context }: Args): boolean => context.policy.slowProbeMs !== false,

  // Health
  stable: ({ context }: Args): boolean => context.stable,
  saidPostOnly: ({ context }: Args): boolean => context.postOnly,
  keepsAlive: ({ context }: Args): boolean => context.policy.keepaliveMs > 0 && !context.postOnly,
  /** Nothing of an earlier trouble is held against the connection. */
  nothingHeldAgainst: ({ context }: Args): boolean =>
    context.attempts + context.renewals + context.authorizations + context.earlyExits + context.slowStarts === 0 &&
    context.dialectsTried.length === 0 &&
    context.origin === undefined,
  probesLeft: ({ context }: Args): boolean => context.missedProbes + 1 < MAX_MISSED_PROBES,

  // Lists
  listsUnverified: ({ context }: Args): boolean =>
    context.lists === 'unverified' || context.lists === 'changed' || context.listsDirty,
  listsStale: ({ context }: Args): boolean => context.lists === 'stale',
  listsUnheard: ({ context }: Args): boolean => context.lists === 'unheard',
  /** A server that tells of a change before it has made it (report 06.05). */
  toldTooEarly: ({ context, event }: Args): boolean =>
    context.lists === 'changed' && event.type === 'lists.refreshed' && event.unchanged === true,
  listsKnown: ({ event }: Args): boolean => event.type === 'link.resumed' && event.known,
  listsDirty: ({ context }: Args): boolean => context.listsDirty,
  incomplete: ({ event }: Args): boolean => 'complete' in event && event.complete === false,

  // Credentials
  expires: ({ context }: Args): boolean => context.refreshAt !== undefined,
  newLogin: ({ event }: Args): boolean => event.type === 'credentials.changed' && event.renewed !== true,
  stepsUp: (args: Args): boolean => args.context.authorizer && args.context.authorizations < MAX_AUTHORIZATIONS,
  granted: ({ event }: Args): boolean => outcomeOf(event)?.type === 'granted',
  needsUser: ({ event }: Args): boolean => outcomeOf(event)?.type === 'needs-user',
  refused: ({ event }: Args): boolean => outcomeOf(event)?.type === 'failed',
  absorbable: (args: Args): boolean =>
    isClass('unauthorized')(args) && faultOf(args.event)?.evidence.phase !== 'reauthorizing',
  loginRefused: (args: Args): boolean =>
    isClass('unauthorized')(args) &&
    faultOf(args.event)?.evidence.phase === 'reauthorizing' &&
    args.context.authorizations < MAX_AUTHORIZATIONS,
  losesLinkOnly: (args: Args): boolean => waits(args) && faultOf(args.event)?.evidence.phase !== 'reauthorizing',

  // Closing
  closesForGood: ({ context }: Args): boolean => context.after === 'closed',
  goesOn: ({ context }: Args): boolean => context.after === 'linked',
}
