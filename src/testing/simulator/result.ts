import type { Connection, ConnectionOptions } from '../../connection/index.js'
import type { MadeCall } from './application.js'
import type { Crowd } from './crowd.js'
import type { Schedule } from './schedule.js'
import type { Breach } from './watch.js'

export interface SimulationOptions {
  /** Keep every line of the trace. Default `false`: only its hash. */
  readonly trace?: boolean
  /** Makes the connection from what the simulation gives. Default: `createConnection`. */
  readonly connect?: (options: ConnectionOptions) => Connection
}

/** What one schedule came to. */
export interface SimulationResult {
  readonly schedule: Schedule | Crowd
  readonly breaches: readonly Breach[]
  /** The same schedule gives the same hash. */
  readonly hash: string
  readonly trace: readonly string[] | undefined
  readonly simulatedMs: number
  readonly faults: number
  readonly calls: number
  /** Calls that were never settled, or not in time. */
  readonly lost: number
  /** Unsafe calls that ran more than once. */
  readonly doubled: number
  /** Links that were begun. */
  readonly links: number
  /** Requests for tokens. */
  readonly tokens: number
  /** Logins of the person. */
  readonly logins: number
}

/** Timers are whole milliseconds, and a call that goes again gets at least one. */
const SLACK_MS = 5

/** What became of calls; `runs` tells how often each had its effect. */
export function tally(
  calls: readonly MadeCall[],
  runs: (call: MadeCall) => number,
): Pick<SimulationResult, 'calls' | 'lost' | 'doubled'> {
  const inTime = ({ settledAt, deadline }: MadeCall) => settledAt !== undefined && settledAt <= deadline + SLACK_MS
  return {
    calls: calls.length,
    lost: calls.filter((call) => !inTime(call)).length,
    doubled: calls.filter((call) => call.unsafe && runs(call) > 1).length,
  }
}
