/** The traps of the SDK's own transport (its numbers in the names), each shown not to be one here. */
import { getEventListeners } from 'node:events'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { Agent } from 'undici'
import { describe, expect, it } from 'vitest'
import {
  after,
  destroy,
  type FaultServer,
  hang,
  healthy,
  html,
  inTurn,
  type Play,
  resetAfterRequest,
  rpcError,
  slow,
  sse,
  startFaultServer,
  startRawServer,
  status,
} from '../../../src/testing/fault-server/index.js'
import { evidenceOf } from '../../../src/wire/failure.js'
import { HttpClient, HttpWire } from '../../../src/wire/http/index.js'
import { evidenceIn, ManualClock, quiet, rig, sdkClient, until } from './rig.js'

const fast = { timeout: 60_000 }

/** Sends the server's next notification and waits for it to arrive. */
async function hears(server: FaultServer, heard: string[]): Promise<void> {
  const before = heard.length
  server.streams.push({ method: 'notifications/tools/list_changed' })
  await until(() => heard.length > before, 'a notification')
}

describe('trap 1: a reply stream without its response settles its call at once (P3)', () => {
  it.each([
    ['ends', sse([])],
    ['is cut', sse([': keepalive\n\n', 'destroy'])],
    ['ends after a comment', sse([': keepalive\n\n'])],
    ['ends after progress', sse([{ data: { jsonrpc: '2.0', method: 'notifications/progress', params: {} } }])],
    ['is cut before its head', destroy()],
  ])('trap 1: the stream %s', async (_case, play) => {
    await using server = await startFaultServer()
    // A clock that stands: what settles the call is the end of its stream and no timer.
    await using one = await sdkClient({ url: server.url, clock: new ManualClock() })
    let overAt = 0
    server.answer('tools/call', (visit) => {
      visit.res.once('close', () => {
        overAt = performance.now()
      })
      return play(visit)
    })
    const waits: number[] = []
    for (let n = 0; n < 5; n++) {
      const call = one.client.callTool({ name: 'echo', arguments: {} }, undefined, fast)
      const evidence = await evidenceIn(call)
      waits.push(performance.now() - overAt)
      expect(['stream', 'network']).toContain(evidence.kind)
      expect(evidence.sent).toBe(true)
    }
    // The best of five, since the machine may be busy with other things.
    expect(Math.min(...waits)).toBeLessThan(100)
    expect(server.count('tools/call')).toBe(5)
    expect(one.wire.pending).toBe(0)
  })
})

it('trap 2: the listening stream survives an outage of any length and hears again', async () => {
  await using server = await startFaultServer()
  const clock = new ManualClock()
  await using one = await rig({ url: server.url, clock })
  await until(() => server.streams.size === 1)
  await server.stop()
  for (let n = 0; n < 30; n++) {
    await until(() => clock.timers > 0)
    clock.advance(clock.nextInMs)
    await quiet(2)
  }
  expect(clock.now()).toBeGreaterThan(600_000)
  await server.start()
  while (server.streams.size === 0) {
    if (clock.timers > 0) clock.advance(clock.nextInMs)
    await quiet(3)
  }
  server.streams.push({ method: 'notifications/tools/list_changed' })
  await until(() => one.messages.some((m) => 'method' in m))
  expect(one.told('listening')).toHaveLength(2)
})

it('trap 2b: a first GET that fails for now is tried again', async () => {
  await using server = await startFaultServer()
  const clock = new ManualClock()
  server.answer('GET', inTurn(status(500), status(409), healthy()))
  await using one = await rig({ url: server.url, clock })
  while (one.told('listening').length === 0) {
    if (clock.timers > 0) clock.advance(clock.nextInMs)
    await quiet(3)
  }
  expect(server.count('GET')).toBe(3)
})

