/** Every deadline and pause of the chart by name, in milliseconds. They depend on context alone. */
import { clampDelay, retryDelay, spread, startBudget } from './backoff.js'
import {
  AUTHORIZE_MS,
  CONSENT_MS,
  GATHER,
  LEAST_REFRESH_MS,
  LIST_RETRY,
  OFFLINE_RECHECK_MS,
  PROBE_PAUSE_MS,
  WAKE_SPREAD_MS,
} from './policy.js'
import type { ConnectionContext } from './types.js'

interface Args {
  readonly context: ConnectionContext
}

/** A child's whole start, from spawn to handshake, has one budget; on a network each step has its own. */
const startMs = (context: ConnectionContext, stepMs: number): number =>
  context.wire === 'stdio' ? startBudget(context.policy.connectMs, context.slowStarts) : stepMs

export const delays = {
  connectTimeout: ({ context }: Args) => startMs(context, context.policy.connectMs),
  initializeTimeout: ({ context }: Args) => startMs(context, context.policy.initializeMs),
  discoverTimeout: ({ context }: Args) => context.policy.discoverMs,
  probeTimeout: ({ context }: Args) => context.policy.probeMs,
  closeTimeout: ({ context }: Args) => context.policy.closeMs,
  authorizeTimeout: () => AUTHORIZE_MS,

  keepalive: ({ context }: Args) => context.policy.keepaliveMs,
  stableAfter: ({ context }: Args) => context.policy.stableAfterMs,
  probePause: () => PROBE_PAUSE_MS,
  wakePause: ({ context }: Args) => clampDelay(context.random() * WAKE_SPREAD_MS),

  hold: ({ context }: Args) => context.holdMs,
  cooling: ({ context }: Args) => clampDelay(context.coolMs),
  retryDelay: ({ context }: Args) => context.waitMs,
  offlineRecheck: ({ context }: Args) => spread(OFFLINE_RECHECK_MS, 0.25, context.random()),
  /**
   * As long as the longest pause of the backoff, and as the server asked for: a crowd of callers cannot drive attempts
   * faster than the policy.
   */
  rest: ({ context }: Args) => Math.max(context.policy.backoff.capMs, context.coolMs),
  slowProbe: ({ context }: Args) => spread(context.policy.slowProbeMs || 0, 0.25, context.random()),

  gather: ({ context }: Args) => Math.min(GATHER.firstMs * 2 ** Math.min(context.listRounds, 10), GATHER.mostMs),
  listsQuiet: () => GATHER.quietMs,
  listRetry: ({ context }: Args) =>
    retryDelay({ policy: LIST_RETRY, attempt: Math.max(2, context.listRounds + 1), random: context.random() }),

  tokenRefresh: ({ context }: Args) => clampDelay(Math.max((context.refreshAt ?? 0) - context.now(), LEAST_REFRESH_MS)),
  consentTimeout: () => CONSENT_MS,
}

export type DelayName = keyof typeof delays
