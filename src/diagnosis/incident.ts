import type { Fault } from '../../machines/faults.js'

/** One try to get a connection back that failed. */
export interface FailedAttempt {
  /** Clock time of its failure, in milliseconds. */
  readonly at: number
  /** How long it had lasted, in milliseconds. */
  readonly lastedMs: number
  readonly fault: Fault
}

/** What the server was told again in a new session, or why it could not be. */
export interface RestoredThing {
  readonly what: 'logLevel' | 'subscription'
  /** The level, or the resource's URI. */
  readonly value: string
  readonly fault?: Fault
}

/** Trouble that goes on. */
export interface OpenIncident {
  /**
   * - `start`: the first connecting failed
   * - `loss`: a connection that had been ready was lost
   * - `reconnect`: it had been given up, was tried again, and failed again; `origin` tells what it all goes back to
   */
  readonly kind: 'start' | 'loss' | 'reconnect'
  /** Clock time in milliseconds. */
  readonly startedAt: number
  /** The fault that began it. What failed later is in `attempts`. */
  readonly reason: Fault
  /** For `reconnect`: the disconnect, or the first failure, that it goes back to. */
  readonly origin?: { readonly at: number; readonly fault: Fault }
  /** What failed after that, in order; the last 20. */
  readonly attempts: readonly FailedAttempt[]
  /** How many failed altogether. */
  readonly failures: number
}

/** From a loss to the recovery, or to the giving up: what began it, what was tried, how long it took. */
export interface Incident extends OpenIncident {
  /** `disconnected`: the application did so while the connection was being made again. */
  readonly outcome: 'recovered' | 'exhausted' | 'failed' | 'disconnected' | 'closed'
  /** What was put back into a new session, item by item. Only for `recovered`. */
  readonly restored?: readonly RestoredThing[]
  /** The old session was gone on with. Only for `recovered`. */
  readonly resumed?: boolean
  readonly durationMs: number
}

/** What is kept of an incident when another one followed it. */
export interface PastIncident extends Pick<Incident, 'kind' | 'startedAt' | 'failures' | 'outcome' | 'durationMs'> {
  /** Code of the fault that began it. */
  readonly code: string
}
