import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BackoffPolicy,
  backoffPresets,
  clampDelay,
  DEMAND_ATTEMPTS,
  DEMAND_CAP_MS,
  MAX_DELAY_MS,
  retryDelay,
  spread,
  startBudget,
} from '../../machines/backoff.js'

const { responsive, gentle, conservative } = backoffPresets
const almostOne = 1 - Number.EPSILON
const bounds = (policy: BackoffPolicy, attempt: number, more: object = {}): [number, number] => [
  retryDelay({ policy, attempt, random: 0, ...more }),
  retryDelay({ policy, attempt, random: almostOne, ...more }),
]

describe('the wait before an attempt', () => {
  it.each([
    // The first comes anywhere in 0..base, whatever the jitter.
    ['responsive', responsive, 1, 0, 100],
    ['responsive', responsive, 2, 200, 300],
    ['responsive', responsive, 5, 1_600, 2_400],
    ['responsive', responsive, 9, 25_600, 38_400],
    ['responsive', responsive, 10, 30_000, 45_000],
    ['responsive', responsive, 1_000, 30_000, 45_000],
    ['gentle', gentle, 1, 0, 500],
    ['gentle', gentle, 2, 0, 1_000],
    ['gentle', gentle, 5, 0, 8_000],
    ['gentle', gentle, 6, 0, 10_000],
    ['gentle', gentle, 1_000_000, 0, 10_000],
    ['conservative', conservative, 1, 0, 1_000],
    ['conservative', conservative, 5, 0, 16_000],
    ['conservative', conservative, 6, 0, 30_000],
    ['without jitter', { baseMs: 10, capMs: 1_000, factor: 3, jitter: 0 }, 3, 90, 90],
    ['by the default factor and jitter', { baseMs: 10, capMs: 1_000 }, 3, 0, 40],
  ] as const)('%s: %#', (_, policy, attempt, least, most) => {
    expect(bounds(policy, attempt)).toEqual([least, most])
  })

  it.each([
    [1, 0, 500],
    [3, 0, 2_000],
    [DEMAND_ATTEMPTS, 0, DEMAND_CAP_MS],
    [DEMAND_ATTEMPTS + 1, 0, 10_000],
  ])('is at most 2 s for the first 10 attempts while a call waits: attempt %i', (attempt, least, most) => {
    expect(bounds(gentle, attempt, { demand: true })).toEqual([least, most])
  })

  it.each([
    [1, 500],
    [5_000, 500],
    [5_010, 501],
    [60_000, 6_000],
    [MAX_DELAY_MS, 214_748_365],
  ])(
    'after %i ms that the server named is spread over the base, at least, or a tenth of that time',
    (cooledMs, most) => {
      expect(bounds(gentle, 7, { cooledMs })).toEqual([0, most])
      expect(bounds(gentle, 7, { cooledMs, demand: true })).toEqual([0, most])
    },
  )

  const policies = fc.record({
    baseMs: fc.integer({ min: 1, max: 1e6 }),
    capMs: fc.integer({ min: 1e6, max: MAX_DELAY_MS }),
    factor: fc.double({ min: 1, max: 100, noNaN: true }),
    jitter: fc.oneof(fc.constant('full' as const), fc.double({ min: 0, max: 1, noNaN: true })),
  })
  const chance = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
  const attempts = fc.integer({ min: 1, max: 2_000 })

  it('always fits a timer, and stays below the cap and its jitter', () => {
    fc.assert(
      fc.property(
        policies,
        attempts,
        chance,
        fc.boolean(),
        fc.nat(MAX_DELAY_MS),
        (policy, attempt, random, demand, cooledMs) => {
          const ms = retryDelay({ policy, attempt, random, demand, cooledMs })
          expect(Number.isInteger(ms) && ms >= 0 && ms <= MAX_DELAY_MS).toBe(true)
          const share = policy.jitter === 'full' ? 0 : policy.jitter
          const most = cooledMs > 0 ? Math.max(policy.baseMs, cooledMs / 10) : policy.capMs * (1 + share)
          expect(ms).toBeLessThanOrEqual(Math.ceil(most))
        },
      ),
    )
  })

  it('never shrinks from one attempt to the next, by the same chance', () => {
    fc.assert(
      fc.property(policies, attempts, chance, (policy, attempt, random) => {
        const [ms, next] = [attempt, attempt + 1].map((a) => retryDelay({ policy, attempt: a, random }))
        expect(next).toBeGreaterThanOrEqual(ms ?? Number.NaN)
      }),
    )
  })

  it('is never longer because a call waits', () => {
    fc.assert(
      fc.property(policies, attempts, chance, (policy, attempt, random) => {
        const given = { policy, attempt, random }
        expect(retryDelay({ ...given, demand: true })).toBeLessThanOrEqual(retryDelay(given))
      }),
    )
  })
})

describe('a delay', () => {
  it.each([
    [Number.NaN, 0],
    [-1, 0],
    [0, 0],
    [0.4, 0],
    [1.5, 2],
    [2 ** 31 - 1, MAX_DELAY_MS],
    [2 ** 31, MAX_DELAY_MS],
    [Number.POSITIVE_INFINITY, MAX_DELAY_MS],
    [Number.NEGATIVE_INFINITY, 0],
  ])('of %d ms becomes %d ms, which a timer holds', (ms, held) => expect(clampDelay(ms)).toBe(held))

  it('is spread to both sides', () => {
    expect([0, 0.5, almostOne].map((random) => spread(60_000, 0.25, random))).toEqual([45_000, 60_000, 75_000])
  })

  it('for a start doubles with each start that was too slow, up to four times', () => {
    expect([0, 1, 2, 3, 50].map((slow) => startBudget(60_000, slow))).toEqual([
      60_000, 120_000, 240_000, 240_000, 240_000,
    ])
    expect(startBudget(MAX_DELAY_MS, 9)).toBe(MAX_DELAY_MS)
  })
})
