import type { WireEvidence, WireKind } from './evidence.js'
import type { Dialect, Fault, FaultClass, Rule } from './faults.js'
import type { Policy } from './policy.js'

/**
 * The world outside the chart: wires, clients, stores, secrets. The chart hands it to its actors and never looks
 * inside. `toJSON` must give nothing away, since context is shown in inspectors.
 */
export interface Runtime {
  readonly name: string
  toJSON(): unknown
}

export interface ConnectionInput {
  readonly name: string
  readonly wire: WireKind
  /** The target is on another machine, so that losing the network explains losing it. Never for stdio or loopback. */
  readonly remote: boolean
  /** Somebody can get credentials. */
  readonly authorizer: boolean
  /** Another wire may be tried: the user asked for `auto`. */
  readonly legacyAllowed: boolean
  /** What is known of how the target is spoken to. */
  readonly dialect?: Dialect
  /** A remembered session is at hand from before (a checkpoint). */
  readonly resumable: boolean
  readonly policy: Policy
  readonly rules: readonly Rule<FaultClass>[]
  readonly random: () => number
  /** The time now, in milliseconds, on the clock that drives the connection. */
  readonly now: () => number
  readonly runtime: Runtime
}

/** What the present session is, without its id: that is a secret and stays in the runtime. */
export interface SessionSummary {
  readonly protocolVersion: string
  readonly server: { readonly name: string; readonly version: string }
  /** The server gave a session id, so that a new link may go on with this session. */
  readonly resumable: boolean
}

/** Small, and free of secrets and of schema bodies: it is shown in inspectors with every event. */
export interface ConnectionContext {
  readonly name: string
  readonly wire: WireKind
  readonly remote: boolean
  readonly authorizer: boolean
  readonly legacyAllowed: boolean
  readonly policy: Policy
  readonly rules: readonly Rule<FaultClass>[]
  readonly random: () => number
  readonly now: () => number
  readonly runtime: Runtime

  /** Number of the present link; events of an older one move nothing. */
  readonly generation: number
  /** How far the present link has come. */
  readonly reached: 'nothing' | 'session' | 'ready'
  /** The present link goes on with the session of an earlier one. */
  readonly resumed: boolean
  /** The wire of the present link is gone, while credentials are being fetched. */
  readonly linkLost: boolean
  /** The server offers no listening stream, so there is no standing connection that could die unnoticed. */
  readonly postOnly: boolean
  readonly everReady: boolean
  readonly session?: SessionSummary
  readonly dialect: Dialect
  readonly dialectsTried: readonly string[]

  /** Attempts in a row that ended in backoff (V7); forgotten when the connection has been stable. */
  readonly attempts: number
  /** Sessions renewed in a row (V5); forgotten when stable. */
  readonly renewals: number
  /** Credentials got in a row: the loop guard (V2); forgotten when stable. */
  readonly authorizations: number
  /** Exits before the connection was ready, in a row; forgotten when stable. */
  readonly earlyExits: number
  /** Starts in a row that were too slow; forgotten when stable. */
  readonly slowStarts: number
  readonly missedProbes: number
  /** The present link has been ready for `stableAfter`; what stands against the connection is forgotten with the next sign of life. */
  readonly stable: boolean
  /** Attempts in a row to go on with the session that got no answer at all. */
  readonly unansweredResumes: number

  /** The last fault. */
  readonly fault?: Fault
  /** The fault that began the present trouble; what failed later is not the cause. */
  readonly origin?: Fault
  /** The exhausted notice was given. */
  readonly noticed: boolean

  readonly online: boolean
  /** A call waits for the connection. */
  readonly demand: boolean
  /** The present wait was shortened once because a call came. */
  readonly hurried: boolean
  /** The time the server named, to be served before the own delay, in milliseconds. */
  readonly coolMs: number
  /** The own delay, in milliseconds. */
  readonly waitMs: number
  /** How long the present link is held at the gate before it asks again, in milliseconds. */
  readonly holdMs: number
  /** The next attempt is somebody's wish: what other connections have met does not stand in its way. */
  readonly insists: boolean

