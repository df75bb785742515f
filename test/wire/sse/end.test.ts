/** The stream is the session: how it ends, and that nothing of it is used afterwards. */
import { describe, expect, it } from 'vitest'
import { classify } from '../../../machines/classify.js'
import type { WireEvidence } from '../../../machines/evidence.js'
import {
  hang,
  type RawBehaviour,
  silent,
  sse,
  startFaultServer,
  startRawServer,
  status,
} from '../../../src/testing/fault-server/index.js'
import { evidenceOf, HttpClient, SseWire, type SseWireOptions } from '../../../src/wire/index.js'
import { backends } from '../http/backends.js'
import { connected, WireRig } from '../web-rig.js'
import { evidenceIn, ManualClock, quiet, rig, sdkClient, until } from './rig.js'

/** What the chart makes of it in a connection that was usable. */
const judged = (evidence: WireEvidence) => {
  const { class: kind, scope, delivery } = classify({ ...evidence, phase: 'ready', everReady: true })
  return [kind, scope, delivery]
}

/** Evidence of the one end of the wire. */
function endOf(one: WireRig<SseWire>): WireEvidence {
  const [end, ...more] = one.told('closed')
  if (end?.type !== 'closed' || more.length > 0) throw new Error('the wire did not end once')
  return end.evidence
}

