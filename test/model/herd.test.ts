import { describe, expect, it } from 'vitest'
import { type BackoffPolicy, backoffPresets, DEMAND_ATTEMPTS, retryDelay } from '../../machines/backoff.js'

/** Small, seeded and good enough for spreading: mulberry32. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const CLIENTS = 1_000

/** All clients lose one server in the same moment; it comes back after 10 s and takes everyone at once. */
function outage(policy: BackoffPolicy, seed: number, demand = false, awayMs = 10_000) {
  const random = seeded(seed)
  const dials = new Map<number, number>()
  const back: number[] = []
  let attempts = 0
  for (let client = 0; client < CLIENTS; client++) {
    let at = 0
    for (let attempt = 1; ; attempt++) {
      at += retryDelay({ policy, attempt, random: random(), demand })
      const slot = Math.floor(at / 100)
      dials.set(slot, (dials.get(slot) ?? 0) + 1)
      if (at >= awayMs) break
      attempts += 1
    }
    back.push(at - awayMs)
  }
  back.sort((a, b) => a - b)
  const after = [...dials].filter(([slot]) => slot >= awayMs / 100).map(([, count]) => count)
  return {
    p50: back[CLIENTS * 0.5] ?? Number.NaN,
    p99: back[CLIENTS * 0.99] ?? Number.NaN,
    peak: Math.max(...after) / CLIENTS,
    attempts: attempts / CLIENTS,
  }
}

describe('1,000 clients of a server that is away for 10 s', () => {
  const seeds = Array.from({ length: 10 }, (_, i) => i + 1)

  it.each(seeds)('come back spread out, and soon, under `gentle` (seed %i)', (seed) => {
    const { p50, p99, peak, attempts } = outage(backoffPresets.gentle, seed)
    expect(peak).toBeLessThanOrEqual(0.05)
    expect(p99).toBeLessThanOrEqual(10_000)
    expect(p50).toBeLessThanOrEqual(3_500)
    expect(attempts).toBeLessThanOrEqual(6)
  })

  it.each(seeds)('stay spread out, and are back within 2.5 s, while calls wait (seed %i)', (seed) => {
    const { p99, peak, attempts } = outage(backoffPresets.gentle, seed, true)
    expect(peak).toBeLessThanOrEqual(0.12)
    expect(p99).toBeLessThanOrEqual(2_500)
    expect(attempts).toBeLessThanOrEqual(DEMAND_ATTEMPTS + 1)
  })

  it('would all come back in the same moment without chance', () => {
    expect(outage({ baseMs: 1_000, capMs: 30_000, jitter: 0, factor: 1 }, 1).peak).toBeGreaterThan(0.09)
  })
})