  /**
   * State of the lists on this link: read (`fresh`), read in part (`stale`), known from before and not yet read again
   * (`unverified`), told by the server to have changed (`changed`), or read before the server could have told of a change
   * (`unheard`).
   */
  readonly lists: 'fresh' | 'stale' | 'unverified' | 'changed' | 'unheard'
  /** Lists changed while they were being read. */
  readonly listsDirty: boolean
  /** Times in a row that the lists changed or could not be read; widens the pauses. */
  readonly listRounds: number

  /** Generation of the credential. An answer to an older one moves nothing. */
  readonly credentialEpoch: number
  /** When to refresh, as a time of the clock: whatever happens meanwhile does not put it off. Absent: when refused. */
  readonly refreshAt?: number

  /** Where closing leads. */
  readonly after: 'idle' | 'closed' | 'linked'
}

/** What a step of authorization came to. Secrets stay with the authorizer. */
export type AuthOutcome =
  | { readonly type: 'granted'; readonly epoch: number; readonly refreshAt?: number }
  | { readonly type: 'needs-user' }
  | { readonly type: 'failed'; readonly evidence: WireEvidence }

/** Fields by which an event names what it was seen under. */
export interface Fenced {
  /** Link on which it was seen. Required from outside the link actor. */
  readonly generation?: number
  /** For refused credentials: the one that was sent. */
  readonly credentialEpoch?: number
}

/** What a person or an application asks for. */
export type CommandEvent =
  | { readonly type: 'connect' }
  | { readonly type: 'disconnect' }
  | { readonly type: 'reconnect' }
  | { readonly type: 'retry' }
  | { readonly type: 'close' }
  /** `relink`: the target changed, so the present link serves no longer. */
  | {
      readonly type: 'configure'
      readonly policy?: Policy
      readonly relink?: boolean
      readonly remote?: boolean
      readonly legacyAllowed?: boolean
    }
  /** The answer of a login is with the authorizer. */
  | { readonly type: 'auth.responded' }

/** What happened around the connection. */
export type SurroundingEvent =
  | { readonly type: 'demand.raised' }
  | { readonly type: 'demand.cleared' }
  | { readonly type: 'network.online' }
  | { readonly type: 'network.offline' }
  /** The clock jumped: the machine slept. */
  | { readonly type: 'clock.jumped' }
  /**
   * Other credentials are at hand: another process or the application stored them. `renewed`: they come of the login of
   * before, so that they are no reason to try again what was given up.
   */
  | {
      readonly type: 'credentials.changed'
      readonly epoch: number
      readonly refreshAt?: number
      readonly renewed?: boolean
    }

/**
 * Why a link is held at the gate that all connections of the process share.
 *
 * - `cooldown`: the server named a time, to this connection or another
 * - `handshakes`: enough handshakes with this origin are under way
 * - `starts`: it is being seen on other starts of this command whether it holds
 */
export type HoldReason = 'cooldown' | 'handshakes' | 'starts'

/** What happened on the link. */
export type LinkEvent<Class extends string = FaultClass> =
  /** `forMs`: the time that was named; without it, until others are through. */
  | { readonly type: 'link.held'; readonly because: HoldReason; readonly forMs?: number }
  /** There is room at the gate. */
  | { readonly type: 'link.called' }
  | { readonly type: 'link.opened' }
  | { readonly type: 'link.initialized'; readonly session: SessionSummary }
  /** `known`: the lists are known from before, so that the connection is usable at once. */
  | { readonly type: 'link.resumed'; readonly known: boolean }
  /** The server offers no listening stream, as far as it has said. */
  | { readonly type: 'link.postOnly' }
  | { readonly type: 'link.listening' }
  | { readonly type: 'link.discovered'; readonly complete: boolean }
  | { readonly type: 'lists.changed' }
  /** Lists were read before the listening stream was open. */
  | { readonly type: 'lists.unheard' }
  /** `unchanged`: nothing differs from what was known before, or a list is empty that was not: the server may not be ready. */
  | { readonly type: 'lists.refreshed'; readonly complete: boolean; readonly unchanged?: boolean }
  | { readonly type: 'probe.answered' }
  /** It was refused, or broke off: whoever it met is no server that works. */
  | { readonly type: 'probe.failed'; readonly fault: Fault<Class> }
  | ({ readonly type: 'suspect' } & Fenced)
  | ({ readonly type: 'scope.insufficient'; readonly fault?: Fault<Class> } & Fenced)
  | ({ readonly type: 'fault'; readonly fault: Fault<Class> } & Fenced)

