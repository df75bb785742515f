/**
 * Field reports of kind 13, but for 13.06, which is about tasks.
 *
 * 13.01, the cookie jar by itself: test/wire/http/client.test.ts. 13.02, on the wire alone: test/wire/sse.
 */
import { describe, expect, it } from 'vitest'
import { ConnectionClosedError, OutcomeUnknownError } from '../../../src/index.js'
import { hang, type Play, rpcError, slow, sse, status } from '../../../src/testing/fault-server/index.js'
import { connected, failure, gaps, type Scene, scene } from '../rig.js'

describe('13.01: two instances that do not share their sessions', () => {
  /** Requests go to the instances in turn, or where the cookie says. */
  const balancer = ({ sticky = false } = {}): Play => {
    const owners = new Map<string, number>()
    let turn = 0
    return async (visit) => {
      const { request, res, server } = visit
      const pinned = /replica=(\d)/.exec(request.headers.cookie ?? '')?.[1]
      const replica = sticky && pinned !== undefined ? Number(pinned) : turn++ % 2
      if (sticky) res.setHeader('set-cookie', `replica=${replica}; Path=/`)
      if (request.session !== undefined && owners.get(request.session) !== replica)
        return rpcError(-32001, 'Session not found', { code: 404, id: null })(visit)
      await visit.healthy()
      const [latest] = [...server.sessions].slice(-1)
      if (request.method === 'initialize' && latest !== undefined) owners.set(latest, replica)
    }
  }

  it('13.01: without affinity: handshakes are bounded, and the reason is told', async () => {
    await using it = await scene()
    it.server.answer('*', balancer())
    it.connection.connect().catch(() => undefined)
    await it.passUntil(() => it.connection.status === 'failed', 300_000, 500)
    expect(it.server.count('initialize')).toBeLessThanOrEqual(22)
    expect(it.connection.fault).toMatchObject({ code: 'session.lost-at-once', class: 'session-expired' })
    expect(it.connection.fault?.advice).toMatch(/several instances behind a load balancer/)
    // One renewal comes at once, every later handshake after a wait.
    const waits = gaps(it.server.requests('initialize'))
    expect(waits.filter((ms) => ms < 100)).toHaveLength(1)
  })

  it('13.01: with an affinity cookie: one handshake, every call answered', async () => {
    await using it = await scene()
    it.server.answer('*', balancer({ sticky: true }))
    await it.connection.connect()
    for (let n = 0; n < 6; n++) await it.call()
    expect(it.server.count('initialize')).toBe(1)
    expect(it.ledger.total).toBe(6)
  })
})

it('13.03: two failures, then success: three attempts', async () => {
  await using it = await scene()
  it.server.once('initialize', status(503), 2)
  it.connection.connect().catch(() => undefined)
  await it.passUntil(() => it.connection.status === 'ready', 5_000)
  expect(it.server.requests('initialize').map(({ status }) => status)).toEqual([503, 503, 200])
})

describe('13.04: the lists cannot be read', () => {
  it.each<[string, Play]>([
    ['answered with an error', rpcError(-32603, 'Internal error')],
    ['never answered', hang()],
  ])('13.04: %s: usable by the deadline, the error told, the list asked for again', async (_case, play) => {
    await using it = await scene()
    it.server.answer('tools/list', play)
    it.connection.connect().catch(() => undefined)
    const took = await it.passUntil(() => it.connection.status === 'ready', 10_250)
    expect(took).toBeLessThanOrEqual(10_250)
    await it.call()
    it.server.heal('tools/list')
    await it.passUntil(() => it.connection.catalog.tools.length === 1, 70_000)
    expect(it.connection.catalog.errors).toEqual({})
    expect(it.server.count('initialize')).toBe(1)
  })
})

