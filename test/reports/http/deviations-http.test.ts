/**
 * How real servers over HTTP deviate, numbers 13 to 32: streams, notifications, refusals, versions. 1 to 12 are in
 * deviations-sessions.test.ts.
 *
 * 16: 03-streams.test.ts, report 03.01. 18: test/wire/http/traps.test.ts, trap 24. 28, the names of events:
 * test/wire/http/traps.test.ts, trap 25. The older transport and its silent reconnect: 13-other.test.ts, report 13.02.
 */
import { describe, expect, it } from 'vitest'
import { OutcomeUnknownError, RpcError } from '../../../src/index.js'
import {
  destroy,
  hang,
  html,
  type Play,
  redirect,
  rpcError,
  sse,
  startFaultServer,
  status,
} from '../../../src/testing/fault-server/index.js'
import { connected, failure, type Scene, scene } from '../rig.js'

const nobody = { id: null }

describe('deviations 13 to 17: the listening stream', () => {
  it('deviation 13: 404 to the GET of a session that worked is looked into by a POST', async () => {
    await using it = await connected()
    it.server.forgetSessions()
    it.server.streams.cut()
    await it.passUntil(() => it.server.streams.size === 1, 5_000)
    expect(it.server.count('initialize')).toBe(2)
  })

  it.each<[string, Play]>([
    ['14: 404', status(404)],
    ['14: 406', status(406)],
    ['14: 400 No sessionId', status(400, { body: 'No sessionId' })],
    ['14: 401', status(401)],
    ['15: 200 with -32601', rpcError(-32601, 'Method not found', nobody)],
    ['15: 200 with nothing', status(200, { contentType: 'application/json' })],
  ])('deviation %s to the GET is no failure and no storm', async (_case, play) => {
    await using it = await scene()
    it.server.answer('GET', play)
    await it.connection.connect()
    await it.pass(60_000, 1_000)
    await it.call()
    expect(it.server.count('GET')).toBeLessThanOrEqual(5)
    expect(it.server.count('initialize')).toBe(1)
    expect(it.losses).toEqual([])
  })

  it.each<[string, Play, initializes: number]>([
    [
      '409 Only one SSE stream',
      rpcError(-32000, 'Conflict: Only one SSE stream is allowed per session', { code: 409 }),
      2,
    ],
    ['400 session already exists', status(400, { body: 'Session registration failed: session already exists' }), 1],
  ])('deviation 17: %s to the reopening GET', async (_case, play, initializes) => {
    await using it = await connected()
    it.server.answer('GET', (visit) => (visit.request.session === 'session-1' ? play(visit) : visit.healthy()))
    it.server.streams.cut()
    await it.pass(60_000, 1_000)
    expect(it.server.count('initialize')).toBe(initializes)
    expect(it.server.requests('GET').filter(({ session }) => session === 'session-1').length).toBeLessThan(8)
    await it.call()
  })
})

describe('deviation 19: answers to notifications', () => {
  it.each<[string, Play]>([
    ['200 and nothing', status(200)],
    ['200 null', status(200, { body: null })],
    ['200 with text', status(200, { body: 'Accepted' })],
    ['204', status(204)],
    ['200 with an error', rpcError(-32600, 'Invalid Request', nobody)],
  ])('deviation 19: %s', async (_case, play) => {
    await using it = await scene()
    it.server.answer('notifications/initialized', play)
    await it.connection.connect()
    await it.settled()
    await it.call()
    expect(it.server.streams.size).toBe(1)
    expect(it.losses).toEqual([])
  })
})

