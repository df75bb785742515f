import { describe, expect, it } from 'vitest'
import {
  frame,
  hang,
  inTurn,
  result,
  rpcError,
  sse,
  stall,
  startFaultServer,
  status,
} from '../../../src/testing/fault-server/index.js'
import { HttpWire } from '../../../src/wire/http/index.js'
import { backends } from './backends.js'
import { ManualClock, quiet, rig, sdkClient, until } from './rig.js'

describe.each(backends)('over %s', (_name, backend) => {
  it('the handshake carries neither session nor version, everything later carries both', async () => {
    await using server = await startFaultServer()
    await using one = await sdkClient({ url: server.url, ...backend })
    await one.echo('hello')
    await server.seen('GET')
    const [initialize, ...later] = server.requests()
    expect(initialize?.method).toBe('initialize')
    expect(initialize?.headers).not.toHaveProperty('mcp-session-id')
    expect(initialize?.headers).not.toHaveProperty('mcp-protocol-version')
    expect(later.map(({ session }) => session)).toEqual(['session-1', 'session-1', 'session-1'])
    expect(later.map(({ headers }) => headers['mcp-protocol-version'])).toEqual(Array(3).fill('2025-11-25'))
    expect(one.wire.sessionId).toBe('session-1')
    expect(one.wire.protocolVersion).toBe('2025-11-25')
  })

  it('every POST accepts both types, the GET a stream', async () => {
    await using server = await startFaultServer()
    await using _one = await sdkClient({ url: server.url, ...backend })
    await server.seen('GET')
    for (const { headers } of server.requests('POST')) {
      expect(headers.accept).toBe('application/json, text/event-stream')
      expect(headers['content-type']).toBe('application/json')
    }
    expect(server.requests('GET')[0]?.headers.accept).toBe('text/event-stream')
  })

  it('JSON and SSE replies are taken, whatever parameters the content type has', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    server.once('ping', result({ n: 1 }, { contentType: 'Application/JSON; charset=utf-8' }))
    expect((await one.ask('ping')).result).toEqual({ n: 1 })
    server.once('ping', sse([{ respond: { n: 2 } }], { contentType: 'text/event-stream;charset=UTF-8' }))
    expect((await one.ask('ping')).result).toEqual({ n: 2 })
    server.once('ping', ({ request, res }) => {
      res.writeHead(200).end(JSON.stringify({ jsonrpc: '2.0', id: request.id, result: { n: 3 } }))
    })
    expect((await one.ask('ping')).result).toEqual({ n: 3 })
  })

  it('an array of messages is taken apart', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    server.once('ping', (visit) => {
      const response = { jsonrpc: '2.0', id: visit.request.id, result: {} }
      return status(200, { body: [{ jsonrpc: '2.0', method: 'notifications/message', params: {} }, response] })(visit)
    })
    expect((await one.ask('ping')).result).toEqual({})
    expect(one.messages.some((message) => 'method' in message)).toBe(true)
  })

  it('what stands on a reply stream before the response is handed on in order', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    const progress = (n: number) => ({ data: { jsonrpc: '2.0', method: 'notifications/progress', params: { n } } })
    server.once('ping', sse([progress(1), progress(2), { respond: {} }]))
    await one.ask('ping')
    expect(one.messages.slice(-3).map((message) => ('params' in message ? message.params : 'response'))).toEqual([
      { n: 1 },
      { n: 2 },
      'response',
    ])
  })

  it('a character that two chunks share comes whole', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    server.once('ping', async ({ request, res }) => {
      const text = frame({ data: { jsonrpc: '2.0', id: request.id, result: { text: 'höö €' } } })
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const byte of Buffer.from(text)) await new Promise((written) => res.write(Buffer.of(byte), written))
      res.end()
    })
    expect((await one.ask('ping')).result).toEqual({ text: 'höö €' })
  })

  it('a last frame without its blank line is taken at the end of the stream (report 03.11)', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    server.once('ping', ({ request, res }) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: request.id, result: { n: 1 } })}`)
    })
    expect((await one.ask('ping')).result).toEqual({ n: 1 })
  })

  it('header functions and tokens are asked anew for each request', async () => {
    await using server = await startFaultServer()
    let asked = 0
    const headers = async () => ({ 'X-Count': String(++asked) })
    const token = async () => ({ value: `token-${asked}`, epoch: asked, state: 'fresh' as const })
    await using one = await rig({ url: server.url, headers, token, listen: 'manual', ...backend })
    await one.ask('ping')
    expect(server.requests().map((request) => request.headers['x-count'])).toEqual(['1', '2', '3'])
    expect(server.requests('ping')[0]?.headers.authorization).toMatch(/^Bearer token-/)
  })

  it('session and version cannot be overridden by header options, authorization can', async () => {
    await using server = await startFaultServer()
    const headers = { 'Mcp-Session-Id': 'stale', 'MCP-Protocol-Version': 'old', Authorization: 'Bearer mine' }
    const token = async () => ({ value: 'theirs', epoch: 1, state: 'fresh' as const })
    await using _one = await rig({ url: server.url, headers, token, ...backend })
    expect(server.requests()[0]?.session).toBeUndefined()
    expect(server.requests()[1]?.session).toBe('session-1')
    expect(server.requests()[1]?.headers['mcp-protocol-version']).toBe('2025-11-25')
    expect(server.requests()[0]?.headers.authorization).toBe('Bearer mine')
  })

  it('credentials in the URL go out as Basic authorization', async () => {
    await using server = await startFaultServer()
    const url = server.url.replace('://', '://us%C3%A9r:p%40ss@')
    await using _one = await rig({ url, ...backend })
    const sent = server.requests()[0]?.headers.authorization ?? ''
    expect(Buffer.from(sent.replace('Basic ', ''), 'base64').toString()).toBe('usér:p@ss')
  })

  it('a session id is taken only from a successful initialize', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend }, { initialize: false })
    const headers = { 'mcp-session-id': 'trap' }
    server.once('initialize', status(503, { headers }))
    await one.ask('initialize', {})
    server.once('initialize', rpcError(-32000, 'no', { headers }))
    await one.ask('initialize', {})
    expect(one.wire.sessionId).toBeUndefined()
    await one.initialize()
    server.once('ping', result({}, { headers }))
    await one.ask('ping')
    expect(one.wire.sessionId).toBe('session-1')
  })

  it.each([
    ['202 empty', status(202)],
    ['202 with a JSON type', status(202, { contentType: 'application/json' })],
    ['200 null', status(200, { body: 'null', contentType: 'application/json' })],
    ['200 {}', status(200, { body: {} })],
    ['200 empty without type', status(200)],
    ['204', status(204)],
    ['200 text', status(200, { body: 'ok' })],
    ['200 SSE that ends at once', sse([])],
    ['200 with an error body', rpcError(-32600, 'not for me')],
  ])('initialized answered with %s is accepted, and the listening stream opens (report 12.02)', async (_case, play) => {
    await using server = await startFaultServer()
    server.answer('notifications/initialized', play)
    await using one = await rig({ url: server.url, ...backend })
    await until(() => one.told('listening').length === 1)
    server.streams.push({ method: 'notifications/tools/list_changed' })
    await until(() => one.messages.some((m) => 'method' in m && m.method === 'notifications/tools/list_changed'))
    expect(one.told('post-only')).toEqual([])
  })

  it('a notification that is refused rejects with its evidence', async () => {
    await using server = await startFaultServer()
    server.answer('notifications/initialized', status(500, { body: 'down' }))
    await expect(rig({ url: server.url, ...backend })).rejects.toMatchObject({
      name: 'WireError',
      evidence: { kind: 'http', method: 'notifications/initialized', http: { status: 500, body: 'down' } },
    })
  })

  it('an accepted notification whose body never ends holds nothing up, and its socket is let go', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    server.answer('notifications/roots/list_changed', stall(202, 'x'))
    await using one = await rig({ url: server.url, clock, listen: 'manual', ...backend })
    await one.notify('notifications/roots/list_changed')
    clock.advance(5_000)
    expect((await server.over('notifications/roots/list_changed')).abandoned).toBe(true)
  })

  it('a reply stream that stays open after its response is let go', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, listen: 'manual', ...backend })
    server.once('ping', sse([{ respond: {} }, 'stay-open']))
    await one.ask('ping')
    clock.advance(5_000)
    expect((await server.over('ping')).abandoned).toBe(true)
    expect(clock.timers).toBe(0)
  })

  it('a cancelled request is told to the server and forgotten; others go on', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    server.answer('tools/call', inTurn(hang(), hang(), result()))
    const [first, second] = [one.begin('tools/call'), one.begin('tools/call')]
    await server.seen('tools/call', 2)
    await one.notify('notifications/cancelled', { requestId: first.id })
    const cancelled = await server.seen('notifications/cancelled')
    expect(cancelled.body).toMatchObject({ params: { requestId: first.id } })
    expect((await server.over('tools/call', 1)).abandoned).toBe(true)
    expect(server.requests('tools/call')[1]?.closedAt).toBeUndefined()
    expect(one.wire.pending).toBe(1)
    expect(one.answered.has(first.id)).toBe(false)
    expect((await one.ask('tools/call')).result).toEqual({})
    void second
  })

  it('initialize is not cancelled at the server, only dropped (specification: it must not be)', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend }, { initialize: false })
    server.answer('initialize', hang())
    const { id } = one.begin('initialize')
    await server.seen('initialize')
    await one.notify('notifications/cancelled', { requestId: id })
    expect((await server.over('initialize')).abandoned).toBe(true)
    expect(server.count('notifications/cancelled')).toBe(0)
  })

  it('close answers what is open, tells once, and leaves no socket', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, ...backend })
    await until(() => one.told('listening').length === 1)
    server.answer('tools/call', hang())
    const calls = [one.begin('tools/call'), one.begin('tools/call')]
    await server.seen('tools/call', 2)
    await Promise.all([one.wire.close(), one.wire.close()])
    for (const { answer } of calls) {
      expect((await answer).error).toMatchObject({ code: -32000, data: { evidence: { kind: 'closed', sent: true } } })
    }
    expect([...one.answered.values()].every((times) => times === 1)).toBe(true)
    expect(one.told('closed')).toMatchObject([{ byUs: true, evidence: { kind: 'closed' } }])
    expect(one.closes).toBe(1)
    expect(clock.timers).toBe(0)
    expect(one.wire.pending).toBe(0)
    await server.over('GET')
    await expect(one.notify('x')).rejects.toMatchObject({ evidence: { kind: 'closed', sent: false } })
  })

  it('a handler that throws breaks neither the stream nor other answers', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    const errors: Error[] = []
    const hear = one.wire.onmessage
    one.wire.onerror = (error) => errors.push(error)
    one.wire.onmessage = (message) => {
      if ('method' in message) throw new Error('handler')
      hear?.(message)
    }
    server.once('ping', sse([{ data: { jsonrpc: '2.0', method: 'notifications/message' } }, { respond: {} }]))
    expect((await one.ask('ping')).result).toEqual({})
    expect(errors).toHaveLength(1)
  })

  it('answers to unknown ids are noise, told without their words; a second answer is not handed on', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, listen: 'manual', ...backend })
    const stray = { data: { jsonrpc: '2.0', id: 999, result: { secret: 'canary-value' } } }
    server.once('ping', sse([stray, { respond: {} }, { respond: {} }]))
    await one.ask('ping')
    await until(() => one.told('noise').length === 2)
    expect([...one.answered.values()].every((times) => times === 1)).toBe(true)
    expect(JSON.stringify(one.events)).not.toContain('canary-value')
  })

  it('a number that comes back as a string still answers its request (report 07.03)', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    server.once('ping', (visit) =>
      status(200, { body: { jsonrpc: '2.0', id: String(visit.request.id), result: { ok: 1 } } })(visit),
    )
    expect((await one.ask('ping')).result).toEqual({ ok: 1 })
  })

  it('the session is ended by DELETE, and any answer or none is the end of it', async () => {
    for (const play of [status(200), status(405), status(404), status(400), status(500), hang()]) {
      await using server = await startFaultServer()
      const clock = new ManualClock()
      server.answer('DELETE', play)
      await using one = await rig({ url: server.url, clock, listen: 'manual', ...backend })
      const ended = one.wire.endSession(1_000)
      expect((await server.seen('DELETE')).session).toBe('session-1')
      if (server.requests('DELETE')[0]?.closedAt === undefined) {
        await quiet(5)
        clock.advance(1_000)
      }
      await ended
      expect(one.wire.sessionId).toBeUndefined()
      await one.wire.close()
      expect(clock.timers).toBe(0)
    }
  })

  it('endSession does nothing without a session', async () => {
    await using server = await startFaultServer({ sessions: false })
    await using one = await rig({ url: server.url, ...backend })
    await one.wire.endSession(1_000)
    expect(server.count('DELETE')).toBe(0)
  })

  it('a throwing token function settles the request without a word of it leaving', async () => {
    await using server = await startFaultServer()
    const token = async () => {
      throw new Error('canary-secret')
    }
    await using one = await rig({ url: server.url, token, ...backend }, { initialize: false })
    const evidence = await one.evidence('ping')
    expect(evidence).toMatchObject({ kind: 'thrown', sent: false, method: 'ping' })
    expect(JSON.stringify(evidence)).not.toContain('canary-secret')
    expect(server.count()).toBe(0)
  })
})

it('start opens no socket, and a wire starts once', async () => {
  await using server = await startFaultServer()
  await using one = await rig({ url: server.url }, { initialize: false })
  expect(server.connections).toBe(0)
  await expect(one.wire.start()).rejects.toMatchObject({ name: 'WireError' })
})

it('a wire that is closed does not start', async () => {
  const wire = new HttpWire({ url: 'http://127.0.0.1:1/mcp' })
  await wire.close()
  await expect(wire.start()).rejects.toMatchObject({ evidence: { kind: 'closed' } })
})

it.each([
  ['nonsense', 'url'],
  ['ftp://host/mcp', 'scheme'],
])('the url %s cannot be used, and start says so', async (url, subject) => {
  await expect(new HttpWire({ url }).start()).rejects.toMatchObject({ evidence: { kind: 'config', subject } })
})