describe.each(backends)('the end of a session over %s', (_name, backend) => {
  it.each([
    ['ends', 'end'],
    ['is cut', 'cut'],
  ] as const)('13.02: the stream %s: the pending call rejects at once, its outcome unknown', async (_case, how) => {
    await using server = await startFaultServer({ legacy: true })
    // A clock that stands: what settles the call is the end of the stream and no timer.
    await using one = await rig({ url: server.legacyUrl, clock: new ManualClock(), ...backend })
    server.answer('tools/call', status(202))
    const { id, answer } = one.begin('tools/call')
    await server.over('tools/call')
    server.legacy[how]()
    const evidence = evidenceOf((await answer).error)
    expect(evidence).toMatchObject({ kind: 'closed', wire: 'sse', method: 'tools/call', sent: true, sessionSent: true })
    expect(evidence && judged(evidence)).toEqual(['transient', 'link', 'unknown'])
    expect(judged(endOf(one))).toEqual(['transient', 'link', 'unknown'])
    expect(endOf(one).stream).toBeUndefined()
    expect(one.told('closed')).toMatchObject([{ byUs: false }])
    expect([one.closes, one.wire.pending, one.answered.get(id)]).toEqual([1, 0, 1])
  })

  it('13.02: after a cut nothing is posted to the old session, and no stream is asked for', async () => {
    await using server = await startFaultServer({ legacy: true })
    const clock = new ManualClock()
    await using one = await rig({ url: server.legacyUrl, clock, ...backend })
    server.legacy.cut()
    await until(() => one.closes === 1)
    const before = server.count()
    expect(judged(await one.evidence('tools/call'))).toEqual(['transient', 'link', 'not-sent'])
    await expect(one.notify('notifications/initialized')).rejects.toMatchObject({ evidence: { sent: false } })
    await expect(one.wire.start()).rejects.toMatchObject({ evidence: { kind: 'closed' } })
    expect(clock.timers).toBe(0)
    clock.advance(3_600_000)
    await quiet()
    expect(server.count()).toBe(before)
    await until(() => server.legacy.size === 0)
  })

  it('13.02: a new wire has a session, an address and a handshake of its own', async () => {
    await using server = await startFaultServer({ legacy: true })
    const client = new HttpClient(backend)
    const first = await rig({ url: server.legacyUrl, client })
    await server.stop()
    await until(() => first.closes === 1)
    await server.start()
    await using second = await rig({ url: server.legacyUrl, client })
    await second.ask('tools/list')
    expect(server.requests('POST').map(({ path, method }) => [path, method])).toEqual([
      ['/messages?sid=1', 'initialize'],
      ['/messages?sid=1', 'notifications/initialized'],
      ['/messages?sid=2', 'initialize'],
      ['/messages?sid=2', 'notifications/initialized'],
      ['/messages?sid=2', 'tools/list'],
    ])
    expect(server.legacy.size).toBe(1)
    await client.close()
  })

  it('trap 22: a second endpoint event ends the wire; the session that nobody initialized is never used', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    server.answer('tools/call', status(202))
    const { answer } = one.begin('tools/call')
    await server.over('tools/call')
    server.legacy.renew()
    server.legacy.push({ jsonrpc: '2.0', method: 'notifications/of-the-new-session' })
    const evidence = evidenceOf((await answer).error)
    expect(evidence?.summary).toContain('endpoint event')
    expect(judged(endOf(one))).toEqual(['transient', 'link', 'unknown'])
    await one.ask('ping')
    // The stream is let go: the server sees the end of the session it began.
    await until(() => server.legacy.size === 0)
    expect(server.requests('POST').every(({ path }) => path === '/messages?sid=1')).toBe(true)
    expect(one.messages.some((message) => 'method' in message)).toBe(false)
  })

  it('trap 22: what the server would have said to a request in such a session', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend }, { initialize: false })
    expect((await one.ask('tools/list')).error).toMatchObject({
      code: -32602,
      message: 'Received request before initialization was complete',
    })
    await one.initialize()
    expect((await one.ask('tools/list')).error).toBeUndefined()
  })

  it('in this order: every open request is answered, closed is told, the subscribers complete, onclose is called', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    const order: string[] = []
    one.wire.events$.subscribe({ next: ({ type }) => order.push(type), complete: () => order.push('complete') })
    server.answer('POST', status(202))
    for (const method of ['a', 'b']) void one.begin(method).answer.then(() => {})
    await server.over('b')
    const take = one.wire.onmessage
    one.wire.onmessage = (message) => {
      order.push(`answer ${message.id}`)
      take?.(message)
    }
    one.wire.onclose = () => order.push('onclose')
    server.legacy.end()
    await until(() => order.includes('onclose'))
    expect(order).toEqual(['answer 2', 'answer 3', 'closed', 'complete', 'onclose'])
  })

  it('an answer in the last bytes, short of its blank line, is still taken (report 03.11)', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    server.answer('ping', status(202))
    const { id, answer } = one.begin('ping')
    await server.over('ping')
    server.legacy.write(`retry: 7000\ndata: {"jsonrpc":"2.0","id":${id},"result":{}}`)
    server.legacy.end()
    expect((await answer).result).toEqual({})
    await until(() => one.closes === 1)
    expect(endOf(one).retryAfterMs).toBe(7_000)
  })

  it('a notification on its way is told of the end', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    server.answer('notifications/x', hang())
    const sent = one.notify('notifications/x')
    await server.seen('notifications/x')
    server.legacy.cut()
    await expect(sent).rejects.toMatchObject({ evidence: { kind: 'closed', sent: true } })
  })

  it.each([
    ['with a call pending', async (one: WireRig<SseWire>) => void one.begin('tools/call')],
    [
      'with a notification pending',
      async (one: WireRig<SseWire>) => void one.notify('notifications/x').catch(() => {}),
    ],
    ['at rest', async () => {}],
  ])('close() %s leaves no socket, timer or stream', async (_case, doing) => {
    await using server = await startFaultServer({ legacy: true })
    const clock = new ManualClock()
    const one = await rig({ url: server.legacyUrl, clock, ...backend })
    server.answer('POST', hang())
    await doing(one)
    await quiet(5)
    await Promise.all([one.wire.close(), one.wire.close()])
    await one.wire.close()
    expect(one.told('closed')).toMatchObject([{ byUs: true, evidence: { kind: 'closed' } }])
    expect([one.closes, one.wire.pending, clock.timers]).toEqual([1, 0, 0])
    await quiet()
    expect(server.legacy.size).toBe(0)
    // A global fetch keeps idle sockets of its own.
    expect('fetch' in backend || server.sockets === 0).toBe(true)
  })
})

