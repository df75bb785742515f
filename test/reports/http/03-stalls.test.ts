/**
 * Field reports of kind 3, calls and handshakes: answers that take long, stall, never come, or only look as if they did.
 * The listening stream is in 03-streams.test.ts.
 */
import { describe, expect, it } from 'vitest'
import { CallTimeoutError } from '../../../src/index.js'
import {
  hang,
  type Part,
  type Play,
  silent,
  slow,
  sse,
  stall,
  startRawServer,
} from '../../../src/testing/fault-server/index.js'
import { driven, until } from '../../connection/rig.js'
import { connected, failure, scene } from '../rig.js'
import { startHalfOpenProxy } from './half-open-proxy.js'

describe('03.06: a long call', () => {
  const progress = ({ request }: { request: { body?: unknown } }, n: number): string => {
    const { params } = request.body as { params: { _meta: { progressToken: unknown } } }
    const { progressToken } = params._meta
    return `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: n } })}\n\n`
  }

  it('03.06: whose progress flows outlives its timeout', async () => {
    await using it = await connected()
    it.server.answer('tools/call', (visit) => {
      const steps: Part[] = []
      for (let n = 1; n <= 5; n++) steps.push({ until: () => it.server.wait(1_000) }, progress(visit, n))
      return it.ledger.ran(sse([...steps, { respond: { content: [] } }]))(visit)
    })
    const heard: number[] = []
    const onProgress = ({ progress }: { progress: number }) => heard.push(progress)
    const answered = it.call({ timeoutMs: 1_250, maxTotalMs: 30_000, onProgress })
    await it.pass(5_000)
    expect(await answered).toEqual({ content: [] })
    expect(heard).toEqual([1, 2, 3, 4, 5])
  })

  it('03.06: that is silent ends by its timeout, and the server is told', async () => {
    await using it = await connected()
    it.server.answer('tools/call', it.ledger.ran(sse([': \n\n', 'stay-open'])))
    const failed = failure(it.call({ timeoutMs: 100, maxTotalMs: 10_000 }))
    await it.pass(100)
    expect(await failed).toBeInstanceOf(CallTimeoutError)
    await it.server.seen('notifications/cancelled')
    await it.settled()
    expect(it.statuses.at(-1)).toBe('ready')
  })
})

describe('03.07: the peer has vanished without a word', () => {
  it('03.07: an idle connection is declared dead after keepalive and two probes, and made anew', async () => {
    await using it = await connected()
    await it.pass(11_000)
    it.server.answer('*', hang())
    await it.passUntil(() => it.connection.status === 'backoff', 30_000 + 2 * 5_000 + 250)
    expect(it.connection.fault?.code).toBe('probe.unanswered')
    expect(it.connection.fault?.evidence.summary).toMatch(/\w/)
    it.server.heal()
    await it.passUntil(() => it.connection.status === 'ready', 10_000)
    expect(it.server.requests('GET')[0]?.closedAt).toBeDefined()
  })

  it('03.07: a call in it ends by its own deadline, with a reason, and the silence is then looked into', async () => {
    await using it = await connected()
    it.server.answer('*', hang())
    const error = await it.overdue(80)
    expect(error).toBeInstanceOf(CallTimeoutError)
    expect(error).toMatchObject({ sent: true, message: expect.stringMatching(/\w/) })
    await it.passUntil(() => it.connection.status === 'backoff', 11_000)
    it.server.heal()
    await it.passUntil(() => it.connection.status === 'ready', 10_000)
  })

  it('03.07: only the sockets of before are dead: calls go on over new ones, and whoever waits on the old is told', async () => {
    await using it = await scene()
    await using proxy = await startHalfOpenProxy(it.server)
    await using through = await scene({ at: proxy })
    await through.connection.connect()
    await through.settled()
    it.server.answer('tools/call', it.ledger.ran(hang()))
    const stuck = failure(through.call({ timeoutMs: 150 }))
    await it.server.seen('tools/call')
    it.server.heal()
    proxy.freeze()
    await through.pass(150)
    expect(await stuck).toBeInstanceOf(CallTimeoutError)
    expect(await through.call()).toHaveProperty('content')
    expect(through.losses).toEqual([])
    expect(it.server.count('initialize')).toBe(1)
  })
})

