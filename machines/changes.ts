/** How the context changes: pure functions from what happened to the fields it alters. */
import { clampDelay, retryDelay, spread } from './backoff.js'
import { classify } from './classify.js'
import type { Evidence, Phase, WireEvidence } from './evidence.js'
import { dialectKey, type Fault } from './faults.js'
import { faultOf, hasServed, isEarlyExit, outcomeOf } from './guards.js'
import { HOLD_RECHECK_MS, MAX_AUTHORIZATIONS, MAX_COOL_MS, MAX_UNANSWERED_RESUMES, WAKE_SPREAD_MS } from './policy.js'
import type { ConnectionContext, ConnectionEvent, ConnectionInput } from './types.js'

type Changes = Partial<ConnectionContext>

/** What a connection knows when it begins. */
export function initialContext({ input }: { input: ConnectionInput }): ConnectionContext {
  const { resumable, ...rest } = input
  return {
    ...rest,
    generation: 0,
    reached: 'nothing',
    resumed: false,
    linkLost: false,
    postOnly: false,
    everReady: false,
    session: resumable ? { protocolVersion: '', server: { name: '', version: '' }, resumable } : undefined,
    dialect: input.dialect ?? {},
    ...trustedAnew,
    missedProbes: 0,
    stable: false,
    unansweredResumes: 0,
    fault: undefined,
    online: true,
    demand: false,
    hurried: false,
    coolMs: 0,
    waitMs: 0,
    holdMs: 0,
    insists: false,
    lists: 'fresh',
    listsDirty: false,
    listRounds: 0,
    credentialEpoch: 0,
    after: 'idle',
  }
}

/** What is forgotten when a connection has proved itself, or when somebody says: try again. */
const trustedAnew = {
  attempts: 0,
  renewals: 0,
  authorizations: 0,
  earlyExits: 0,
  slowStarts: 0,
  dialectsTried: [],
  origin: undefined,
  noticed: false,
} as const

export const trustAnew = (): Changes => trustedAnew

/** The next link: everything of the one before is history. */
export const beginLink = (context: ConnectionContext): Changes => ({
  generation: context.generation + 1,
  session: context.session?.resumable ? context.session : undefined,
  reached: 'nothing',
  resumed: false,
  linkLost: false,
  postOnly: false,
  hurried: false,
  coolMs: 0,
  missedProbes: 0,
  lists: 'fresh',
  listsDirty: false,
  listRounds: 0,
  after: 'idle',
})

export function noteSession(context: ConnectionContext, event: ConnectionEvent): Changes {
  // Whatever was told of the network: a server that answers proves it.
  const proven = { online: true, resumed: event.type === 'link.resumed', unansweredResumes: 0 }
  if (event.type === 'link.resumed') {
    return event.known
      ? { ...proven, reached: 'ready', lists: 'unverified', everReady: true }
      : { ...proven, reached: 'session' }
  }
  if (event.type !== 'link.initialized') return {}
  // A session that was to be ended first has been; kept, this would end the next session that is to be gone on with.
  const { endSession: _done, ...dialect } = context.dialect
  return { ...proven, reached: 'session', session: event.session, dialect }
}

export function noteLists(context: ConnectionContext, event: ConnectionEvent): Changes {
  const complete = 'complete' in event && event.complete === true
  const lists = complete && !context.listsDirty ? 'fresh' : complete ? 'changed' : 'stale'
  return { reached: 'ready', everReady: true, lists, listsDirty: false }
}

/** The first fault of a trouble is its cause; what fails later is not. */
export function noteFault(context: ConnectionContext, event: ConnectionEvent): Changes {
  const fault = faultOf(event)
  if (!fault) return {}
  const unansweredResumes = context.unansweredResumes + (isUnansweredResume(fault) ? 1 : 0)
  const givesUp = fault.class === 'session-expired' || unansweredResumes >= MAX_UNANSWERED_RESUMES
  return {
    fault,
    // Neither a session that the server does not know is gone on with, nor one under which it says nothing.
    session: givesUp ? undefined : context.session,
    unansweredResumes: givesUp ? 0 : unansweredResumes,
    origin: context.origin ?? fault,
    insists: false,
    earlyExits: context.earlyExits + (isEarlyExit(fault) ? 1 : 0),
    slowStarts: context.slowStarts + (context.wire === 'stdio' && fault.evidence.kind === 'deadline' ? 1 : 0),
  }
}

/** The resuming request left, and nothing came: silence, or an end without a word. A refused dial says nothing of the session. */
const isUnansweredResume = ({ evidence: { phase, kind, sent } }: Fault): boolean =>
  phase === 'resuming' && (kind === 'deadline' || (sent === true && (kind === 'network' || kind === 'stream')))

export function adoptDialect(context: ConnectionContext, event: ConnectionEvent): Changes {
  const dialect = faultOf(event)?.dialect
  if (!dialect) return {}
  return {
    dialect: { ...context.dialect, ...dialect },
    dialectsTried: [...context.dialectsTried, dialectKey(dialect)],
  }
}