describe('13.05: calls while the old link still ends', () => {
  it('13.05: that come after disconnect() wait for the next link, and are answered', async () => {
    await using it = await connected()
    it.server.once('DELETE', slow(1_000))
    const disconnecting = it.connection.disconnect()
    await it.server.seen('DELETE')
    const calls = Array.from({ length: 5 }, () => it.call())
    expect(it.connection.status).toBe('closing')
    await it.pass(1_000)
    await disconnecting
    expect(await Promise.all(calls)).toHaveLength(5)
    expect(it.ledger.total).toBe(5)
    expect(it.server.count('initialize')).toBe(2)
  })

  it('13.05: that waited before disconnect() are told, and so is everybody after close()', async () => {
    await using it = await connected()
    await it.server.stop()
    const waiting = failure(it.connection.request('tools/list'))
    await it.passUntil(() => it.connection.status === 'backoff', 1_000)
    const disconnecting = it.connection.disconnect()
    expect(await waiting).toBeInstanceOf(ConnectionClosedError)
    await it.pass(5_000)
    await disconnecting
    const closing = it.connection.close()
    expect(await failure(it.call())).toBeInstanceOf(ConnectionClosedError)
    await closing
  })
})

describe('13.02: the stream of the older transport drops, and with it the session', () => {
  const older = { kind: 'sse', path: '/sse', server: { legacy: true } } as const
  /** What was posted to each session, in order. */
  const posted = ({ server }: Scene, sid: number) =>
    server.requests('POST').flatMap(({ path, method }) => (path.endsWith(`sid=${sid}`) ? [method] : []))

  it('13.02: a call under way is told; the new session begins with a handshake, and nothing goes to the old one', async () => {
    await using it = await connected(older)
    it.server.once('tools/call', it.ledger.ran(status(202)))
    const call = failure(it.call())
    await it.server.over('tools/call')
    const before = posted(it, 1).length
    it.server.legacy.cut()
    expect(await call).toBeInstanceOf(OutcomeUnknownError)
    await it.passUntil(() => it.connection.status === 'ready', 5_000)
    expect(posted(it, 2).slice(0, 3)).toEqual(['initialize', 'notifications/initialized', 'tools/list'])
    expect(posted(it, 1)).toHaveLength(before)
    expect(it.server.legacy.size).toBe(1)
    expect(it.server.count('GET')).toBe(2)
    await it.call()
  })

  it('13.02: a server that restarts for 3 s', async () => {
    await using it = await connected(older)
    await it.server.stop()
    await it.pass(3_000)
    await it.server.start()
    await it.passUntil(() => it.connection.status === 'ready', 10_000)
    await it.call()
    expect(it.server.legacy.size).toBe(1)
    expect(it.ledger.total).toBe(1)
  })

  it('13.02, the deviation of the older transport: a second endpoint is another session, and gets a handshake', async () => {
    await using it = await connected(older)
    it.server.legacy.renew()
    await it.passUntil(() => it.server.legacy.begun > 2 && it.connection.status === 'ready', 10_000)
    await it.call()
    const bodies = JSON.stringify(it.server.requests('POST').map(({ method }) => method))
    expect(bodies).toContain('tools/call')
    expect(it.server.legacy.size).toBe(1)
  })

  it('12.01, on the older transport: 401 to the stream is a refused credential', async () => {
    await using it = await scene(older)
    it.server.answer('GET', status(401))
    await failure(it.connection.connect())
    expect(it.connection.fault).toMatchObject({ code: 'http.401', class: 'unauthorized' })
  })

  it('03.10: an endpoint that is never named is given up at the deadline, and nothing stays open', async () => {
    await using it = await scene(older)
    it.server.answer('GET', sse([': \n\n', 'stay-open']))
    it.connection.connect().catch(() => undefined)
    await it.passUntil(() => it.connection.status === 'backoff', 10_250)
    expect(it.connection.fault?.code).toMatch(/^deadline\./)
    await it.connection.close()
    await it.settled()
    expect(it.server.sockets).toBe(0)
  })
})