it('03.07: after a wake the listening stream is opened anew, and what was missed is read', async () => {
  await using it = await scene()
  await using proxy = await startHalfOpenProxy(it.server)
  await using through = await scene({ at: proxy })
  await through.connection.connect()
  await through.pass(20_000)
  proxy.freeze()
  it.server.health.tools = []
  through.connection.actor.send({ type: 'clock.jumped' })
  await through.passUntil(() => through.connection.catalog.tools.length === 0, 10_000)
  expect(it.server.count('GET')).toBe(2)
  expect(through.losses).toEqual([])
})

it('03.08: a server that died is not shown as connected: the listening stream tells, and it is told once', async () => {
  await using it = await connected()
  await it.pass(11_000)
  await it.server.stop()
  await it.passUntil(() => it.connection.status !== 'ready', 3_000)
  await it.pass(5_000)
  expect(it.losses[0]).toBe('network.ECONNREFUSED')
  expect(it.statuses.filter((status) => status === 'ready')).toHaveLength(1)
  await it.server.start()
  await it.passUntil(() => it.connection.status === 'ready', 10_000)
})

describe('03.09: a head comes, and then the body stalls', () => {
  const comments: Play = sse(
    Array.from({ length: 40 }, (): Part[] => [
      ': \n\n',
      { until: () => new Promise((resolve) => setTimeout(resolve, 20)) },
    ]).flat(),
  )
  it.each<[string, Play]>([
    ['a: JSON', stall(200, '{"jsonrpc"', { length: 100 })],
    ['b: the page of a 500', stall(500, 'Internal Ser', { contentType: 'text/plain' })],
    ['c: the body of a 202', stall(202, '')],
    ['d: a stream of comments', comments],
  ])('03.09 %s: the call ends by its deadline, its socket is let go, the server is told', async (_case, play) => {
    await using it = await connected()
    it.server.answer('tools/call', it.ledger.ran(play))
    expect(await it.overdue(150)).toBeInstanceOf(CallTimeoutError)
    expect(await it.server.over('tools/call')).toMatchObject({ abandoned: true })
    await it.server.seen('notifications/cancelled')
    expect(it.server.count('tools/call')).toBe(1)
  })

  it('03.09 e, 10.05: a DELETE that is never answered holds close() for half its time', async () => {
    await using it = await connected()
    it.server.answer('DELETE', hang())
    const closing = it.connection.close()
    await it.server.seen('DELETE')
    await it.pass(2_500)
    await closing
    expect(it.connection.status).toBe('closed')
    await it.settled()
    expect(it.server.sockets).toBe(0)
  })
})

it('03.10: who accepts and says nothing is given up at the deadline of the handshake, and nothing stays open', async () => {
  await using hole = await startRawServer(silent)
  const { connection, clock } = driven({ target: { url: hole.url } })
  connection.connect().catch(() => undefined)
  await until(connection, 'initializing')
  clock.increment(9_999)
  expect(connection.status).toBe('initializing')
  clock.increment(1)
  expect(connection.status).toBe('backoff')
  expect(connection.fault).toMatchObject({ code: 'deadline.initializing', class: 'transient' })
  await connection.close()
  await expect.poll(() => hole.open).toBe(0)
})

describe('03.11: a frame without its blank line', () => {
  const unfinished = ({ request }: { request: { id?: unknown } }): string => {
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'odd', version: '1' } }
    return `data: ${JSON.stringify({ jsonrpc: '2.0', id: request.id, result })}\n`
  }

  it('03.11: on a stream that stays open: the deadline, not a hang', async () => {
    await using it = await scene()
    it.server.answer('initialize', (visit) => sse([unfinished(visit), 'stay-open'])(visit))
    it.connection.connect().catch(() => undefined)
    await it.passUntil(() => it.connection.status === 'backoff', 10_250)
    expect(it.connection.fault?.code).toBe('deadline.initializing')
  })

  it('03.11: on a stream that ends: the frame is taken', async () => {
    await using it = await scene({ server: { sessions: false } })
    it.server.answer('initialize', (visit) => sse([unfinished(visit)])(visit))
    await it.connection.connect()
    expect(it.connection.session?.serverInfo.name).toBe('odd')
  })
})

it('03.12: close() tells the server, and its stream ends', async () => {
  await using it = await connected()
  it.server.once('DELETE', slow(1_000))
  const closing = it.connection.close()
  await it.pass(1_000)
  await closing
  await it.settled()
  expect(it.server.requests('DELETE')).toMatchObject([{ session: 'session-1' }])
  expect(it.server.requests('GET')[0]?.closedAt).toBeDefined()
  expect(it.server.sessions.size + it.server.streams.size + it.server.sockets).toBe(0)
})
