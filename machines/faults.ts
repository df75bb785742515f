import type { Evidence } from './evidence.js'

/**
 * What kind of trouble it is, and so what may be done about it.
 *
 * - `transient`: wait and try again
 * - `session-expired`: initialize anew
 * - `unauthorized`: get a credential
 * - `mismatch`: try again differently (another version, another wire)
 * - `permanent`: stop; waiting cures nothing
 */
export type KnownFaultClass = 'transient' | 'session-expired' | 'unauthorized' | 'mismatch' | 'permanent'

/** Open, since a rule of the application may name a class of its own and an extension may give it a verdict. */
export type FaultClass = KnownFaultClass | (string & {})

/** `link`: the connection cannot go on as it is. `call`: one request failed; a disconnect it is not. */
export type FaultScope = 'link' | 'call'

/**
 * What is known of the request that met the fault: `not-sent`, `refused` (the server certainly did not run it) or
 * `unknown` (it may have run).
 */
export type Delivery = 'not-sent' | 'refused' | 'unknown'

/** Another way to speak to the same server; each is tried at most once until the connection has been stable. */
export interface Dialect {
  /** Protocol version to offer in `initialize`. */
  readonly version?: string
  /** Streamable HTTP, or the wire of the 2024-11-05 revision. */
  readonly wire?: 'http' | 'sse'
  /** End the remembered session before a new one is asked for. */
  readonly endSession?: true
}

export interface Fault<Class extends string = FaultClass> {
  readonly class: Class
  /** Stable and for programs: `http.503`, `process.exited`, `session.unknown`, … */
  readonly code: string
  readonly scope: FaultScope
  readonly delivery: Delivery
  /** The server named a time to wait, in milliseconds. */
  readonly retryAfterMs?: number
  /** The other way to try, for `mismatch`. */
  readonly dialect?: Dialect
  /** Worth a probe although nothing is lost yet. */
  readonly suspect?: true
  /** The server still holds the session that cannot be gone on with: it has to be ended. */
  readonly endsSession?: true
  /** One sentence that tells a person what to do. */
  readonly advice: string
  /** Id of the rule that judged. */
  readonly rule: string
  readonly evidence: Evidence
}

/**
 * One rule from evidence to fault. A class of the application's own is named in the type, `Rule<'rate-limited'>`; without
 * that only the library's are taken, so that a misspelt one is a compile error.
 */
export interface Rule<Class extends string = KnownFaultClass> {
  readonly id: string
  /** Why the evidence means this. */
  readonly because: string
  /** Section of the specification, or ids of field reports and server deviations. */
  readonly source?: string
  readonly when: (evidence: Evidence) => boolean
  readonly ruling: Ruling<Class>
}

export interface Ruling<Class extends string = KnownFaultClass> {
  readonly class: Class
  readonly scope: FaultScope
  /** May name facts of the evidence: `http.{status}`, `network.{errno}`. */
  readonly code: string
  /** May name facts of the evidence, as `code` may. */
  readonly advice: string
  /** Default `unknown`; evidence that nothing left makes any ruling `not-sent`. */
  readonly delivery?: Delivery
  /**
   * True where the sign is final on a new target but is also what a redeploy looks like: once the connection has been
   * ready on this target, the class is `transient` instead.
   */
  readonly transientOnceReady?: true
  readonly suspect?: true
  readonly endsSession?: true
  readonly dialect?: (evidence: Evidence) => Dialect | undefined
}

/**
 * The credential with which a fault grows old: a complaint of it is gone when there is a newer one. What is wrong beside
 * it, a session that is lost, stays wrong under every other.
 */
export const complainsOf = ({ class: is, evidence }: Fault): number | undefined =>
  is === 'unauthorized' ? evidence.credentialEpoch : undefined

/** The credential is good, but not for this one request. A listening stream that is refused may simply not be offered. */
export const wantsScope = ({ class: is, scope, evidence }: Fault): boolean =>
  is === 'unauthorized' && scope === 'call' && evidence.http?.exchange !== 'listen'

/** One name for each dialect, to remember which were tried. */
export function dialectKey(dialect: Dialect): string {
  if (dialect.version) return `version ${dialect.version}`
  return dialect.wire ? `wire ${dialect.wire}` : 'end session'
}
