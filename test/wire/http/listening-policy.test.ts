import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  firstListen,
  type ListenMemory,
  type ListenOutcome,
  nextListen,
  opened,
} from '../../../src/wire/http/listening-policy.js'

const up = opened(firstListen)
const half = () => 0.5

/** GETs by time of a stream that always ends the same way. */
function play(
  outcome: ListenOutcome,
  minutes: number,
  random: () => number,
  memory: ListenMemory = firstListen,
): number[] {
  const gets: number[] = []
  let now = 0
  let state = memory
  while (now < minutes * 60_000) {
    gets.push(now)
    const step = nextListen(outcome, outcome.type === 'ended' ? opened(state) : state, random)
    state = step.memory
    now += (outcome.type === 'ended' ? outcome.livedMs : 0) + (step.afterMs ?? Number.POSITIVE_INFINITY)
  }
  return gets
}

const inMinute = (gets: number[], minute: number) =>
  gets.filter((at) => at >= (minute - 1) * 60_000 && at < minute * 60_000).length

describe('a stream that ends', () => {
  it.each([0, 0.5, 0.999])(
    'at once and empty, for ever: at most 10 GETs in minute 1 and 2 in minute 10 (report 03.01)',
    (r) => {
      const gets = play({ type: 'ended', livedMs: 10, messages: 0 }, 10, () => r)
      expect(inMinute(gets, 1)).toBeLessThanOrEqual(10)
      expect(inMinute(gets, 10)).toBeLessThanOrEqual(2)
    },
  )

  it.each([0, 0.999])('after 55 s is asked for again within 2 s, each time', (r) => {
    const gets = play({ type: 'ended', livedMs: 55_000, messages: 0 }, 10, () => r)
    for (const [n, at] of gets.entries()) if (n > 0) expect(at - (gets[n - 1] ?? 0) - 55_000).toBeLessThanOrEqual(2_000)
  })

  it('with messages on it is slowed to 10 s at most', () => {
    const gets = play({ type: 'ended', livedMs: 10, messages: 1 }, 10, half)
    expect(Math.max(...gets.slice(1).map((at, n) => at - (gets[n] ?? 0)))).toBeLessThanOrEqual(12_600)
  })

  it('waits at least as long as the server asked, and 1 s whatever it asked', () => {
    for (const [retryMs, least] of [
      [0, 1_000],
      [5_000, 5_000],
      [1e15, 2 ** 31 - 1],
    ] as const) {
      const step = nextListen({ type: 'ended', livedMs: 60_000, messages: 3 }, { ...up, retryMs }, () => 0)
      expect(step.afterMs).toBeGreaterThanOrEqual(least)
    }
  })

  it.each([
    ['carried something', { type: 'ended', livedMs: 1, messages: 1 }, 'suspect'],
    ['lasted', { type: 'ended', livedMs: 40_000, messages: 0 }, 'fault'],
  ] as const)('dead at birth five times after one that %s is told once (report 03.04)', (_case, good, tell) => {
    const dead: ListenOutcome = { type: 'ended', livedMs: 1, messages: 0 }
    let memory = nextListen(good, up, half).memory
    const told = Array.from({ length: 8 }, () => {
      const step = nextListen(dead, memory, half)
      memory = step.memory
      return step.tell
    })
    expect(told).toEqual([undefined, undefined, undefined, undefined, tell, undefined, undefined, undefined])
  })
})

