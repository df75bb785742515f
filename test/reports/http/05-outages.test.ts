/**
 * Field reports of kinds 5 and 10 that are about HTTP: outages, errors on single calls, time that the server asks for,
 * and closing.
 *
 * 10.05, the other states in which close() is called: test/connection/close.test.ts. 05.06, a Retry-After that cannot
 * be read: test/wire/http/units.test.ts.
 */
import { skip } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { CallRefusedError, OutcomeUnknownError, RpcError } from '../../../src/index.js'
import { hang, healthy, inTurn, type Play, rpcError, status } from '../../../src/testing/fault-server/index.js'
import { connected, failure, gaps, type Scene, scene } from '../rig.js'

describe('05.03: an outage that outlasts every quick attempt', () => {
  /** Links begun since the connection was lost. */
  const attempts = ({ statuses }: Scene): number => statuses.filter((status) => status === 'connecting').length - 1

  it('05.03: 20 attempts, then a look now and then; a call after the return is served at once', async () => {
    await using it = await connected()
    await it.pass(20_000)
    await it.server.stop()
    await it.passUntil(() => it.connection.status === 'failed', 300_000)
    expect(attempts(it)).toBeLessThanOrEqual(20)
    const before = attempts(it)
    await it.pass(450_000, 1_000)
    expect(attempts(it) - before).toBeGreaterThanOrEqual(5)
    expect(attempts(it) - before).toBeLessThanOrEqual(10)
    await it.server.restart()
    // Right after an attempt that failed, calls are refused for as long as the longest pause.
    await it.passUntil(() => it.connection.actor.getSnapshot().hasTag('waiting'), 10_000)
    await it.call()
    expect(it.connection.status).toBe('ready')
  })

  it('05.03: without a call it is back by the next look', async () => {
    await using it = await connected()
    await it.pass(20_000)
    await it.server.stop()
    await it.pass(300_000, 1_000)
    expect(it.connection.status).toBe('failed')
    await it.server.restart()
    await it.passUntil(() => it.connection.status === 'ready', 10_000 + 75_000, 1_000)
  })

  it('05.03: blips with good hours between them never add up', async () => {
    await using it = await connected()
    for (let blip = 0; blip < 20; blip++) {
      await it.pass(60_000, 5_000)
      await it.server.stop()
      await it.pass(2_000)
      await it.server.start()
      await it.passUntil(() => it.connection.status === 'ready', 10_000)
      await it.pass(11_000, 1_000)
      expect(it.connection.actor.getSnapshot().context.attempts).toBe(0)
    }
    expect(it.statuses).not.toContain('failed')
    expect(it.server.count('initialize')).toBe(1)
  })
})

it('05.05: an HTTP error on one call costs that call, and no request more than a probe', async () => {
  await using it = await connected()
  const before = it.server.count()
  for (const [play, kind] of [
    [it.ledger.ran(status(500)), OutcomeUnknownError],
    [status(403), CallRefusedError],
    [rpcError(-32602, 'Invalid arguments', { code: 400 }), RpcError],
    [it.ledger.ran(rpcError(-32603, 'Internal error', { code: 500 })), RpcError],
  ] as const) {
    it.server.once('tools/call', play)
    expect(await failure(it.call())).toBeInstanceOf(kind)
    await it.settled()
  }
  it.server.once('tools/call', status(429, { retryAfter: 2 }))
  const limited = it.call()
  await it.pass(2_250)
  await limited
  const methods = it.server
    .requests()
    .slice(before)
    .map(({ method }) => method)
  expect(methods.filter((method) => method !== 'tools/call' && method !== 'ping')).toEqual([])
  expect(methods.filter((method) => method === 'ping').length).toBeLessThanOrEqual(4)
  expect(it.server.count('initialize') + it.server.count('GET')).toBe(2)
  expect(it.statuses.at(-1)).toBe('ready')
})

