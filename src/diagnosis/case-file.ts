import type { WireEvidence, WireKind } from '../../machines/evidence.js'
import type { Fault } from '../../machines/faults.js'
import type { Policy } from '../../machines/policy.js'
import type { ConnectionContext, HoldReason, SessionSummary } from '../../machines/types.js'
import type { Incident, OpenIncident, PastIncident } from './incident.js'

/** One link, from its beginning to its end. Times are clock times in milliseconds. */
export interface LinkRecord {
  readonly generation: number
  readonly begunAt: number
  /** It was not due by the policy: the application, or a call of it, asked for it. */
  readonly asked?: boolean
  readonly readyAt?: number
  readonly endedAt?: number
  /** It went on with an earlier session. */
  readonly resumed?: boolean
  readonly session?: SessionSummary
  /** The last fault met on it. */
  readonly fault?: Fault
}

export interface FaultRecord {
  readonly at: number
  readonly fault: Fault
}

/** A stream that ended and was not meant to. */
export interface CutRecord {
  readonly at: number
  readonly evidence: WireEvidence
}

/** How lists differed from what was known when they were read again; names by list. */
export interface ChangeRecord {
  readonly at: number
  readonly list: string
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** The counters of the chart that a judgement needs. */
type Counters = Pick<
  ConnectionContext,
  | 'attempts'
  | 'renewals'
  | 'earlyExits'
  | 'slowStarts'
  | 'missedProbes'
  | 'online'
  | 'postOnly'
  | 'everReady'
  | 'authorizer'
  | 'demand'
  | 'coolMs'
>

/**
 * All that is known of one connection at one moment, as plain data: what the checklist is worked through with. It holds
 * no secret that was known as one; what is told of it goes through the redactor once more.
 */
export interface CaseFile {
  readonly name: string
  readonly wire: WireKind
  /** The command, or the address without query and credentials. */
  readonly target: string
  /** Clock time of this file; all other times are of the same clock. */
  readonly now: number
  readonly status: string
  readonly statusSince: number
  /** Calls go straight to the server. */
  readonly usable: boolean
  /** Nothing is tried until somebody says so. */
  readonly stopped: boolean
  readonly policy: Policy
  readonly counters: Counters
  /** Why the attempt is held at the gate that all connections of the process share. */
  readonly held?: HoldReason
  /** When the next attempt is due. */
  readonly nextAttemptAt?: number
  /** The last sign of life of a usable link. */
  readonly lastLifeAt?: number
  readonly rttMs?: number
  /** The last fault, whether or not it is over. */
  readonly fault?: Fault
  /** The incident that goes on, or the last one. Without `outcome` it goes on. */
  readonly trouble?: OpenIncident & Partial<Incident>
  /** Those before it; the last 10. */
  readonly history: readonly PastIncident[]
  /** The last 20 links, oldest first. */
  readonly links: readonly LinkRecord[]
  /** The last 20 faults that ended no link: of calls, lists, probes. */
  readonly callFaults: readonly FaultRecord[]
  /** The last 20 streams that were cut. */
  readonly cuts: readonly CutRecord[]
  /** The last 20 differences of lists. */
  readonly changes: readonly ChangeRecord[]
  readonly lists: {
    /** 0: never. */
    readonly fetchedAt: number
    /** Items by list. */
    readonly counts: Readonly<Record<string, number>>
    /** Lists that could not be read. */
    readonly errors: Readonly<Record<string, Fault>>
  }
  /** Bytes on stdout that were no messages, and the first of them. */
  readonly noise: { readonly count: number; readonly text: string }
  /** The last that the child wrote to stderr. */
  readonly stderr: string
  readonly calls: { readonly made: number; readonly waiting: number }
  /** What this runs on. */
  readonly host: { readonly library: string; readonly runtime: string; readonly platform: string }
}