describe.each(backends)('report 03.10: a start that nothing answers, over %s', (_name, backend) => {
  const stayOpen: RawBehaviour = async (socket, requestRead) => {
    await requestRead
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n')
  }

  it.each([
    ['a connection without a byte', silent],
    ['a head, then silence', stayOpen],
  ])('%s: close() ends it at once, and nothing is left open', async (_case, behaviour) => {
    await using server = await startRawServer(behaviour)
    const clock = new ManualClock()
    const one = new WireRig(new SseWire({ url: server.url, clock, ...backend }))
    const started = one.wire.start()
    const evidence = evidenceIn(started)
    await until(() => server.connections === 1)
    await quiet(5)
    await one.wire.close()
    expect(await evidence).toMatchObject({ kind: 'closed', wire: 'sse' })
    expect(one.told('closed')).toMatchObject([{ byUs: true }])
    expect(clock.timers).toBe(0)
    await until(() => server.open === 0)
  })

  it('comments and messages, but no endpoint event: the same', async () => {
    await using server = await startFaultServer()
    server.answer('GET', sse([': keepalive\n\n', { data: { jsonrpc: '2.0', method: 'x' } }, 'stay-open']))
    const one = new WireRig(new SseWire({ url: server.url, ...backend }))
    const evidence = evidenceIn(one.wire.start())
    await until(() => one.messages.length === 1)
    await one.wire.close()
    expect(await evidence).toMatchObject({ kind: 'closed' })
    await server.over('GET')
  })

  it.each([
    ['a token', { token: () => new Promise<never>(() => {}) }],
    ['headers', { headers: () => new Promise<never>(() => {}) }],
  ] satisfies [string, Partial<SseWireOptions>][])('%s that never come: the same', async (_case, options) => {
    await using server = await startFaultServer({ legacy: true })
    const wire = new SseWire({ url: server.legacyUrl, ...options, ...backend })
    const evidence = evidenceIn(wire.start())
    await quiet(5)
    await wire.close()
    expect(await evidence).toMatchObject({ kind: 'closed', sent: false })
    expect(server.connections).toBe(0)
  })

  it('a token that comes too late is used for nothing', async () => {
    await using server = await startFaultServer({ legacy: true })
    const client = new HttpClient(backend)
    let grant = (): void => {}
    const token = () => new Promise<undefined>((resolve) => (grant = () => resolve(undefined)))
    const wire = new SseWire({ url: server.legacyUrl, client, token })
    const evidence = evidenceIn(wire.start())
    await quiet(5)
    await wire.close()
    grant()
    await quiet()
    expect((await evidence).kind).toBe('closed')
    expect(server.count()).toBe(0)
    await client.close()
  })

  it('close() before and right after start(): the same', async () => {
    await using server = await startFaultServer({ legacy: true })
    const right = new SseWire({ url: server.legacyUrl, ...backend })
    const evidence = evidenceIn(right.start())
    await right.close()
    expect(await evidence).toMatchObject({ kind: 'closed' })
    const before = new SseWire({ url: server.legacyUrl, ...backend })
    await before.close()
    expect(await evidenceIn(before.start())).toMatchObject({ kind: 'closed', sent: false })
    await quiet()
    expect(server.count()).toBe(0)
  })
})

it('the SDK Client: calls reject with evidence when the stream is cut, and it hears of the end', async () => {
  await using server = await startFaultServer({ legacy: true })
  await using one = await sdkClient({ url: server.legacyUrl })
  let closes = 0
  one.client.onclose = () => {
    closes += 1
  }
  server.answer('tools/call', status(202))
  const evidence = evidenceIn(one.echo('a'))
  await server.over('tools/call')
  server.legacy.cut()
  expect(await evidence).toMatchObject({ kind: 'closed', method: 'tools/call' })
  expect(closes).toBe(1)
})

it('the SDK Client: its deadline for connect does not cover start, so close() has to, and does', async () => {
  await using server = await startRawServer(silent)
  const wire = new SseWire({ url: server.url })
  const connecting = connected(wire)
  const evidence = evidenceIn(connecting)
  await until(() => server.connections === 1)
  await wire.close()
  expect(await evidence).toMatchObject({ kind: 'closed' })
})
