import { describe, expect, it } from 'vitest'
import {
  destroy,
  frame,
  hang,
  inTurn,
  type Play,
  sse,
  startFaultServer,
  status,
} from '../../../src/testing/fault-server/index.js'
import { backends } from './backends.js'
import { ManualClock, quiet, type Rig, rig, until } from './rig.js'

/** Answers a resuming GET with the response to the last call. */
const respondLate: Play = ({ res, server }) => {
  const call = server.requests('tools/call').at(-1)
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  res.end(frame({ id: 'e2', data: { jsonrpc: '2.0', id: call?.id, result: { late: true } } }))
}

/** A reply stream that gives an event id and ends. */
const primed = (retry?: number) => sse([{ id: 'e1', data: '', ...(retry !== undefined && { retry }) }])

async function firesNext(clock: ManualClock, one: Rig): Promise<void> {
  await until(() => clock.timers > 0 || one.wire.pending === 0, 'a timer')
  if (one.wire.pending > 0) clock.advance(clock.nextInMs)
}

describe.each(backends)('resuming over %s', (_name, backend) => {
  it('an event id was seen: the response is fetched by GET, not before the server asked for (report 07.01 e)', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, listen: 'manual', random: () => 0, ...backend })
    server.answer('tools/call', primed(3_000)).answer('GET', respondLate)
    clock.advance(60_000)
    const call = one.begin('tools/call')
    await until(() => clock.timers > 0)
    await quiet()
    clock.advance(2_999)
    await quiet()
    expect(server.count('GET')).toBe(0)
    clock.advance(1)
    expect((await call.answer).result).toEqual({ late: true })
    expect(server.requests('GET')).toMatchObject([{ lastEventId: 'e1', session: 'session-1' }])
    expect(server.count('tools/call')).toBe(1)
  })

  it.each([
    ['400', status(400)],
    ['404', status(404)],
    ['405', status(405)],
    ['a page', status(200, { body: '<html>' })],
  ])('the id is refused with %s: the call settles at once (report 07.01 f, h)', async (_case, play) => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, listen: 'manual', ...backend })
    server.answer('tools/call', primed()).answer('GET', play)
    const evidence = one.evidence('tools/call')
    await until(() => clock.timers > 0)
    await quiet()
    clock.advance(1_000)
    expect(await evidence).toMatchObject({ kind: 'stream', stream: 'reply', sent: true, method: 'tools/call' })
    expect(server.count('GET')).toBe(1)
  })

  it('a 404 to the resuming GET also makes the session suspect', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, listen: 'manual', ...backend })
    server.answer('tools/call', primed()).answer('GET', status(404))
    const evidence = one.evidence('tools/call')
    await until(() => clock.timers > 0)
    await quiet()
    clock.advance(1_000)
    await evidence
    expect(one.told('suspect')).toMatchObject([{ evidence: { http: { status: 404, exchange: 'listen' } } }])
  })

  it.each([
    ['ends', sse([])],
    ['answers 503', status(503)],
    ['is cut', destroy()],
  ])('the resumed stream always %s: bounded tries, then settled (report 07.01 g)', async (_case, play) => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, listen: 'manual', ...backend })
    server.answer('tools/call', primed(0)).answer('GET', play)
    const evidence = one.evidence('tools/call')
    await quiet()
    while (one.wire.pending > 0) await firesNext(clock, one)
    expect(await evidence).toMatchObject({ kind: 'stream', stream: 'reply' })
    expect(server.count('GET')).toBe(5)
  })

  it('a server that is polled on purpose may end its stream any number of times', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, listen: 'manual', ...backend })
    let polls = 0
    server.answer('tools/call', primed(100)).answer('GET', (visit) => {
      polls += 1
      return polls < 12 ? sse([{ id: `poll-${polls}`, data: '' }])(visit) : respondLate(visit)
    })
    const call = one.begin('tools/call')
    await quiet()
    while (one.wire.pending > 0) await firesNext(clock, one)
    expect((await call.answer).result).toEqual({ late: true })
    expect(server.requests('GET').map(({ lastEventId }) => lastEventId)).toEqual([
      'e1',
      ...Array.from({ length: 11 }, (_, n) => `poll-${n + 1}`),
    ])
  })

  it('a cancelled request stops its resume chain, waiting or under way (report 07.04)', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, listen: 'manual', ...backend })
    server.answer('tools/call', primed()).answer('GET', inTurn(hang(), respondLate))
    const waiting = one.begin('tools/call')
    await until(() => clock.timers > 1)
    await one.notify('notifications/cancelled', { requestId: waiting.id })
    await quiet()
    clock.advance(60_000)
    await quiet()
    expect(server.count('GET')).toBe(0)
    const asking = one.begin('tools/call')
    await until(() => clock.timers > 0)
    await quiet()
    clock.advance(60_000)
    await server.seen('GET')
    await one.notify('notifications/cancelled', { requestId: asking.id })
    expect((await server.over('GET')).abandoned).toBe(true)
    clock.advance(60_000)
    await quiet()
    expect(server.count('GET')).toBe(1)
    expect(one.answered.has(waiting.id) || one.answered.has(asking.id)).toBe(false)
  })

  it('a frame cut in two at the end of a stream does not move the resume point past itself', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, listen: 'manual', ...backend })
    server
      .answer('tools/call', sse([{ id: 'e1', data: '' }, 'id: e2\ndata: {"jsonrpc":"2.0","id":', 'destroy']))
      .answer('GET', respondLate)
    const call = one.begin('tools/call')
    await until(() => clock.timers > 0)
    await quiet()
    clock.advance(1_000)
    await call.answer
    expect(server.requests('GET')[0]?.lastEventId).toBe('e1')
  })

  it('an answer that comes on the listening stream meanwhile ends the chain', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, ...backend })
    await until(() => server.streams.size === 1)
    server.answer('tools/call', primed(5_000))
    const call = one.begin('tools/call')
    await server.over('tools/call')
    await quiet()
    server.streams.push({ id: call.id, result: { aside: true } } as never)
    expect((await call.answer).result).toEqual({ aside: true })
    clock.advance(60_000)
    await quiet()
    expect(server.count('GET')).toBe(1)
  })
})
