import { assign, emit, enqueueActions, fromCallback, fromPromise, raise, sendTo, setup } from 'xstate'
import {
  adoptCredential,
  adoptDialect,
  authFault,
  beginLink,
  configure,
  countAttempt,
  countAuthorization,
  endRefusals,
  forgetTriedWire,
  namedMs,
  noteFault,
  noteLists,
  noteSession,
  ownFault,
  planHold,
  planRetry,
  planReturn,
  trustAnew,
  trustLogin,
} from './changes.js'
import { delays } from './delays.js'
import type { Phase } from './evidence.js'
import { faultOf, guards } from './guards.js'
import { AUTHORIZE_MS, REFRESH_AGAIN_MS } from './policy.js'
import type {
  AuthInput,
  AuthOutcome,
  ConnectionContext,
  ConnectionEmitted,
  ConnectionEvent,
  ConnectionInput,
  ConnectionTag,
  LinkCommand,
  LinkInput,
  Runtime,
  VerdictMeta,
} from './types.js'
import { underWay } from './under-way.js'

/** Stands where an actor has to be provided; the library provides its own, tests provide theirs. */
function missing(name: string): never {
  throw new Error(`No actor was provided for '${name}': use the machine of the package's main entry, or provide() one.`)
}

const phaseMs: Record<Phase, (context: ConnectionContext) => number> = {
  connecting: (context) => delays.connectTimeout({ context }),
  initializing: (context) => delays.initializeTimeout({ context }),
  resuming: (context) => delays.initializeTimeout({ context }),
  discovering: (context) => context.policy.discoverMs,
  ready: (context) => context.policy.probeMs,
  reauthorizing: () => AUTHORIZE_MS,
  closing: (context) => context.policy.closeMs,
}

