import { describe, expect, it } from 'vitest'
import {
  destroy,
  type FaultServer,
  healthy,
  html,
  inTurn,
  sse,
  startFaultServer,
  status,
} from '../../../src/testing/fault-server/index.js'
import { backends } from './backends.js'
import { ManualClock, quiet, type Rig, rig, until } from './rig.js'

/** Lets the wire's next timer fire, once it waits for one. */
async function nextTimer(clock: ManualClock): Promise<void> {
  await until(() => clock.timers > 0, 'a timer')
  clock.advance(clock.nextInMs)
}

/** Drives the clock until `minutes` have passed, waiting for real sockets between the timers. */
async function run(clock: ManualClock, server: FaultServer, minutes: number): Promise<void> {
  while (clock.now() < minutes * 60_000) {
    await until(() => clock.timers > 0 && server.requests('GET').every(({ closedAt }) => closedAt !== undefined))
    clock.advance(Math.min(clock.nextInMs, minutes * 60_000 - clock.now()))
    await quiet(3)
  }
}

async function drained(clock: ManualClock, one: Rig): Promise<void> {
  await quiet()
  clock.advance(2_500)
  await quiet()
  void one
}

const inMinute = (server: FaultServer, minute: number) =>
  server.requests('GET').filter(({ at }) => at >= (minute - 1) * 60_000 && at < minute * 60_000).length