describe('deviations 20 to 24: refusals', () => {
  it('deviation 20: every POST names both types in full, and no wildcard', async () => {
    await using it = await scene()
    it.server.answer('POST', (visit) => {
      const accept = String(visit.req.headers.accept)
      const both = accept.includes('application/json') && accept.includes('text/event-stream')
      return both && !accept.includes('*') ? visit.healthy() : rpcError(-32000, 'Not Acceptable', { code: 406 })(visit)
    })
    await it.connection.connect()
    await it.call()
    expect(it.server.requests('POST').every(({ status }) => status === 200 || status === 202)).toBe(true)
  })

  it('deviation 20: 406 all the same is told, once, and not repeated', async () => {
    await using it = await scene()
    it.server.answer('POST', rpcError(-32600, 'Not Acceptable', { code: 406, id: 'server-error' }))
    await failure(it.connection.connect())
    expect(it.connection.fault).toMatchObject({ code: 'http.406', class: 'permanent' })
    await it.pass(60_000, 5_000)
    expect(it.server.count('*')).toBe(1)
  })

  it('deviation 21: 307 to the same address with a slash is followed, with method and body', async () => {
    await using it = await scene({ server: { path: '/mcp/' }, path: '/mcp' })
    it.server.answer('*', (visit) => (visit.request.path === '/mcp' ? redirect('/mcp/')(visit) : visit.healthy()))
    await it.connection.connect()
    await it.call()
    expect(it.server.requests('*').filter(({ path }) => path === '/mcp')).toHaveLength(1)
  })

  it('deviation 21: 307 to a page of another origin gets no credential, and is told', async () => {
    await using login = await startFaultServer()
    login.answer('*', html(200))
    await using it = await scene({ headers: { authorization: 'Bearer secret-token' } })
    it.server.answer('*', redirect(`${login.origin}/login`))
    await failure(it.connection.connect())
    expect(it.connection.fault).toMatchObject({ code: 'http.307', class: 'permanent' })
    expect(it.connection.fault?.advice).toContain('/login')
    expect(login.count('*')).toBe(0)
    expect(it.server.count('*')).toBe(1)
  })

  it.each<[string, Play, code: string]>([
    ['421 Invalid Host header', status(421, { body: 'Invalid Host header' }), 'http.421'],
    ['403 Invalid Host', rpcError(-32000, 'Invalid Host: example.test', { code: 403, ...nobody }), 'http.403'],
  ])('deviation 22: %s fails for good, with the words of the server', async (_case, play, code) => {
    await using it = await scene()
    it.server.answer('*', play)
    await failure(it.connection.connect())
    expect(it.connection.fault).toMatchObject({ code, class: 'permanent' })
    expect(it.connection.fault?.evidence.http?.body).toContain('Invalid Host')
  })

  it.each([502, 503, 504])('deviation 23: the page of a %i to a call is no disconnect', async (code) => {
    await using it = await connected()
    it.server.once('tools/call', it.ledger.ran(html(code)))
    expect(await failure(it.call())).toBeInstanceOf(OutcomeUnknownError)
    await it.call()
    await it.settled()
    expect(it.losses).toEqual([])
    expect(it.connection.status).toBe('ready')
  })

  it('deviation 24: 429 to everything is not answered with a storm (P6)', async () => {
    await using it = await connected()
    it.server.answer('*', status(429, { retryAfter: 30 }))
    const before = it.server.count()
    const call = failure(it.call())
    it.server.streams.cut()
    await it.pass(60_000, 1_000)
    expect(it.server.count() - before).toBeLessThan(15)
    it.server.heal()
    await it.passUntil(() => it.connection.status === 'ready', 120_000, 1_000)
    await it.pass(60_000, 1_000)
    await call
    expect(it.server.count('initialize')).toBe(1)
  })
})

describe('deviations 25 to 28: the ends of streams and sessions', () => {
  it.each<[string, Play]>([
    ['ends', sse([': keepalive\n\n'])],
    ['is cut', sse([': keepalive\n\n', 'destroy'])],
    ['is cut before its head', destroy()],
  ])('deviation 25: a reply stream that %s: the call ends at once as unknown', async (_case, play) => {
    await using it = await connected()
    it.server.once('tools/call', it.ledger.ran(play))
    expect(await failure(it.call())).toBeInstanceOf(OutcomeUnknownError)
    await it.call()
    expect(it.server.count('initialize')).toBe(1)
    expect(it.server.count('tools/call')).toBe(2)
  })

  it('deviation 26: every request is answered on the listening stream', async () => {
    await using it = await connected()
    it.server.answer('POST', async (visit) => {
      await status(202)(visit)
      const result = { content: [] }
      if (visit.request.id !== undefined) it.server.streams.push({ id: visit.request.id, result } as never)
    })
    expect(await it.call()).toEqual({ content: [] })
  })

  it.each<[string, Play]>([
    ['404', status(404)],
    ['400', status(400)],
    ['405', status(405)],
    ['204', status(204)],
    ['nothing', hang()],
  ])('deviation 27: DELETE answered %s is the end of the session', async (_case, play) => {
    await using it = await connected()
    it.server.answer('DELETE', play)
    const closing = it.connection.close()
    await it.pass(2_500)
    await closing
    expect(it.connection.status).toBe('closed')
    expect(it.server.count('DELETE')).toBe(1)
  })

  it('deviation 28: an error framed as SSE under a 4xx reaches the caller as what it is', async () => {
    await using it = await connected()
    it.server.once('tools/call', rpcError(-32602, 'Invalid arguments', { code: 400, framed: true }))
    expect(await failure(it.call())).toBeInstanceOf(RpcError)
  })
})

