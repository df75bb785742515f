import { type BackoffPolicy, type BackoffPreset, backoffPresets, MAX_DELAY_MS } from './backoff.js'
import type { WireKind } from './evidence.js'

/** What the user may say about how a connection is kept. All times in milliseconds. */
export interface PolicyOptions {
  /** A preset or figures. Default `responsive` for stdio, `gentle` for everything on a network. */
  readonly backoff?: BackoffPreset | BackoffPolicy
  /** Attempts in a row before the connection rests as `exhausted`; twice as many while a call waits. Default 20. */
  readonly maxAttempts?: number
  /** How long a connection must hold before its past failures are forgotten. Default 10 s. */
  readonly stableAfterMs?: number
  /** Time between probes of a link that has proved itself. Default 30 s; 0: never, nor where a server takes POST only. */
  readonly keepaliveMs?: number
  /** An exhausted connection tries again so often, ± 25 %. Default 60 s; `false`: only on demand or `retry()`. */
  readonly slowProbeMs?: number | false
  /** Calls that may wait for the connection. Default 256. */
  readonly queueLimit?: number
  /** A lost session is renewed (`renew`, the default), or ends the connection (`fail`) where its state cannot be remade. */
  readonly onSessionLost?: 'renew' | 'fail'
  readonly timeouts?: {
    /** Opening the wire. Default 10 s; for stdio 60 s for the whole start, doubling after a start that was too slow, up to four times. */
    readonly connectMs?: number
    /** The handshake, or the resuming request. Default 10 s (stdio: within `connectMs`). */
    readonly initializeMs?: number
    /** Reading all lists. Default 10 s; the connection is ready then, with what has come. */
    readonly discoverMs?: number
    /** One probe. Default 5 s. */
    readonly probeMs?: number
    /** One call, unless the call says otherwise. Default 60 s. */
    readonly callMs?: number
    /** Ending the session and the wire. Default 5 s. */
    readonly closeMs?: number
  }
}

/** The same with every default filled in. */
export interface Policy {
  readonly backoff: BackoffPolicy
  readonly maxAttempts: number
  readonly stableAfterMs: number
  readonly keepaliveMs: number
  readonly slowProbeMs: number | false
  readonly queueLimit: number
  readonly onSessionLost: 'renew' | 'fail'
  readonly connectMs: number
  readonly initializeMs: number
  readonly discoverMs: number
  readonly probeMs: number
  readonly callMs: number
  readonly closeMs: number
}

/** Exits before ready, in a row, of one command after which it is no longer started again and again. */
export const CRASH_MEMORY = 3
/** Credentials in a row, each refused, after which no further one is asked for (at most 3 authorization requests). */
export const MAX_AUTHORIZATIONS = 3
/** So often in a row a session may be asked to go on without any answer; then a new one is made. */
export const MAX_UNANSWERED_RESUMES = 2
/** When one request is refused because its session is lost, the refusals of the others may take so long. */
export const REFUSALS_MS = 250
/** Probes in a row that may go unanswered or fail. */
export const MAX_MISSED_PROBES = 2
/** A probe that failed at once is followed by the next after this time: a proxy that is reloaded refuses one, not two. */
export const PROBE_PAUSE_MS = 250
/** A link that is held at the gate asks again so often, in case nobody calls it. */
export const HOLD_RECHECK_MS = 30_000
/** While the network is known to be away, the connection looks again so often. */
export const OFFLINE_RECHECK_MS = 30_000
/** A server that names a longer time is asked again after this one: it may have meant something else (report 05.06). */
export const MAX_COOL_MS = 3_600_000
/** After a wake or the return of the network, probes and dials that nobody waits for are spread over this time. */
export const WAKE_SPREAD_MS = 2_000
/** How long one step of an authorization may take. */
export const AUTHORIZE_MS = 30_000
/** How long a person may take to agree to more scope while the connection serves everything else. */
export const CONSENT_MS = 600_000

/** No credential is refreshed again sooner than this, however short it says it lives. */
export const LEAST_REFRESH_MS = 1_000
/** A refresh ahead of time that failed is tried again after this time. */
export const REFRESH_AGAIN_MS = 30_000

/** How changes of the server's lists are gathered before they are read again (report 06.03). */
export const GATHER = { firstMs: 300, mostMs: 5_000, quietMs: 10_000 } as const
/** Lists that could not be read are asked for again, growing to the cap. */
export const LIST_RETRY: BackoffPolicy = { baseMs: 2_000, capMs: 60_000, factor: 2, jitter: 0.5 }

/** A change of some options leaves the others as they were given. */
export const mergePolicy = (given: PolicyOptions, change: PolicyOptions): PolicyOptions => ({
  ...given,
  ...change,
  timeouts: { ...given.timeouts, ...change.timeouts },
})

/** Every key of a type, which the compiler keeps complete. */
const keysOf = <T>(keys: Record<keyof Required<T>, true>): readonly string[] => Object.keys(keys)