describe('a refusal', () => {
  const refused = (status: number, resuming = false): ListenOutcome => ({ type: 'refused', status, resuming })

  it.each([405, 501])('%i to the first GET: POST only, no more GETs', (code) => {
    const step = nextListen(refused(code), firstListen, half)
    expect(step).toMatchObject({ tell: 'post-only' })
    expect(step.afterMs).toBeUndefined()
  })

  it.each([400, 403, 404, 406, 415, 204, 200, 301, 410])(
    '%i to the first GET: POST only, told once; asked again ever more rarely, for another replica may have answered',
    (code) => {
      let memory = firstListen
      const steps = Array.from({ length: 14 }, () => {
        const step = nextListen(refused(code), memory, half)
        memory = step.memory
        return step
      })
      expect(steps.map(({ tell }) => tell)).toEqual(['post-only', ...Array.from({ length: 13 }, () => undefined)])
      const gaps = steps.map(({ afterMs = 0 }) => afterMs)
      expect(gaps.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000])
      expect(gaps.slice(-2)).toEqual([3_600_000, 3_600_000])
    },
  )

  it.each([408, 429, 500, 502, 503, 504, 529])('%i to the first GET: tried again, nothing told', (code) => {
    const step = nextListen(refused(code), firstListen, half)
    expect(step.tell).toBeUndefined()
    expect(step.afterMs).toBeGreaterThanOrEqual(1_000)
  })

  it('401: fault, told once, and never hot (SDK trap 11)', () => {
    expect(nextListen(refused(401), firstListen, half).tell).toBe('fault')
    expect(
      inMinute(
        play(refused(401), 10, () => 0),
        1,
      ),
    ).toBeLessThanOrEqual(6)
  })

  it('a later 404 is suspect once, the next one means POST only, and it goes on asking slowly (report 01.05)', () => {
    const first = nextListen(refused(404), up, half)
    const second = nextListen(refused(404), first.memory, half)
    const third = nextListen(refused(404), second.memory, half)
    expect([first.tell, second.tell, third.tell]).toEqual(['suspect', 'post-only', undefined])
    expect(third.afterMs).toBeGreaterThan(second.afterMs ?? 0)
  })

  it('409 waits with growing gaps; twice in a row is a fault, with anything between it is not (report 03.03)', () => {
    const first = nextListen(refused(409), up, half)
    const second = nextListen(refused(409), first.memory, half)
    expect([first.tell, second.tell]).toEqual([undefined, 'fault'])
    expect(first.afterMs).toBeGreaterThanOrEqual(4_000)
    expect(second.afterMs).toBeGreaterThan(first.afterMs ?? 0)
    expect(nextListen(refused(409), opened(first.memory), half).tell).toBeUndefined()
  })

  it('a refused event id is dropped and the stream asked for without it, at once', () => {
    expect(nextListen(refused(400, true), up, half)).toMatchObject({ dropEventId: true, afterMs: 0 })
    expect(nextListen(refused(404, true), firstListen, half)).toMatchObject({ dropEventId: true, afterMs: 0 })
  })
})

it('an unreachable server is suspect once, and asked for ever, ever slower up to a minute', () => {
  const first = nextListen({ type: 'unreachable' }, up, half)
  expect(first.tell).toBe('suspect')
  expect(nextListen({ type: 'unreachable' }, first.memory, half).tell).toBeUndefined()
  const gets = play({ type: 'unreachable' }, 60, () => 0.999)
  expect(gets.length).toBeGreaterThan(40)
})

it('whatever happens, the next GET is at least 1 s away (but for a dropped id) and within a timer', () => {
  const outcome = fc.oneof(
    fc.record({ type: fc.constant('ended' as const), livedMs: fc.nat(200_000), messages: fc.nat(3) }),
    fc.record({
      type: fc.constant('refused' as const),
      status: fc.integer({ min: 200, max: 599 }),
      resuming: fc.boolean(),
      retryAfterMs: fc.nat(2 ** 31 - 1),
    }),
    fc.constant({ type: 'unreachable' as const }),
  )
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(
      fc.array(fc.tuple(outcome, random, fc.boolean()), { maxLength: 80 }),
      fc.option(fc.nat()),
      (run, retry) => {
        let memory: ListenMemory = { ...firstListen, ...(retry !== null && { retryMs: retry }) }
        for (const [what, r, opens] of run) {
          const step = nextListen(what, opens ? opened(memory) : memory, () => r)
          memory = step.memory
          if (step.afterMs === undefined || step.dropEventId) continue
          expect(step.afterMs).toBeGreaterThanOrEqual(1_000)
          expect(step.afterMs).toBeLessThanOrEqual(2 ** 31 - 1)
        }
      },
    ),
  )
})
