/**
 * Field reports of kind 3: the listening stream. Calls and handshakes are in 03-stalls.test.ts.
 *
 * 03.05: test/wire/http/traps.test.ts, "neither silence before the head nor on a stream is cut, whatever the dispatcher
 * would do": undici's own timers tick by the real clock, and nothing above the wire has to do with them.
 * 03.10, the silent `endpoint` of the older transport: 13-other.test.ts, and test/wire/sse/session.test.ts.
 */
import { describe, expect, it } from 'vitest'
import { OutcomeUnknownError } from '../../../src/index.js'
import {
  after,
  hang,
  healthy,
  inTurn,
  type Play,
  rpcError,
  sse,
  status,
} from '../../../src/testing/fault-server/index.js'
import { connected, failure, gaps, type Scene, scene } from '../rig.js'

const listChanged = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }

const inMinute = ({ server }: Scene, minute: number): number =>
  server.requests('GET').filter(({ at }) => at >= (minute - 1) * 60_000 && at < minute * 60_000).length

describe('03.01: the server ends the listening stream again and again', () => {
  it('03.01: at once: asked for ever more rarely, calls go on, the status does not flap', async () => {
    await using it = await scene()
    it.server.answer('GET', sse([]))
    await it.connection.connect()
    await it.pass(600_000, 500)
    expect(inMinute(it, 1)).toBeLessThanOrEqual(10)
    expect(inMinute(it, 10)).toBeLessThanOrEqual(2)
    await it.call()
    expect(it.statuses.filter((status) => status === 'ready')).toHaveLength(1)
    expect(it.server.count('initialize')).toBe(1)
  })

  it('03.01 R: the time that the server asks for is served', async () => {
    await using it = await scene()
    it.server.answer('GET', inTurn(sse([{ retry: 5_000, data: '' }]), healthy()))
    await it.connection.connect()
    await it.passUntil(() => it.server.count('GET') === 2, 10_000)
    expect(gaps(it.server.requests('GET'))[0]).toBeGreaterThanOrEqual(5_000)
  })

  it('03.01 L: a stream that lived 55 s is asked for within 2 s, every time', async () => {
    await using it = await connected()
    for (let cycle = 1; cycle <= 10; cycle++) {
      await it.pass(55_000, 1_000)
      it.server.streams.end()
      await it.passUntil(() => it.server.count('GET') === cycle + 1, 2_000)
    }
    expect(it.connection.status).toBe('ready')
  })

  it('03.01 E: one change told per short stream: each is heard, and the lists are read', async () => {
    await using it = await scene()
    it.server.answer('GET', sse([{ data: listChanged }]))
    let heard = 0
    it.connection.notifications$.subscribe(() => {
      heard += 1
    })
    await it.connection.connect()
    await it.pass(120_000)
    expect(it.server.count('GET')).toBeGreaterThan(8)
    expect(heard).toBe(it.server.count('GET'))
    expect(it.server.count('tools/list')).toBeGreaterThan(heard / 2)
  })
})

it('03.02: a stream without event ids is reopened without one, and the lists are read again', async () => {
  await using it = await connected()
  const read = it.server.count('tools/list')
  it.server.health.tools = [{ name: 'added', inputSchema: { type: 'object' } }]
  it.server.streams.cut()
  await it.passUntil(() => it.server.count('GET') === 2, 3_000)
  expect(it.server.requests('GET')[1]?.lastEventId).toBeUndefined()
  await it.passUntil(() => it.server.count('tools/list') === read + 1, 2_000)
  expect(it.connection.catalog.tools.map(({ name }) => name)).toEqual(['added'])
})

describe('03.03: the server holds the dead predecessor of the listening stream open', () => {
  const conflict = rpcError(-32000, 'Conflict: Only one SSE stream is allowed per session', { code: 409 })

  /** One stream per session, whose place is freed by nothing but the end of the session. */
  const onePlace = (refusal: Play): Play => {
    const taken = new Set<string | undefined>()
    return (visit) => {
      if (taken.has(visit.request.session)) return refusal(visit)
      taken.add(visit.request.session)
      return visit.healthy()
    }
  }

  it('03.03: after two refusals, with growing gaps, the session is replaced; a call under way in it is answered', async () => {
    await using it = await scene()
    it.server.answer('GET', onePlace(conflict))
    await it.connection.connect()
    await it.settled()
    it.server.once(
      'tools/call',
      after(({ server }) => server.wait(12_000), healthy()),
    )
    const call = it.call()
    it.server.streams.cut()
    await it.passUntil(() => it.server.streams.size === 1, 30_000)
    const [first, ...later] = gaps(it.server.requests('GET').filter(({ session }) => session === 'session-1'))
    expect(later).toHaveLength(1)
    expect(later[0]).toBeGreaterThan(first ?? 0)
    expect(it.server.requests('DELETE')).toMatchObject([{ session: 'session-1' }])
    expect(it.server.requests('initialize')[1]?.session).toBeUndefined()
    expect(it.server.requests('DELETE')[0]?.at).toBeGreaterThanOrEqual(12_000)
    expect(await call).toHaveProperty('content')
    expect(it.losses).toEqual(['session.listening-conflict'])
  })

  it('03.03: a call that does not end holds this up for half a minute at most', async () => {
    await using it = await scene()
    it.server.answer('GET', onePlace(conflict))
    await it.connection.connect()
    it.server.answer('tools/call', it.ledger.ran(hang()))
    const call = failure(it.call())
    await it.settled()
    it.server.streams.cut()
    await it.passUntil(() => it.server.count('initialize') === 2, 60_000)
    expect(await call).toBeInstanceOf(OutcomeUnknownError)
  })

  it('03.03: a place that is free again after 4 s needs no new session', async () => {
    await using it = await connected()
    it.server.once('GET', conflict)
    it.server.streams.cut()
    await it.passUntil(() => it.server.streams.size === 1, 15_000)
    await it.pass(60_000)
    expect(it.server.count('initialize')).toBe(1)
  })

  it('03.03: 400 "session already exists" for two minutes is asked about with growing gaps, in the same session', async () => {
    await using it = await connected()
    it.server.answer('GET', (visit) =>
      it.clock.now() < 120_000
        ? status(400, { body: 'Session registration failed: session already exists' })(visit)
        : visit.healthy(),
    )
    it.server.streams.cut()
    await it.passUntil(() => it.server.streams.size === 1, 400_000, 1_000)
    expect(it.server.count('initialize')).toBe(1)
    expect(it.server.count('GET')).toBeLessThan(12)
    expect(it.statuses.at(-1)).toBe('ready')
  })
})

it('03.04: further streams that are dead at birth, after one that lasted: a new session, once', async () => {
  await using it = await scene()
  const opened = new Set<string | undefined>()
  it.server.answer('GET', (visit) => {
    if (opened.has(visit.request.session)) return sse([])(visit)
    opened.add(visit.request.session)
    return visit.healthy()
  })
  await it.connection.connect()
  await it.pass(40_000, 1_000)
  it.server.streams.cut()
  await it.passUntil(() => it.server.streams.size === 1, 120_000)
  expect(it.server.count('initialize')).toBe(2)
  expect(it.server.requests('GET').filter(({ session }) => session === 'session-1').length).toBeLessThanOrEqual(6)
  expect(it.losses).toEqual(['session.listening-dead'])
  // A server that ends every stream as a habit is not taken for such a one.
  it.server.streams.cut()
  await it.pass(600_000, 1_000)
  expect(it.server.count('initialize')).toBe(2)
})