const policyKeys = keysOf<PolicyOptions>({
  backoff: true,
  maxAttempts: true,
  stableAfterMs: true,
  keepaliveMs: true,
  slowProbeMs: true,
  queueLimit: true,
  onSessionLost: true,
  timeouts: true,
})
const timeoutKeys = keysOf<NonNullable<PolicyOptions['timeouts']>>({
  connectMs: true,
  initializeMs: true,
  discoverMs: true,
  probeMs: true,
  callMs: true,
  closeMs: true,
})
const backoffKeys = keysOf<BackoffPolicy>({ baseMs: true, capMs: true, factor: true, jitter: true })

/**
 * Fills in the defaults and refuses what cannot be meant.
 *
 * @throws TypeError that names the option and what it may be
 */
export function resolvePolicy(wire: WireKind, options: PolicyOptions = noOptions): Policy {
  if (options !== noOptions) return resolved(wire, options)
  const known = defaultPolicies.get(wire) ?? Object.freeze(resolved(wire, options))
  defaultPolicies.set(wire, known)
  return known
}

const noOptions: PolicyOptions = Object.freeze({})
/** A thousand connections that ask for nothing of their own share what they get. */
const defaultPolicies = new Map<WireKind, Policy>()

function resolved(wire: WireKind, options: PolicyOptions): Policy {
  const { timeouts = {} } = options
  known('policy', options, policyKeys)
  known('policy.timeouts', timeouts, timeoutKeys)
  const stdio = wire === 'stdio'
  return {
    backoff: backoffFor(options.backoff ?? (stdio ? 'responsive' : 'gentle')),
    maxAttempts: count('policy.maxAttempts', options.maxAttempts ?? 20, 0),
    stableAfterMs: ms('policy.stableAfterMs', options.stableAfterMs ?? 10_000),
    keepaliveMs: ms('policy.keepaliveMs', options.keepaliveMs ?? 30_000),
    slowProbeMs: options.slowProbeMs === false ? false : ms('policy.slowProbeMs', options.slowProbeMs ?? 60_000, 1),
    queueLimit: count('policy.queueLimit', options.queueLimit ?? 256, 0),
    onSessionLost: oneOf('policy.onSessionLost', options.onSessionLost ?? 'renew', ['renew', 'fail']),
    connectMs: ms('policy.timeouts.connectMs', timeouts.connectMs ?? (stdio ? 60_000 : 10_000), 1),
    initializeMs: ms('policy.timeouts.initializeMs', timeouts.initializeMs ?? 10_000, 1),
    discoverMs: ms('policy.timeouts.discoverMs', timeouts.discoverMs ?? 10_000, 1),
    probeMs: ms('policy.timeouts.probeMs', timeouts.probeMs ?? 5_000, 1),
    callMs: ms('policy.timeouts.callMs', timeouts.callMs ?? 60_000, 1),
    closeMs: ms('policy.timeouts.closeMs', timeouts.closeMs ?? 5_000, 1),
  }
}

function backoffFor(given: BackoffPreset | BackoffPolicy): BackoffPolicy {
  if (typeof given === 'string') {
    oneOf('policy.backoff', given, Object.keys(backoffPresets))
    return backoffPresets[given]
  }
  known('policy.backoff', given, backoffKeys)
  const baseMs = ms('policy.backoff.baseMs', given.baseMs, 1)
  const capMs = ms('policy.backoff.capMs', given.capMs, baseMs)
  const { factor = 2, jitter = 'full' } = given
  if (!(factor >= 1 && factor <= 100)) throw new TypeError(`policy.backoff.factor must be from 1 to 100, not ${factor}`)
  if (jitter !== 'full' && !(jitter >= 0 && jitter <= 1)) {
    throw new TypeError(`policy.backoff.jitter must be 'full' or a share from 0 to 1, not ${jitter}`)
  }
  return { baseMs, capMs, factor, jitter }
}

/** A key that is misspelt would be a default that nobody asked for. */
function known(name: string, given: unknown, keys: readonly string[]): void {
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`${name} must be an object, not ${String(given)}`)
  const stranger = Object.keys(given).find((key) => !keys.includes(key))
  if (stranger !== undefined) throw new TypeError(`${name} has no option '${stranger}'; it takes ${keys.join(', ')}`)
}

function ms(name: string, value: number, least = 0): number {
  if (typeof value === 'number' && value >= least && value <= MAX_DELAY_MS) return value
  throw new TypeError(`${name} must be milliseconds from ${least} to ${MAX_DELAY_MS}, not ${String(value)}`)
}

function count(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new TypeError(`${name} must be a whole number from ${least}, not ${String(value)}`)
}

function oneOf<T extends string>(name: string, value: T, choices: readonly string[]): T {
  if (choices.includes(value)) return value
  throw new TypeError(`${name} must be one of ${choices.join(', ')}, not ${String(value)}`)
}