describe('deviations 29 to 32: versions', () => {
  const asked = ({ body }: { body?: unknown }): string =>
    (body as { params: { protocolVersion: string } }).params.protocolVersion
  const offered = ({ server }: Scene): string[] => server.requests('initialize').map(asked)

  it.each<[string, Play]>([
    [
      '29: -32602 with a list',
      rpcError(-32602, 'Unsupported protocol version', { data: { supported: ['2025-03-26'] } }),
    ],
    [
      '29: -32602 with the version in its words',
      rpcError(-32602, 'Unsupported protocol version 2025-11-25, use 2025-03-26'),
    ],
    ['29: -32022 with a list', rpcError(-32022, 'Unsupported version', { data: { supported: ['2025-03-26'] } })],
    [
      '30: 400 that names the versions',
      rpcError(-32000, 'Bad Request: Unsupported protocol version (supported versions: 2025-03-26, 2024-11-05)', {
        code: 400,
      }),
    ],
  ])('deviation %s: a common version is offered, once', async (_case, play) => {
    await using it = await scene()
    it.server.once('initialize', play)
    await it.connection.connect()
    expect(offered(it)).toEqual(['2025-11-25', '2025-03-26'])
    expect(it.connection.session?.protocolVersion).toBe('2025-03-26')
  })

  it.each<[string, Play]>([
    ['29: -32602 and no list', rpcError(-32602, 'Unsupported protocol version')],
    [
      '29: -32022 and no list',
      (visit) => rpcError(-32022, `Unsupported protocol version: ${asked(visit.request)}`)(visit),
    ],
    ['30: 400 and no list', status(400, { body: 'Bad Request: Unsupported protocol version' })],
  ])('deviation %s: older versions are offered, each once', async (_case, refusal) => {
    await using it = await scene()
    it.server.answer('initialize', (visit) =>
      JSON.stringify(visit.request.body).includes('"2024-11-05"') ? visit.healthy() : refusal(visit),
    )
    await it.connection.connect()
    expect(offered(it)).toEqual(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])
    it.server.forgetSessions()
    await it.call()
    expect(offered(it).slice(4)).toEqual(['2024-11-05'])
  })

  it('deviation 30: a version header during the handshake is refused: none is sent', async () => {
    await using it = await scene()
    it.server.answer('initialize', (visit) =>
      visit.req.headers['mcp-protocol-version'] === undefined ? visit.healthy() : status(400)(visit),
    )
    await it.connection.connect()
    expect(it.server.count('initialize')).toBe(1)
  })

  it('deviation 30: a version header is demanded of the handshake: against the specification, so told and left', async () => {
    await using it = await scene({ kind: 'http' })
    it.server.answer('initialize', status(400, { body: 'Bad Request: MCP-Protocol-Version header is required' }))
    await failure(it.connection.connect())
    expect(it.connection.fault).toMatchObject({ code: 'http.400', class: 'permanent' })
    expect(it.connection.fault?.evidence.http?.body).toContain('MCP-Protocol-Version header is required')
    expect(it.server.count('*')).toBeLessThanOrEqual(5)
  })

  it('deviation 31: an old version in the result is taken', async () => {
    await using it = await connected({ server: { protocolVersion: '2024-10-07' } })
    expect(it.connection.session?.protocolVersion).toBe('2024-10-07')
    await it.call()
  })

  it('deviation 31: a version that is none of ours fails for good and is named', async () => {
    await using it = await scene({ server: { protocolVersion: '2031-01-01' } })
    await failure(it.connection.connect())
    expect(it.connection.fault).toMatchObject({ code: 'version.unsupported', class: 'permanent' })
    expect(it.connection.fault?.evidence.summary).toContain('2031-01-01')
  })

  it('deviation 32: nothing is asked for that an old server would stumble over: initialize comes first', async () => {
    await using it = await connected()
    expect(it.server.requests('*')[0]?.method).toBe('initialize')
    expect(it.server.count('server/discover')).toBe(0)
  })
})