describe.each(backends)('the listening stream over %s', (_name, backend) => {
  it('opens after the handshake and is told, without a gap', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    await until(() => one.told('listening').length > 0)
    expect(one.told('listening')).toEqual([{ type: 'listening', gap: false }])
    expect(server.requests('GET')).toMatchObject([{ session: 'session-1' }])
  })

  it('with listen: manual it opens only by listen(), once, after the given event', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, listen: 'manual', ...backend })
    await quiet()
    expect(server.count('GET')).toBe(0)
    one.wire.listen('e7')
    one.wire.listen()
    await server.seen('GET')
    await quiet()
    expect(server.requests('GET')).toMatchObject([{ lastEventId: 'e7' }])
  })

  it('under a remembered session the first stream already says that there was a gap', async () => {
    await using server = await startFaultServer()
    const session = { id: server.openSession(), protocolVersion: '2025-06-18' }
    await using one = await rig({ url: server.url, session, ...backend }, { initialize: false })
    one.wire.listen()
    await until(() => one.told('listening').length > 0)
    expect(one.told('listening')).toEqual([{ type: 'listening', gap: true }])
    expect(server.requests('GET')[0]?.headers['mcp-protocol-version']).toBe('2025-06-18')
  })

  it('is reopened after a cut, with a gap, and with the last event id only if one was seen (report 03.02)', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, ...backend })
    await until(() => server.streams.size === 1)
    await drained(clock, one)
    server.streams.cut()
    await nextTimer(clock)
    await until(() => one.told('listening').length === 2)
    expect(one.told('listening')[1]).toMatchObject({ gap: true })
    expect(server.requests('GET')[1]?.lastEventId).toBeUndefined()
    server.streams.push({ method: 'notifications/message' }, { id: 'e9' })
    await until(() => 'method' in (one.messages.at(-1) ?? {}))
    expect(one.wire.lastEventId).toBe('e9')
    server.streams.end()
    await nextTimer(clock)
    expect((await server.seen('GET', 3)).lastEventId).toBe('e9')
    expect(one.wire.lastEventId).toBe('e9')
  })

  it.each([405, 501])(
    'the first GET answered %i: POST only, told, calls work, no more GETs (report 12.01)',
    async (code) => {
      await using server = await startFaultServer()
      const clock = new ManualClock()
      server.answer('GET', status(code))
      await using one = await rig({ url: server.url, clock, ...backend })
      await until(() => one.told('post-only').length === 1)
      for (let n = 0; n < 5; n++) expect((await one.ask('ping')).result).toEqual({})
      clock.advance(3_600_000)
      await quiet()
      expect(server.count('GET')).toBe(1)
      expect(one.told('fault').length + one.told('suspect').length).toBe(0)
    },
  )

  it.each([400, 403, 404, 406, 415, 204, 301])(
    'the first GET answered %i: POST only, told, calls work; when a stream opens later, there is a gap (deviations 12 to 15)',
    async (code) => {
      await using server = await startFaultServer()
      const clock = new ManualClock()
      server.once('GET', status(code), 2)
      await using one = await rig({ url: server.url, clock, ...backend })
      await until(() => one.told('post-only').length === 1)
      for (let n = 0; n < 5; n++) expect((await one.ask('ping')).result).toEqual({})
      while (one.told('listening').length === 0) {
        if (clock.timers > 0) clock.advance(clock.nextInMs)
        await quiet(3)
      }
      expect(server.count('GET')).toBe(3)
      expect(one.told('listening')).toMatchObject([{ gap: true }])
      expect([one.told('post-only'), one.told('fault'), one.told('suspect')].map((told) => told.length)).toEqual([
        1, 0, 0,
      ])
    },
  )

  it.each([
    ['a page', html(200)],
    [
      'JSON (deviation 15)',
      status(200, { body: { jsonrpc: '2.0', id: null, error: { code: -32601, message: 'no' } } }),
    ],
  ])('the first GET answered 200 with %s: POST only', async (_case, play) => {
    await using server = await startFaultServer()
    server.answer('GET', play)
    await using one = await rig({ url: server.url, ...backend })
    await until(() => one.told('post-only').length === 1)
    expect(one.told('post-only')).toMatchObject([{ evidence: { http: { status: 200, exchange: 'listen' } } }])
  })

  it.each([429, 500, 502, 503])('the first GET answered %i: tried again with backoff until it opens', async (code) => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    server.once('GET', status(code, { retryAfter: 7 }), 2)
    await using one = await rig({ url: server.url, clock, ...backend })
    await server.over('GET', 1)
    await quiet()
    clock.advance(6_999)
    await quiet()
    expect(server.count('GET')).toBe(1)
    while (one.told('listening').length === 0) {
      if (clock.timers > 0) clock.advance(clock.nextInMs)
      await quiet(3)
    }
    expect(server.count('GET')).toBe(3)
    expect(one.told('fault')).toEqual([])
  })

  it('a GET answered 401 is a fault; it is not asked again with the credential that was refused', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    let epoch = 1
    const token = async () => ({ value: `t${epoch}`, epoch, state: 'fresh' as const })
    server.answer('GET', (visit) =>
      visit.req.headers.authorization === 'Bearer t2' ? visit.healthy() : status(401)(visit),
    )
    await using one = await rig({ url: server.url, clock, token, ...backend })
    await until(() => one.told('fault').length === 1)
    expect(one.told('fault')).toMatchObject([
      { evidence: { http: { status: 401, exchange: 'listen' }, credentialEpoch: 1 } },
    ])
    for (let n = 0; n < 5; n++) await nextTimer(clock).then(() => quiet(3))
    expect(server.count('GET')).toBe(1)
    epoch = 2
    await nextTimer(clock)
    await until(() => one.told('listening').length === 1)
    expect(one.told('fault')).toHaveLength(1)
  })

  it('streams that end at once are asked for ever more rarely: report 03.01', async () => {
    await using server = await startFaultServer({ clock: new ManualClock() })
    const clock = new ManualClock()
    server.answer('GET', (visit) => {
      Object.assign(visit.request, { at: clock.now() })
      return sse([])(visit)
    })
    await using one = await rig({ url: server.url, clock, ...backend })
    await server.over('GET')
    await run(clock, server, 10)
    expect(inMinute(server, 1)).toBeLessThanOrEqual(10)
    expect(inMinute(server, 10)).toBeLessThanOrEqual(2)
    expect(server.count('GET')).toBeGreaterThan(5)
    expect((await one.ask('ping')).result).toEqual({})
  })

  it('one notification per short stream: all arrive (report 03.01, variant E)', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    let n = 0
    server.answer('GET', (visit) =>
      sse([{ data: { jsonrpc: '2.0', method: 'notifications/message', params: { n: ++n } } }])(visit),
    )
    await using one = await rig({ url: server.url, clock, ...backend })
    for (let count = 1; count <= 8; count++) {
      await server.over('GET', count)
      await until(() => one.messages.some((m) => 'params' in m && m.params?.n === count))
      await nextTimer(clock)
      await quiet(3)
      if (server.count('GET') === count) await nextTimer(clock)
    }
    expect(server.count('GET')).toBeGreaterThanOrEqual(8)
  })

  it('a GET 404 under a session that worked is suspect, and the session is left to the chart (report 01.05)', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, ...backend })
    await until(() => server.streams.size === 1)
    await drained(clock, one)
    server.forgetSessions()
    server.streams.cut()
    await nextTimer(clock)
    await until(() => one.told('suspect').length === 1)
    expect(one.told('suspect')).toMatchObject([
      {
        evidence: {
          http: { status: 404, exchange: 'listen' },
          sessionSent: true,
          rpc: { message: 'Session not found' },
        },
      },
    ])
    expect(one.told('fault')).toEqual([])
  })

  it('an event id that the server cannot resume is dropped after one try (report 12.05)', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    server.answer('GET', (visit) => (visit.request.lastEventId ? status(400)(visit) : visit.healthy()))
    await using one = await rig({ url: server.url, clock, ...backend })
    await until(() => server.streams.size === 1)
    server.streams.push({ method: 'notifications/message' }, { id: 'e1' })
    await until(() => one.messages.length > 1)
    server.streams.cut()
    while (one.told('listening').length < 2) {
      if (clock.timers > 0) clock.advance(clock.nextInMs)
      await quiet(3)
    }
    expect(server.requests('GET').map(({ lastEventId }) => lastEventId)).toEqual([undefined, 'e1', undefined])
  })

  it('a server that went away is suspect once, and the stream comes back when it does', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, ...backend })
    await until(() => server.streams.size === 1)
    await drained(clock, one)
    await server.stop()
    for (let n = 0; n < 5; n++) await nextTimer(clock).then(() => quiet(5))
    expect(one.told('suspect')).toMatchObject([{ evidence: { kind: 'network', errno: 'ECONNREFUSED' } }])
    await server.start()
    while (one.told('listening').length < 2) {
      if (clock.timers > 0) clock.advance(clock.nextInMs)
      await quiet(3)
    }
  })

  it('close leaves no timer and no request behind, whatever the stream was doing (P18)', async () => {
    for (const play of [healthy(), destroy(), status(503), status(405), sse([])]) {
      await using server = await startFaultServer()
      const clock = new ManualClock()
      server.answer('GET', play)
      await using one = await rig({ url: server.url, clock, ...backend })
      await server.seen('GET')
      await quiet(5)
      await one.wire.close()
      expect(clock.timers).toBe(0)
      const before = server.count()
      clock.advance(3_600_000)
      await quiet(5)
      expect(server.count()).toBe(before)
    }
  })

  it('a message over the limit on the stream is noise, and the stream comes back without its id', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    server.answer(
      'GET',
      inTurn(sse([{ id: 'e1', data: '' }, `data: ${'x'.repeat(200_000)}\n`, 'stay-open']), healthy()),
    )
    await using one = await rig({ url: server.url, clock, maxMessageBytes: 50_000, ...backend })
    await until(() => one.told('noise').length === 1)
    while (one.told('listening').length < 2) {
      if (clock.timers > 0) clock.advance(clock.nextInMs)
      await quiet(3)
    }
    expect(server.requests('GET')[1]?.lastEventId).toBeUndefined()
  })
})