it('trap 4: under a remembered session every request names session and version, and the stream opens', async () => {
  await using server = await startFaultServer()
  const session = { id: server.openSession(), protocolVersion: '2025-06-18' }
  await using one = await rig({ url: server.url, session }, { initialize: false })
  expect(one.wire.sessionId).toBe(session.id)
  one.wire.listen()
  await one.ask('tools/list')
  await server.seen('GET')
  for (const { headers } of server.requests()) {
    expect(headers['mcp-session-id']).toBe(session.id)
    expect(headers['mcp-protocol-version']).toBe('2025-06-18')
  }
})

it('trap 5: a lost session is evidence enough, and the next initialize does not carry the dead id (P9)', async () => {
  await using server = await startFaultServer()
  await using one = await sdkClient({ url: server.url })
  server.forgetSessions()
  expect(await evidenceIn(one.echo('x'))).toMatchObject({
    kind: 'http',
    http: { status: 404 },
    rpc: { code: -32001, message: 'Session not found' },
    sessionSent: true,
  })
  await using next = await sdkClient({ url: server.url })
  const initialize = server.requests('initialize')[1]
  expect(initialize?.session).toBeUndefined()
  expect(initialize?.headers['mcp-protocol-version']).toBeUndefined()
  await next.echo('y')
})

it('trap 5: also on a wire that has a session, initialize names neither it nor a version, and replaces both', async () => {
  await using server = await startFaultServer()
  const session = { id: 'dead', protocolVersion: '2025-03-26' }
  await using one = await rig({ url: server.url, session }, { initialize: false })
  expect(await one.evidence('ping')).toMatchObject({ http: { status: 404 }, sessionSent: true })
  await one.initialize()
  expect(server.requests('initialize')[0]?.session).toBeUndefined()
  expect(server.requests('initialize')[0]?.headers['mcp-protocol-version']).toBeUndefined()
  expect(one.wire.sessionId).toBe('session-1')
  server.health.sessions = false
  await one.initialize()
  expect(one.wire.sessionId).toBeUndefined()
})

describe('trap 12: no kind of useless GET answer makes a hot loop', () => {
  it.each([
    ['a page', html(200)],
    ['JSON', status(200, { body: {} })],
    ['a stream that ends at once', sse([])],
    ['retry: 0', sse([{ retry: 0, data: '' }])],
    ['retry: 0 and a message', sse([{ retry: 0, data: { jsonrpc: '2.0', method: 'notifications/message' } }])],
    ['a cut stream', sse([': \n\n', 'destroy'])],
  ])('trap 12: %s', async (_case, play) => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    server.answer('GET', play)
    await using one = await rig({ url: server.url, clock })
    await server.over('GET')
    await quiet(5)
    while (clock.timers > 0 && clock.now() < 60_000) {
      clock.advance(clock.nextInMs)
      await quiet(5)
    }
    expect(server.count('GET')).toBeLessThanOrEqual(12)
    expect((await one.ask('ping')).result).toEqual({})
  })
})

it.each([200, 204])('trap 13: initialized answered %i still opens the listening stream', async (code) => {
  await using server = await startFaultServer()
  server.answer('notifications/initialized', status(code))
  await using one = await sdkClient({ url: server.url })
  const heard: string[] = []
  one.client.fallbackNotificationHandler = async ({ method }) => {
    heard.push(method)
  }
  await until(() => server.streams.size === 1)
  await hears(server, heard)
  expect(heard).toEqual(['notifications/tools/list_changed'])
})

it('trap 17: close cancels every timer of every stream', async () => {
  await using server = await startFaultServer()
  const clock = new ManualClock()
  await using one = await rig({ url: server.url, clock })
  await until(() => server.streams.size === 1)
  server.answer('tools/call', sse([{ id: 'e1', retry: 5_000, data: '' }]))
  const calls = [one.begin('tools/call'), one.begin('tools/call'), one.begin('tools/call')]
  await server.over('tools/call', 3)
  server.streams.cut()
  await until(() => clock.timers >= 4)
  const before = server.count()
  await one.wire.close()
  expect(clock.timers).toBe(0)
  clock.advance(3_600_000)
  await quiet()
  expect(server.count()).toBe(before)
  for (const { answer } of calls) expect((await answer).error?.code).toBe(-32000)
})

