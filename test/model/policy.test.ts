import { describe, expect, it } from 'vitest'
import { backoffPresets, delays, type PolicyOptions, resolvePolicy } from '../../machines/index.js'
import { GATHER } from '../../machines/policy.js'

describe('the policy', () => {
  it('of a server on a network, when nothing is said', () => {
    expect(resolvePolicy('http')).toEqual({
      backoff: backoffPresets.gentle,
      maxAttempts: 20,
      stableAfterMs: 10_000,
      keepaliveMs: 30_000,
      slowProbeMs: 60_000,
      queueLimit: 256,
      onSessionLost: 'renew',
      connectMs: 10_000,
      initializeMs: 10_000,
      discoverMs: 10_000,
      probeMs: 5_000,
      callMs: 60_000,
      closeMs: 5_000,
    })
    expect(resolvePolicy('sse')).toEqual(resolvePolicy('http'))
    expect(resolvePolicy('custom')).toEqual(resolvePolicy('http'))
  })

  it('of a local process differs in its backoff and its time to start', () => {
    expect(resolvePolicy('stdio')).toEqual({
      ...resolvePolicy('http'),
      backoff: backoffPresets.responsive,
      connectMs: 60_000,
    })
  })

  it('takes presets by name, and figures with a default growth and jitter', () => {
    expect(resolvePolicy('http', { backoff: 'conservative' }).backoff).toBe(backoffPresets.conservative)
    expect(resolvePolicy('http', { backoff: { baseMs: 5, capMs: 5 } }).backoff).toEqual({
      baseMs: 5,
      capMs: 5,
      factor: 2,
      jitter: 'full',
    })
    expect(resolvePolicy('http', { slowProbeMs: false, keepaliveMs: 0, maxAttempts: 0 })).toMatchObject({
      slowProbeMs: false,
      keepaliveMs: 0,
      maxAttempts: 0,
    })
  })

  it.each<[string, object]>([
    ['policy.maxAttempts must be a whole number from 0, not 1.5', { maxAttempts: 1.5 }],
    ["policy has no option 'maxAttemps'; it takes backoff, maxAttempts", { maxAttemps: 3 }],
    ["policy.timeouts has no option 'connect'; it takes connectMs", { timeouts: { connect: 3 } }],
    ["policy.backoff has no option 'capMS'; it takes baseMs, capMs", { backoff: { baseMs: 1, capMs: 2, capMS: 3 } }],
    ['policy.timeouts must be an object, not 5', { timeouts: 5 }],
    ['policy.maxAttempts must be a whole number from 0, not -1', { maxAttempts: -1 }],
    ['policy.stableAfterMs must be milliseconds from 0 to 2147483647, not NaN', { stableAfterMs: Number.NaN }],
    ['policy.keepaliveMs must be milliseconds from 0 to 2147483647, not 2147483648', { keepaliveMs: 2 ** 31 }],
    ['policy.slowProbeMs must be milliseconds from 1 to 2147483647, not 0', { slowProbeMs: 0 }],
    ['policy.slowProbeMs must be milliseconds from 1 to 2147483647, not true', { slowProbeMs: true }],
    ['policy.queueLimit must be a whole number from 0, not Infinity', { queueLimit: Number.POSITIVE_INFINITY }],
    ['policy.onSessionLost must be one of renew, fail, not ignore', { onSessionLost: 'ignore' }],
    ['policy.timeouts.connectMs must be milliseconds from 1', { timeouts: { connectMs: 0 } }],
    ['policy.timeouts.initializeMs must be milliseconds from 1', { timeouts: { initializeMs: '5s' } }],
    ['policy.timeouts.discoverMs must be milliseconds from 1', { timeouts: { discoverMs: -1 } }],
    ['policy.timeouts.probeMs must be milliseconds from 1', { timeouts: { probeMs: 0 } }],
    ['policy.timeouts.callMs must be milliseconds from 1', { timeouts: { callMs: 0 } }],
    ['policy.timeouts.closeMs must be milliseconds from 1', { timeouts: { closeMs: 0 } }],
    ['policy.backoff must be one of responsive, gentle, conservative, not quick', { backoff: 'quick' }],
    ['policy.backoff.baseMs must be milliseconds from 1', { backoff: { baseMs: 0, capMs: 1 } }],
    ['policy.backoff.capMs must be milliseconds from 10', { backoff: { baseMs: 10, capMs: 9 } }],
    ['policy.backoff.factor must be from 1 to 100, not 0.5', { backoff: { baseMs: 1, capMs: 9, factor: 0.5 } }],
    [
      "policy.backoff.jitter must be 'full' or a share from 0 to 1, not 2",
      { backoff: { baseMs: 1, capMs: 9, jitter: 2 } },
    ],
  ])('%s', (sentence, options) => {
    expect(() => resolvePolicy('http', options as PolicyOptions)).toThrow(TypeError)
    expect(() => resolvePolicy('http', options as PolicyOptions)).toThrow(sentence)
  })
})

describe('the pauses before lists are read again', () => {
  const at = (name: 'gather' | 'listRetry', listRounds: number, random = 0): number =>
    delays[name]({ context: { listRounds, random: () => random } as never })

  it('while they change widen with each round, up to 5 s', () => {
    expect([0, 1, 2, 3, 4, 5, 1_000].map((rounds) => at('gather', rounds))).toEqual([
      GATHER.firstMs,
      600,
      1_200,
      2_400,
      4_800,
      5_000,
      5_000,
    ])
  })

  it('that could not be read grow to a minute', () => {
    expect([0, 1, 2, 3, 4, 5, 1_000].map((rounds) => at('listRetry', rounds))).toEqual([
      4_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
    ])
    expect(at('listRetry', 1, 1)).toBe(6_000)
  })
})