/** Everything the chart names, with its types. The states are in `states/`, put together in `connection.ts`. */
export const chartSetup = setup({
  types: {
    context: {} as ConnectionContext,
    events: {} as ConnectionEvent,
    input: {} as ConnectionInput,
    emitted: {} as ConnectionEmitted,
    tags: {} as ConnectionTag,
    transitionMeta: {} as VerdictMeta,
    children: {} as {
      link: 'link'
      refresh: 'refresh'
      login: 'login'
      exchange: 'exchange'
      stepUp: 'stepUp'
      release: 'release'
    },
  },

  actors: {
    /** Owns one wire and one client for exactly as long as `linked` is active. */
    link: fromCallback<LinkCommand, LinkInput>(() => missing('link')),
    /** Gets a new credential without a person. */
    refresh: fromPromise<AuthOutcome, AuthInput>(() => missing('refresh')),
    /** Begins a login and holds it open; ends when it cannot be offered. */
    login: fromCallback<ConnectionEvent, AuthInput>(() => missing('login')),
    /** Turns the answer of a login into a credential. */
    exchange: fromPromise<AuthOutcome, AuthInput>(() => missing('exchange')),
    /** Gets a credential with more scope. */
    stepUp: fromPromise<AuthOutcome, AuthInput>(() => missing('stepUp')),
    /** Ends the remembered session and waits until the last wire is gone. */
    release: fromPromise<void, { runtime: Runtime }>(() => missing('release')),
  },

  guards,
  delays,

  actions: {
    // Link
    beginLink: assign(({ context }) => beginLink(context)),
    noteSession: assign(({ context, event }) => noteSession(context, event)),
    noteLists: assign(({ context, event }) => noteLists(context, event)),
    forgetSession: assign({ session: undefined }),
    loseLink: assign({ linkLost: true }),
    forgetLostSession: assign({
      session: ({ context, event }) => (faultOf(event)?.class === 'session-expired' ? undefined : context.session),
    }),
    notePostOnly: assign({ postOnly: true }),
    noteListening: assign({ postOnly: false }),
    tellLink: sendTo('link', (_, command: LinkCommand) => command),
    /** A new link on request begins with a new session; after a loss the session is left to its successor. */
    leaveLink: sendTo('link', ({ context, event }): LinkCommand => {
      const fault = faultOf(event)
      const ends = event.type === 'reconnect' || event.type === 'configure' || fault?.endsSession
      return { type: 'detach', keep: !ends, underWay: underWay(fault, context) }
    }),

    // Faults
    noteFault: assign(({ context, event }) => noteFault(context, event)),
    missDeadline: raise(({ context }, { phase }: { phase: Phase }) => {
      const afterMs = phaseMs[phase](context)
      const summary = `no answer within ${afterMs} ms in ${phase}`
      return { type: 'fault' as const, fault: ownFault(context, phase, { kind: 'deadline', afterMs, summary }) }
    }),
    missProbes: raise(({ context }) => {
      const afterMs = context.policy.probeMs
      const summary = `${context.missedProbes + 1} probes in a row unanswered`
      return { type: 'fault' as const, fault: ownFault(context, 'ready', { kind: 'probe', afterMs, summary }) }
    }),
    failProbes: raise(({ context, event }) => {
      if (event.type !== 'probe.failed') throw new Error(`'${event.type}' is no failed probe`)
      const { afterMs: _, ...evidence } = event.fault.evidence
      const summary = `${context.missedProbes + 1} probes in a row failed; the last: ${evidence.summary}`
      return { type: 'fault' as const, fault: ownFault(context, 'ready', { ...evidence, kind: 'probe', summary }) }
    }),
    failLink: raise(({ context }) => {
      const summary = 'the link could not be made'
      return { type: 'fault' as const, fault: ownFault(context, 'connecting', { kind: 'thrown', summary }) }
    }),
    failAuthorization: raise(({ context, event }) => ({ type: 'fault' as const, fault: authFault(context, event) })),

    // Counters
    trustAnew: assign(() => trustAnew()),
    adoptDialect: assign(({ context, event }) => adoptDialect(context, event)),
    forgetTriedWire: assign(({ context }) => forgetTriedWire(context)),
    countRenewal: assign({ renewals: ({ context }) => context.renewals + 1 }),
    forgetAuthorizations: assign({ authorizations: 0 }),
    endRefusals: assign(({ context, event }) => endRefusals(context, event)),
    countAuthorization: assign(({ context }) => countAuthorization(context)),
    trustLogin: assign(({ context }) => trustLogin(context)),
    countAttempt: assign(({ context, event }) => countAttempt(context, event)),
    /** A time that the server named is served while resting, too. */
    noteNamedTime: assign({ coolMs: ({ event }) => namedMs(event) }),
    countMissedProbe: assign({ missedProbes: ({ context }) => context.missedProbes + 1 }),
    forgetMissedProbes: assign({ missedProbes: 0 }),
    beginProof: assign({ stable: false }),
    noteStability: assign({ stable: true }),

    // Waiting
    planRetry: assign(({ context }) => planRetry(context)),
    planReturn: assign(({ context }) => planReturn(context)),
    hurry: assign({ hurried: true, coolMs: 0 }),
    planHold: assign(({ context, event }) => planHold(context, event)),
    insist: assign({ insists: true }),
    settleWish: assign({ insists: false }),

    // Lists
    markListsDirty: assign({ listsDirty: true }),
    countListRound: assign({ listsDirty: false, listRounds: ({ context }) => context.listRounds + 1 }),
    noteChange: assign({ lists: 'changed' }),
    /** The change that was told of is not to be seen; it is believed once more. */
    doubtChange: assign({ lists: 'unverified' }),
    doubtHearing: assign({ lists: 'unheard' }),
    settleLists: assign({ lists: 'fresh' }),
    staleLists: assign({ lists: 'stale' }),
    forgetListRounds: assign({ listRounds: 0 }),

    // Surroundings
    raiseDemand: assign({ demand: true }),
    clearDemand: assign({ demand: false }),
    goOnline: assign({ online: true }),
    goOffline: assign({ online: false }),
    configure: assign(({ event }) => configure(event)),
    adoptCredential: assign(({ context, event }) => adoptCredential(context, event)),
    /** A refresh ahead of time failed; the credential still holds, so there is time to try again. */
    postponeRefresh: assign({ refreshAt: ({ context }) => context.now() + REFRESH_AGAIN_MS }),
    /** Only a person can renew the credential; that is asked for when it is refused, not before. */
    ceaseRefresh: assign({ refreshAt: undefined }),
    raiseSuspicion: raise({ type: 'suspect' as const }),

    // Closing
    thenIdle: assign({ after: 'idle' }),
    thenClosed: assign({ after: 'closed' }),
    thenLinked: assign({ after: 'linked' }),

    // News
    emitReady: emit(({ context }) => ({
      type: 'connection.ready' as const,
      generation: context.generation,
      resumed: context.resumed,
    })),
    emitLost: emit(({ event }) => ({ type: 'connection.lost' as const, fault: mustFault(event) })),
    emitRetrying: emit(({ context }) => ({
      type: 'connection.retrying' as const,
      attempt: context.attempts,
      inMs: context.waitMs,
      fault: context.fault,
    })),
    emitHeld: emit(({ context, event }) => ({
      type: 'connection.held' as const,
      because: 'because' in event ? event.because : ('cooldown' as const),
      inMs: context.holdMs,
    })),
    /** Said once for each time that the connection gives up, not with every slow probe. */
    giveNotice: enqueueActions(({ context, event, enqueue }) => {
      if (context.noticed) return
      enqueue.assign({ noticed: true })
      enqueue.emit({ type: 'connection.exhausted', fault: mustFault(event) })
    }),
    emitFailed: emit(({ event }) => ({ type: 'connection.failed' as const, fault: mustFault(event) })),
    emitNeedsUser: emit({ type: 'connection.needs-user' as const }),
    emitDisconnected: emit({ type: 'connection.disconnected' as const }),
    emitClosed: emit({ type: 'connection.closed' as const }),
  },
})

function mustFault(event: ConnectionEvent) {
  const fault = faultOf(event)
  if (!fault) throw new Error(`'${event.type}' carries no fault`)
  return fault
}