describe('05.06: the server asks for time', () => {
  const twice = (retryAfter: number | string, headers = {}): Play =>
    inTurn(status(429, { retryAfter, headers }), status(429, { retryAfter, headers }), healthy())

  it('05.06: a call waits as long, twice, and is answered', async () => {
    await using it = await connected()
    it.server.answer('tools/call', twice(2))
    const call = it.call()
    await it.pass(5_000)
    await call
    const waits = gaps(it.server.requests('tools/call'))
    expect(waits).toHaveLength(2)
    for (const ms of waits) expect(ms).toBeGreaterThanOrEqual(2_000)
  })

  it('05.06: also when it names a date, by the clock of the server', async () => {
    await using it = await connected()
    const date = 'Wed, 21 Oct 2037 07:28:00 GMT'
    it.server.answer('tools/call', twice('Wed, 21 Oct 2037 07:28:03 GMT', { date }))
    const call = it.call()
    await it.pass(7_500)
    await call
    for (const ms of gaps(it.server.requests('tools/call'))) expect(ms).toBeGreaterThanOrEqual(3_000)
  })

  it('05.06: a call whose time would not suffice is told at once, with the time that was asked for', async () => {
    await using it = await connected()
    it.server.answer('tools/call', status(429, { retryAfter: 3_600 }))
    const error = await failure(it.call())
    expect(error).toBeInstanceOf(CallRefusedError)
    expect(error).toMatchObject({ fault: { code: 'http.429', retryAfterMs: 3_600_000 } })
    expect(it.server.count('tools/call')).toBe(1)
  })

  it('05.06: 503 says nothing of whether a call ran: only what is harmless is sent again', async () => {
    await using it = await connected()
    it.server.answer('*', (visit) =>
      visit.request.method === 'tools/call' ||
      (visit.request.method === 'resources/read' && it.server.count('resources/read') === 1)
        ? it.ledger.ran(status(503, { retryAfter: 2 }))(visit)
        : visit.healthy(),
    )
    expect(await failure(it.call())).toBeInstanceOf(OutcomeUnknownError)
    const read = failure(it.connection.readResource({ uri: 'x:' }))
    await it.pass(3_000)
    expect(await read).toBeInstanceOf(RpcError)
    expect(gaps(it.server.requests('resources/read'))[0]).toBeGreaterThanOrEqual(2_000)
    expect(it.server.count('tools/call')).toBe(1)
  })

  it('05.06: initialize is tried again after that time and a share of it', async () => {
    await using it = await scene()
    it.server.answer('initialize', twice(2))
    it.connection.connect().catch(() => undefined)
    await it.passUntil(() => it.connection.status === 'ready', 10_000)
    for (const ms of gaps(it.server.requests('initialize'))) expect(ms).toBeGreaterThanOrEqual(2_000)
  })

  it('05.06: an hour is served too, but no longer', async () => {
    await using it = await scene()
    it.server.once('initialize', status(429, { retryAfter: 360_000 }))
    it.connection.connect().catch(() => undefined)
    await it.pass(3_600_000, 60_000)
    expect(it.server.count('initialize')).toBe(1)
    await it.passUntil(() => it.connection.status === 'ready', 400_000, 10_000)
  })

  it('05.06: the listening stream is asked for again after that time', async () => {
    await using it = await scene()
    it.server.answer('GET', twice(7))
    await it.connection.connect()
    await it.passUntil(() => it.server.streams.size === 1, 20_000)
    for (const ms of gaps(it.server.requests('GET'))) expect(ms).toBeGreaterThanOrEqual(7_000)
    expect(it.server.count('initialize')).toBe(1)
  })
})

it('05.08: a session that is lost to a server that is then away for 3 s: both are made up for', async () => {
  await using it = await connected()
  it.server.once('tools/call', async (visit) => {
    await rpcError(-32001, 'Session not found', { code: 404, id: null })(visit)
    it.server.forgetSessions()
    void it.server.stop()
  })
  const call = it.call()
  await it.passUntil(() => it.connection.status === 'backoff', 1_000)
  await it.pass(3_000)
  await it.server.start()
  await it.passUntil(() => it.connection.status === 'ready', 10_000)
  await call
  expect(it.ledger.total).toBe(1)
  expect(it.server.requests('initialize').at(-1)?.session).toBeUndefined()
})

describe('10.05: close() while the server does not answer', () => {
  it('10.05: a call in flight is told, and the second close() is the first', async () => {
    await using it = await connected()
    it.server.answer('*', it.ledger.ran(hang()))
    const call = failure(it.call())
    await it.settled()
    const closing = Promise.all([it.connection.close(), it.connection.close()])
    await it.pass(5_000)
    await closing
    expect(await call).toBeInstanceOf(OutcomeUnknownError)
    await it.settled()
    expect(it.server.sockets).toBe(0)
    const before = it.server.count()
    await it.pass(60_000, 5_000)
    expect(it.server.count()).toBe(before)
  })

  it('10.05: in the very moment in which a reconnect succeeded', async () => {
    await using it = await connected()
    const closed = new Promise<void>((resolve) => {
      it.connection.status$.pipe(skip(1)).subscribe((status) => {
        if (status === 'ready') resolve(it.connection.close())
      })
    })
    await it.server.restart()
    await it.pass(10_000)
    await closed
    expect(it.statuses.filter((status) => status === 'ready')).toHaveLength(2)
    expect(it.connection.status).toBe('closed')
    expect(it.server.sessions.size).toBe(0)
  })
})
