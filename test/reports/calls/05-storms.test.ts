/**
 * Field reports of kind 5: storms, and giving up. 05.03, 05.05, 05.06 and 05.08 are in test/reports/http.
 * 05.07 is played for one connection here; for many connections to one server it is in test/reports/gate.test.ts.
 */
import { describe, expect, it } from 'vitest'
import { ConnectionFailedError } from '../../../src/index.js'
import { connected, failure, gaps, type Scene, scene, turns } from '../rig.js'
import { begun, drivenChild, passing } from '../stdio/rig.js'

/** Callers, each calling again a second after it was answered or refused. */
function callers({ connection, clock }: Scene, count: number) {
  let stopped = false
  let settled = 0
  const waiting = new Set<() => void>()
  const pause = () =>
    new Promise<void>((resolve) => {
      const go = () => {
        waiting.delete(go)
        resolve()
      }
      waiting.add(go)
      clock.setTimeout(go, 1_000)
    })
  const loop = async () => {
    while (!stopped) {
      await connection.request('ping', { n: settled }, { replay: 'never' }).catch(() => undefined)
      settled += 1
      if (!stopped) await pause()
    }
  }
  const all = Promise.all(Array.from({ length: count }, loop))
  return {
    get settled() {
      return settled
    },
    async stop() {
      stopped = true
      for (const go of waiting) go()
      await all
    },
  }
}

describe('05.01: a server that takes every handshake and drops everything a moment later', () => {
  /**
   * The report wants at most 25 handshakes in ten minutes. The design allows 20 attempts (40 while calls wait), then one each time that the
   * longest pause (10 s here) is over and somebody calls, so that a server that is well again is found within it.
   */
  it('05.01: is asked no faster than the policy allows, whoever calls; a connection that dies at once is no success (P6)', async () => {
    await using it = await scene({ policy: { maxAttempts: 8, backoff: { baseMs: 500, capMs: 10_000 } } })
    it.server.answer('tools/list', async (visit) => {
      await visit.healthy()
      await turns(3)
      it.server.forgetSessions()
      it.server.dropSockets()
    })
    it.server.answer('GET', () => {})
    const crowd = callers(it, 50)
    await it.pass(600_000, 1_000)
    const handshakes = it.server.requests('initialize')
    // The budget, twice as large as calls wait, with one renewal of the session; then one in each rest.
    expect(handshakes.length).toBeLessThanOrEqual(18 + 60)
    const late = gaps(handshakes).slice(18)
    expect(Math.min(...late)).toBeGreaterThanOrEqual(10_000)
    expect(crowd.settled).toBeGreaterThan(50)

    it.server.heal()
    await it.passUntil(() => it.connection.status === 'ready', 11_000, 500)
    const attempts = () => it.connection.actor.getSnapshot().context.attempts
    expect(attempts()).toBeGreaterThan(0)
    await it.pass(11_000, 500)
    expect(attempts()).toBe(0)
    expect(it.connection.status).toBe('ready')
    await crowd.stop()
  })

  it('05.01: what is refused meanwhile says why', async () => {
    await using it = await scene({ policy: { maxAttempts: 1, slowProbeMs: false } })
    await it.server.stop()
    void failure(it.connection.connect())
    await it.passUntil(() => it.connection.status === 'failed', 5_000)
    expect(await failure(it.call())).toMatchObject({
      code: 'CONNECTION_FAILED',
      fault: { code: 'network.ECONNREFUSED' },
    })
  })
})

it('05.02: a child that closes its stdout again and again is replaced within one budget, never beside the old one', async () => {
  await using driven = drivenChild(
    { on: { 'prompts/list': [{ answer: true }, { wait: 20 }, { close: 'stdout' }] } },
    { policy: { maxAttempts: 5, slowProbeMs: 60_000, keepaliveMs: 1_000, backoff: { baseMs: 100, capMs: 30_000 } } },
  )
  const { scene: child, clock } = driven
  const most: number[] = []
  child.connection.status$.subscribe(() => most.push(child.living.length))
  void child.connection.connect().catch(() => undefined)
  await passing(clock, () => child.connection.status === 'failed', 100)
  const { context } = child.connection.actor.getSnapshot()
  expect(context.attempts).toBe(5)
  expect(child.starts).toHaveLength(6)
  expect(Math.max(...most)).toBeLessThanOrEqual(1)
  expect(child.connection.fault?.code).toBe('process.exited')
  // From here on one start a minute, however short the keepalive is.
  clock.increment(44_000)
  expect(child.connection.status).toBe('failed')
  await passing(clock, () => child.starts.length === 7, 1_000)
})

it('05.04: the count of attempts outlives every link: pauses double up to the cap (P7)', async () => {
  await using it = await scene({ policy: { backoff: { baseMs: 1_000, capMs: 8_000, jitter: 0 }, maxAttempts: 7 } })
  const waits: number[] = []
  it.connection.actor.on('*', (news) => {
    if (news.type === 'connection.retrying') waits.push(news.inMs)
  })
  await it.server.stop()
  void failure(it.connection.connect())
  await it.passUntil(() => it.connection.status === 'failed', 60_000)
  expect(waits).toEqual([500, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000])
  expect(it.connection.actor.getSnapshot().context.generation).toBe(8)
})

describe('05.07: a server that never answers its handshake', () => {
  it('05.07: ten users of one connection share one start and one deadline', async () => {
    await using driven = drivenChild(
      { on: { initialize: [{ hang: true }] } },
      { policy: { maxAttempts: 1, slowProbeMs: false, timeouts: { connectMs: 2_000 } } },
    )
    const { scene: child, clock } = driven
    const users = Array.from({ length: 10 }, (_, n) =>
      failure(n % 2 ? child.connection.connect() : child.connection.callTool({ name: 'echo' })),
    )
    // Two attempts after the first, as calls wait; the time of a start doubles, but is that of one, not of ten.
    for (const [before, budgetMs] of [2_000, 4_000, 8_000].entries()) {
      await begun(driven, before + 1)
      expect(child.living).toHaveLength(1)
      clock.increment(budgetMs - 1)
      expect(child.connection.status).toBe('initializing')
      clock.increment(1)
    }
    expect(child.connection.status).toBe('failed')
    for (const error of await Promise.all(users)) expect(error).toBeInstanceOf(ConnectionFailedError)
    expect(child.starts).toHaveLength(3)
  })
})

it('05.01: fifty callers of a healthy connection cost nothing but their calls', async () => {
  await using it = await connected()
  await Promise.all(Array.from({ length: 50 }, () => it.call()))
  expect(it.server.count('initialize')).toBe(1)
  expect(it.ledger.total).toBe(50)
})