it('trap 20: a request that could not be sent leaves no handler behind', async () => {
  await using server = await startFaultServer()
  await using one = await sdkClient({ url: server.url, listen: 'manual' })
  await server.stop()
  for (let n = 0; n < 5; n++) expect(await evidenceIn(one.echo('x'))).toMatchObject({ sent: false })
  const handlers: unknown = Reflect.get(one.client, '_responseHandlers')
  expect(handlers).toBeInstanceOf(Map)
  expect(handlers).toHaveProperty('size', 0)
})

it('trap 23: a listening stream half open at the server is waited for, then told as a fault', async () => {
  await using server = await startFaultServer()
  const clock = new ManualClock()
  server.answer('GET', inTurn(healthy(), rpcError(-32000, 'Conflict: Only one SSE stream is allowed', { code: 409 })))
  await using one = await rig({ url: server.url, clock })
  await until(() => server.streams.size === 1)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  server.answer(
    'tools/call',
    after(() => released, healthy()),
  )
  const slow = one.begin('tools/call')
  await server.seen('tools/call')
  server.streams.cut()
  for (let n = 0; server.count('GET') < 3; n++) {
    expect(n).toBeLessThan(10)
    await until(() => clock.timers > 0)
    clock.advance(clock.nextInMs)
    await quiet(10)
  }
  // Not while a call is under way in the session: that is let finish first (report 03.03).
  expect(one.told('fault')).toEqual([])
  release()
  expect((await slow.answer).result).toBeDefined()
  expect(one.told('fault')).toMatchObject([
    { evidence: { http: { status: 409, exchange: 'listen' }, sessionSent: true } },
  ])
  expect(server.count('GET')).toBe(3)
})

it('trap 23: a call that does not end holds the fault back for half a minute, and a place that becomes free for good', async () => {
  await using server = await startFaultServer()
  const clock = new ManualClock()
  const conflict = rpcError(-32000, 'Conflict: Only one SSE stream is allowed', { code: 409 })
  server.answer('tools/call', hang())
  for (const isFreed of [false, true]) {
    server.answer('GET', inTurn(healthy(), conflict, conflict, isFreed ? healthy() : conflict))
    await using one = await rig({ url: server.url, clock })
    await until(() => server.streams.size === 1)
    one.begin('tools/call')
    const before = server.count('GET')
    server.streams.cut()
    const end = clock.now() + 60_000
    let toldAt = Number.POSITIVE_INFINITY
    let secondConflictAt = 0
    while (clock.now() < end) {
      await until(() => clock.timers > 0 || one.told('listening').length === 2)
      clock.advance(Math.min(1_000, clock.nextInMs))
      await quiet(3)
      if (server.count('GET') === before + 2) secondConflictAt ||= clock.now()
      if (one.told('fault').length > 0) toldAt = Math.min(toldAt, clock.now())
    }
    expect(one.told('fault')).toHaveLength(isFreed ? 0 : 1)
    if (!isFreed) expect(Math.round(toldAt - secondConflictAt)).toBe(30_000)
  }
})

it('trap 24: neither silence before the head nor on a stream is cut, whatever the dispatcher would do', async () => {
  await using server = await startFaultServer()
  const dispatcher = new Agent({ headersTimeout: 40, bodyTimeout: 40 })
  const client = new HttpClient({ dispatcher })
  await using one = await sdkClient({ url: server.url, client })
  await until(() => server.streams.size === 1)
  // undici's own timers tick once a second and no clock of ours drives them: two ticks are waited for.
  server.once('tools/call', slow(2_500))
  await one.echo('slow')
  expect(server.streams.size).toBe(1)
  expect(server.count('GET')).toBe(1)
  await one.client.close()
  await dispatcher.close()
})