/** A wire that was tried and did not serve is no wire to stay with: the next attempt begins anew with the usual one. */
export function forgetTriedWire({ reached, dialect, dialectsTried }: ConnectionContext): Changes {
  if (reached !== 'nothing' || !dialectsTried.some(isWire)) return {}
  const { wire: _, ...rest } = dialect
  return { dialect: rest, dialectsTried: dialectsTried.filter((tried) => !isWire(tried)) }
}

const isWire = (tried: string): boolean =>
  tried === dialectKey({ wire: 'sse' }) || tried === dialectKey({ wire: 'http' })

/** An attempt is used up; a time that the server named is served before the next. */
export function countAttempt(context: ConnectionContext, event: ConnectionEvent): Changes {
  return {
    attempts: context.attempts + 1,
    coolMs: namedMs(event),
    hurried: false,
  }
}

/** The time that the server named, in milliseconds; an absurd one is cut. */
export const namedMs = (event: ConnectionEvent): number =>
  Math.min(clampDelay(faultOf(event)?.retryAfterMs ?? 0), MAX_COOL_MS)

export function planRetry(context: ConnectionContext): Changes {
  return {
    waitMs: retryDelay({
      policy: context.policy.backoff,
      attempt: Math.max(1, context.attempts),
      random: context.random(),
      demand: context.demand,
      cooledMs: context.coolMs,
    }),
  }
}

/** The network is back, for every connection in the same moment: first come those for which a call waits. */
export const planReturn = (context: ConnectionContext): Changes => ({
  waitMs: context.demand
    ? retryDelay({ policy: context.policy.backoff, attempt: 1, random: context.random() })
    : clampDelay(context.random() * WAKE_SPREAD_MS),
  hurried: true,
})

/** A time that the server named is over for all in the same moment, so each adds a time of its own. */
export function planHold(context: ConnectionContext, event: ConnectionEvent): Changes {
  if (event.type !== 'link.held') return {}
  if (event.forMs === undefined) return { holdMs: spread(HOLD_RECHECK_MS, 0.25, context.random()) }
  const cooledMs = Math.min(clampDelay(event.forMs), MAX_COOL_MS)
  return {
    holdMs: cooledMs + retryDelay({ policy: context.policy.backoff, attempt: 1, random: context.random(), cooledMs }),
  }
}

export function adoptCredential(context: ConnectionContext, event: ConnectionEvent): Changes {
  const granted = event.type === 'credentials.changed' ? event : outcomeOf(event)
  // Two processes may tell of their credentials in any order; an older one is not gone back to.
  if (!granted || !('epoch' in granted) || granted.epoch < context.credentialEpoch) return {}
  return { credentialEpoch: granted.epoch, refreshAt: granted.refreshAt }
}

/** A credential that has served ends the row of refused ones. */
export const endRefusals = (context: ConnectionContext, event: ConnectionEvent): Changes =>
  hasServed(context, faultOf(event)) ? { authorizations: 0 } : {}

/** A credential was got. One after another, each refused, is a loop that has to end. */
export const countAuthorization = ({ authorizations }: ConnectionContext): Changes => ({
  authorizations: Math.min(authorizations + 1, MAX_AUTHORIZATIONS),
})

/** Somebody logged in: everything is tried anew. But a server that refuses every login must not ask for ever. */
export const trustLogin = (context: ConnectionContext): Changes => ({ ...trustedAnew, ...countAuthorization(context) })

/** What was learned of a target does not hold for another, and its session is none of the other's business. */
const strangers = { session: undefined, dialect: {}, everReady: false } as const

export const configure = (event: ConnectionEvent): Changes =>
  event.type === 'configure'
    ? {
        ...(event.policy && { policy: event.policy }),
        ...(event.remote !== undefined && { remote: event.remote }),
        ...(event.legacyAllowed !== undefined && { legacyAllowed: event.legacyAllowed }),
        ...(event.relink && strangers),
      }
    : {}

/** The fault of a failure that the chart itself sees. */
export function ownFault(context: ConnectionContext, phase: Phase, seen: Omit<WireEvidence, 'wire'>): Fault {
  const evidence: Evidence = {
    ...seen,
    wire: context.wire,
    phase,
    everReady: context.everReady,
    legacyAllowed: context.legacyAllowed,
    dialectsTried: context.dialectsTried,
  }
  return classify(evidence, context.rules)
}

/** The fault behind a step of authorization that failed. */
export function authFault(context: ConnectionContext, event: ConnectionEvent): Fault {
  const outcome = outcomeOf(event)
  if (outcome?.type === 'failed') return ownFault(context, 'reauthorizing', outcome.evidence)
  return ownFault(context, 'reauthorizing', { kind: 'token', summary: 'a step of the authorization failed' })
}