export type ConnectionEvent<Class extends string = FaultClass> = CommandEvent | SurroundingEvent | LinkEvent<Class>

/**
 * What becomes of the requests that are under way when their link is left.
 *
 * - `cut`: they are told at once
 * - `refusals`: those that are being refused as well may hear of it first
 * - `drain`: they go on beside the next link, until they are answered, their own socket dies or their time is over
 */
export type UnderWay = 'cut' | 'refusals' | 'drain'

/** What the chart asks of the link actor. */
export type LinkCommand =
  /** Asks at the gate first, each time that it is said. */
  | { readonly type: 'open' }
  | { readonly type: 'negotiate' }
  | { readonly type: 'resume' }
  | { readonly type: 'discover' }
  | { readonly type: 'refresh' }
  | { readonly type: 'probe' }
  /** The listening stream may have died without a sign: it is asked for anew. */
  | { readonly type: 'relisten' }
  /** What was refused under the old credential, the listening stream or a message, is tried under the new one. */
  | { readonly type: 'renewed' }
  /**
   * The link is left, its session kept for the next one or not. Without a word, an ending link ends its session, and
   * cuts what is under way.
   */
  | { readonly type: 'detach'; readonly keep: boolean; readonly underWay: UnderWay }

export interface LinkInput {
  readonly runtime: Runtime
  readonly generation: number
  readonly dialect: Dialect
  readonly dialectsTried: readonly string[]
  readonly legacyAllowed: boolean
  /** Go on with the remembered session; otherwise forget it. */
  readonly resume: boolean
  readonly everReady: boolean
  readonly credentialEpoch: number
  readonly insists: boolean
}

export interface AuthInput {
  readonly runtime: Runtime
  /** The refusal that the step is to answer; absent for a refresh ahead of time. */
  readonly fault?: Fault
}

/** News for whoever embeds the connection. */
export type ConnectionEmitted =
  | { readonly type: 'connection.ready'; readonly generation: number; readonly resumed: boolean }
  | { readonly type: 'connection.lost'; readonly fault: Fault }
  | { readonly type: 'connection.retrying'; readonly attempt: number; readonly inMs: number; readonly fault?: Fault }
  | { readonly type: 'connection.held'; readonly because: HoldReason; readonly inMs: number }
  | { readonly type: 'connection.exhausted'; readonly fault: Fault }
  | { readonly type: 'connection.failed'; readonly fault: Fault }
  | { readonly type: 'connection.needs-user' }
  /** The application disconnected; the connection rests in idle until it is wanted again. */
  | { readonly type: 'connection.disconnected' }
  | { readonly type: 'connection.closed' }

/**
 * Questions to ask of a state, also of a state that an extension added.
 *
 * - `usable`: calls go straight to the server
 * - `busy`: something is being done right now
 * - `waiting`: nothing is done until a time or an event comes
 * - `needs-user`: a person has to log in
 * - `stepping-up`: a credential with more scope is asked for; calls that need it wait, all others go on
 * - `stopped`: calls are refused at once, with the fault
 * - `draining`: calls that are under way go on, new ones wait, although the state is usable; for extensions
 */
export type ConnectionTag = 'usable' | 'busy' | 'waiting' | 'needs-user' | 'stepping-up' | 'stopped' | 'draining'

export interface VerdictMeta {
  /** Id of the verdict or fencing rule. */
  readonly rule: string
}