describe('trap 25: odd answers settle their request or can still be answered', () => {
  const progress = { data: { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: '' } } }
  const nullError = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'odd' } }
  it.each<[string, Play]>([
    ['an error with id null in JSON', rpcError(-32600, 'odd', { id: null })],
    ['an error without id in JSON', rpcError(-32600, 'odd', { id: undefined })],
    ['an error with id null over SSE', sse([progress, { data: nullError }, 'stay-open'])],
  ])('trap 25: %s answers its request', async (_case, play) => {
    await using server = await startFaultServer()
    await using one = await sdkClient({ url: server.url })
    server.answer('tools/call', play)
    await expect(one.client.callTool({ name: 'echo' }, undefined, fast)).rejects.toMatchObject({ code: -32600 })
  })

  it('trap 25: event: response is taken, other names are not', async () => {
    await using server = await startFaultServer()
    await using one = await sdkClient({ url: server.url })
    server.answer(
      'tools/call',
      sse([
        { event: 'ping', data: '{}' },
        { respond: { content: [] }, event: 'response' },
      ]),
    )
    expect(await one.client.callTool({ name: 'echo' })).toMatchObject({ content: [] })
  })

  it('trap 25: a stream of comments alone is life, and its end settles the call', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, listen: 'manual' })
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const comment = { until: async () => {} }
    server.answer('ping', sse([': 1\n\n', comment, { until: () => released }, ': 2\n\n']))
    const evidence = one.evidence('ping')
    await server.seen('ping')
    await quiet(5)
    clock.advance(1_000)
    release()
    await evidence
    expect(one.wire.lastLifeAt).toBe(1_000)
  })

  it('trap 25: 202 to a request waits for the listening stream; without one it settles', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url })
    await until(() => server.streams.size === 1)
    server.answer('tools/call', status(202))
    const call = one.begin('tools/call')
    await server.over('tools/call')
    await quiet(5)
    expect(one.wire.pending).toBe(1)
    server.streams.push({ id: call.id, result: { aside: 1 } } as never)
    expect((await call.answer).result).toEqual({ aside: 1 })

    await using poor = await startFaultServer({ listening: false })
    await using two = await rig({ url: poor.url })
    await until(() => two.told('post-only').length === 1)
    poor.answer('tools/call', status(202))
    expect(await two.evidence('tools/call')).toMatchObject({ kind: 'malformed', http: { status: 202 } })
  })
})

describe('trap 27: a restarted server costs no call on a stale socket', () => {
  it('trap 27: the first call after a restart works', async () => {
    await using server = await startFaultServer({ sessions: false })
    await using one = await sdkClient({ url: server.url, listen: 'manual' })
    for (let n = 0; n < 20; n++) {
      await one.echo('before')
      await server.restart()
      await one.echo('after')
    }
    expect(server.count('tools/call')).toBe(40)
  })

  it('trap 27: a socket that breaks under a request says that it may have run, and is not repeated', async () => {
    await using raw = await startRawServer(resetAfterRequest)
    await using one = await rig({ url: raw.url }, { initialize: false })
    expect(await one.evidence('tools/call')).toMatchObject({ kind: 'network', sent: true })
    expect(raw.connections).toBe(1)
  })
})

it('report 10.02: a thousand calls and reopenings leave no listener on a signal, and no handle', async () => {
  await using server = await startFaultServer()
  const signals: AbortSignal[] = []
  const spying: typeof fetch = (input, init) => {
    if (init?.signal) signals.push(init.signal)
    return fetch(input, init)
  }
  await using one = await rig({ url: server.url, fetch: spying, listen: 'manual' })
  for (let n = 0; n < 200; n++) await one.ask('ping')
  expect(new Set(signals).size).toBe(signals.length)
  for (const signal of signals) expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1)
})

it('the evidence of a failed call reaches the caller of the SDK, and a server cannot forge it', async () => {
  await using server = await startFaultServer()
  await using one = await sdkClient({ url: server.url })
  server.answer('ping', rpcError(-32000, 'Connection closed', { data: { evidence: { kind: 'closed' } } }))
  const error = await one.client.request({ method: 'ping' }, ResultSchema).catch((thrown: unknown) => thrown)
  expect(evidenceOf(error)).toBeUndefined()
})

it('HttpWire fits the Transport of the SDK', () => {
  const transport: Transport = new HttpWire({ url: 'http://127.0.0.1/mcp' })
  expect(transport.sessionId).toBeUndefined()
})
