import { describe, expect, it } from 'vitest'
import {
  redirect,
  result,
  rpcError,
  sse,
  stall,
  startFaultServer,
  status,
} from '../../../src/testing/fault-server/index.js'
import { evidenceOf, HttpClient, SseWire } from '../../../src/wire/index.js'
import { backends } from '../http/backends.js'
import { WireRig } from '../web-rig.js'
import { ManualClock, quiet, rig, until } from './rig.js'

/** Serves a stream whose messages go to `endpoint`. */
const stream = (endpoint: string, then: string[] = []) =>
  sse([{ event: 'endpoint', data: endpoint }, ...then, 'stay-open'])

describe.each(backends)('a session over %s', (_name, backend) => {
  it('opens a stream, posts where the endpoint event says, and hears the answers on the stream', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    expect((await one.ask('tools/call', { name: 'echo', arguments: { a: 1 } })).result).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
    })
    expect((await one.ask('no/such')).error).toMatchObject({ code: -32601 })
    const [get] = server.requests('GET')
    expect(get).toMatchObject({ path: '/sse', headers: { accept: 'text/event-stream' } })
    expect(server.requests('POST').map(({ path, method, status }) => [path, method, status])).toEqual([
      ['/messages?sid=1', 'initialize', 202],
      ['/messages?sid=1', 'notifications/initialized', 202],
      ['/messages?sid=1', 'tools/call', 202],
      ['/messages?sid=1', 'no/such', 202],
    ])
    expect(one.wire.pending).toBe(0)
    expect(one.events).toEqual([])
  })

  it('names no session in a header, and the version only once it was negotiated', async () => {
    await using server = await startFaultServer({ legacy: true })
    const headers = { 'X-Own': 'a', 'mcp-session-id': 'stale', 'mcp-protocol-version': 'stale' }
    await using one = await rig({ url: server.legacyUrl, headers, ...backend })
    await one.ask('ping')
    const seen = server.requests().map(({ headers }) => headers)
    expect(seen.map((each) => each['mcp-session-id'])).toEqual([undefined, undefined, undefined, undefined])
    expect(seen.map((each) => each['mcp-protocol-version'])).toEqual([undefined, undefined, '2024-11-05', '2024-11-05'])
    expect(seen.map((each) => each['x-own'])).toEqual(['a', 'a', 'a', 'a'])
    expect('sessionId' in one.wire).toBe(false)
  })

  it('reads headers and token anew for each request', async () => {
    await using server = await startFaultServer({ legacy: true })
    let asked = 0
    const token = async () => ({ value: `token-${++asked}`, epoch: asked, state: 'fresh' as const })
    await using one = await rig({ url: server.legacyUrl, token, ...backend })
    await one.ask('ping')
    expect(server.requests().map(({ headers }) => headers.authorization)).toEqual(
      [1, 2, 3, 4].map((n) => `Bearer token-${n}`),
    )
  })

  it.each([
    ['a path', '/messages?sid=7', '/messages?sid=7'],
    ['a relative path', 'post/7', '/a/post/7'],
    ['a query', '?sid=7', '/a/sse?sid=7'],
    ['a whole address', 'ORIGIN/elsewhere/7', '/elsewhere/7'],
  ])('resolves an endpoint that is %s', async (_case, endpoint, path) => {
    await using server = await startFaultServer()
    server.answer('GET', stream(endpoint.replace('ORIGIN', server.origin)))
    server.answer('POST', status(202))
    await using one = await rig({ url: `${server.origin}/a/sse`, ...backend }, { initialize: false })
    await one.notify('notifications/initialized')
    expect(server.requests('POST')[0]?.path).toBe(path)
  })

  it('takes a JSON-RPC answer in the answer to the POST as well, and settles once', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    server.once('ping', result({ over: 'post' }))
    expect((await one.ask('ping')).result).toEqual({ over: 'post' })
    server.once('ping', async (visit) => {
      await result({ over: 'post' })(visit)
      server.legacy.push({ jsonrpc: '2.0', id: visit.request.id, result: { over: 'stream' } })
    })
    const { id, answer } = one.begin('ping')
    await answer
    await quiet()
    expect(one.answered.get(id)).toBe(1)
    server.once('ping', rpcError(-32000, 'no', { id: null }))
    expect((await one.ask('ping')).error).toMatchObject({ code: -32000 })
  })

  it('a body that breaks or hangs once the message was accepted changes nothing', async () => {
    await using server = await startFaultServer({ legacy: true })
    const clock = new ManualClock()
    await using one = await rig({ url: server.legacyUrl, clock, ...backend })
    server.once('tools/call', stall(202, 'Acc', { contentType: 'text/plain', cut: true }))
    const broken = one.begin('tools/call')
    await server.over('tools/call')
    server.once('tools/call', stall(202, '{', { cut: true }))
    const brokenJson = one.begin('tools/call')
    await server.over('tools/call', 2)
    server.once('tools/call', stall(202, 'Acc', { contentType: 'text/plain' }))
    const hanging = one.begin('tools/call')
    await server.seen('tools/call', 3)
    await quiet(10)
    clock.advance(5_000)
    // Its socket is wanted back.
    await server.over('tools/call', 3)
    await quiet(5)
    expect(one.wire.pending).toBe(3)
    for (const { id, answer } of [broken, brokenJson, hanging]) {
      server.legacy.push({ jsonrpc: '2.0', id, result: { id } })
      expect((await answer).result).toEqual({ id })
    }
  })

  it.each([
    ['Accepted', status(202, { body: 'Accepted' })],
    ['nothing', status(200)],
    ['a page', status(200, { body: '<html>', contentType: 'text/html' })],
    ['JSON of its own', status(202, { body: { status: 'accepted' } })],
    ['half a JSON', status(202, { body: '{"jsonrpc":', contentType: 'application/json' })],
  ])('any 2xx accepts a message, whatever the body says: %s', async (_case, play) => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    server.answer('ping', play)
    server.answer('notifications/roots/list_changed', play)
    const { id, answer } = one.begin('ping')
    await one.notify('notifications/roots/list_changed')
    await server.over('ping')
    await quiet(5)
    expect(one.wire.pending).toBe(1)
    server.legacy.push({ jsonrpc: '2.0', id, result: { late: true } })
    expect((await answer).result).toEqual({ late: true })
  })

  it('an answer that comes before its POST was accepted settles the call, and the POST is not waited for', async () => {
    await using server = await startFaultServer({ legacy: true })
    const clock = new ManualClock()
    await using one = await rig({ url: server.legacyUrl, clock, ...backend })
    server.answer('ping', ({ request }) => {
      server.legacy.push({ jsonrpc: '2.0', id: request.id, result: {} })
    })
    expect((await one.ask('ping')).result).toEqual({})
    clock.advance(5_000)
    const post = await server.over('ping')
    expect(post.abandoned).toBe(true)
  })

  it('follows a redirect within the origin, and asks the old address again in the next session', async () => {
    await using server = await startFaultServer({ legacy: { stream: '/v2/sse' } })
    server.answer('GET', (visit) => (visit.request.path === '/sse' ? redirect('/v2/sse')(visit) : visit.healthy()))
    const client = new HttpClient()
    for (let n = 0; n < 2; n++) {
      await using one = await rig({ url: `${server.origin}/sse`, client, ...backend })
      expect((await one.ask('ping')).result).toEqual({})
    }
    expect(server.requests('GET').map(({ path }) => path)).toEqual(['/sse', '/v2/sse', '/sse', '/v2/sse'])
    await client.close()
  })

  it('hands on requests and notifications of the server, and carries the answers back', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    server.legacy.push({ jsonrpc: '2.0', id: 'r1', method: 'roots/list' })
    server.legacy.push([
      { jsonrpc: '2.0', method: 'notifications/a' },
      { jsonrpc: '2.0', method: 'notifications/b' },
    ])
    await until(() => one.messages.length === 4)
    await one.wire.send({ jsonrpc: '2.0', id: 'r1', result: { roots: [] } })
    expect(server.requests('POST').at(-1)?.body).toEqual({ jsonrpc: '2.0', id: 'r1', result: { roots: [] } })
  })

  it('reads what is odd on the stream with the least harm', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    server.answer('tools/call', status(202))
    const odd = one.begin('tools/call')
    const text = one.begin('tools/call')
    server.legacy.write(': keepalive\n\nevent: heartbeat\ndata: {}\n\ndata: no json\n\n')
    server.legacy.push({ jsonrpc: '2.0', id: 99, result: {} })
    server.legacy.push({ jsonrpc: '2.0', id: odd.id, result: 'a string' })
    server.legacy.push({ jsonrpc: '2.0', id: String(text.id), result: { n: 'as text' } })
    expect(evidenceOf((await odd.answer).error)).toMatchObject({ kind: 'malformed', wire: 'sse', method: 'tools/call' })
    expect((await text.answer).result).toEqual({ n: 'as text' })
    expect(one.told('noise')).toHaveLength(2)
    expect((await one.ask('ping')).result).toEqual({})
  })

  it('a cancelled request is forgotten, and the server told of it', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    server.answer('tools/call', status(202))
    const { id } = one.begin('tools/call')
    await server.seen('tools/call')
    await one.notify('notifications/cancelled', { requestId: id })
    expect(one.wire.pending).toBe(0)
    expect(server.count('notifications/cancelled')).toBe(1)
    server.legacy.push({ jsonrpc: '2.0', id, result: {} })
    await until(() => one.told('noise').length === 1)
    expect(one.answered.has(id)).toBe(false)
  })

  it('initialize is forgotten, but its cancellation never told', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend }, { initialize: false })
    server.answer('initialize', status(202))
    const { id } = one.begin('initialize')
    await server.over('initialize')
    await one.notify('notifications/cancelled', { requestId: id })
    await one.notify('notifications/cancelled', { requestId: 'of somebody else' })
    expect([one.wire.pending, server.count('notifications/cancelled')]).toEqual([0, 1])
  })

  it('one that never left is not spoken of', async () => {
    await using server = await startFaultServer({ legacy: true })
    let grant: (() => void) | undefined
    let isSlow = false
    const headers = () =>
      isSlow ? new Promise<Record<string, string>>((resolve) => (grant = () => resolve({}))) : ({} as const)
    await using one = await rig({ url: server.legacyUrl, headers, ...backend })
    isSlow = true
    const { id } = one.begin('tools/call')
    await one.notify('notifications/cancelled', { requestId: id })
    grant?.()
    await quiet()
    expect(server.count('tools/call') + server.count('notifications/cancelled')).toBe(0)
  })

  it('a message over the limit fails its call alone, and the session goes on', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, maxMessageBytes: 100_000, ...backend })
    server.answer('tools/call', status(202))
    const big = one.begin('tools/call')
    const other = one.begin('tools/call')
    server.legacy.push({ jsonrpc: '2.0', method: 'notifications/x' })
    server.legacy.push({ result: { text: 'x'.repeat(1_000_000) }, jsonrpc: '2.0', id: big.id })
    server.legacy.push({ jsonrpc: '2.0', id: other.id, result: { well: true } })
    expect(evidenceOf((await big.answer).error)).toMatchObject({ kind: 'oversize', method: 'tools/call', sent: true })
    expect((await other.answer).result).toEqual({ well: true })
    server.legacy.push({ jsonrpc: '2.0', method: 'notifications/big', params: { text: 'x'.repeat(1_000_000) } })
    expect((await one.ask('ping')).result).toEqual({})
    expect(one.told('suspect')).toMatchObject([{ evidence: { kind: 'oversize' } }])
    expect(one.messages.filter((m) => 'method' in m)).toHaveLength(1)
  })

  it('bytes on the stream are signs of life', async () => {
    await using server = await startFaultServer({ legacy: true })
    const clock = new ManualClock()
    await using one = await rig({ url: server.legacyUrl, clock, ...backend })
    clock.advance(1_000)
    server.legacy.write(': keepalive\n\n')
    await until(() => one.wire.lastLifeAt === 1_000)
    expect(one.wire.lastLifeAt).toBe(1_000)
  })

  it('refuses what cannot be sent: an id that is open, a message that is no JSON, anything before the start', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    server.answer('tools/call', status(202))
    const { id } = one.begin('tools/call')
    await expect(one.wire.send({ jsonrpc: '2.0', id, method: 'ping' })).rejects.toMatchObject({
      evidence: { kind: 'thrown', sent: false },
    })
    expect(await one.evidence('ping', { big: 1n })).toMatchObject({ kind: 'thrown', sent: false })
    await expect(one.wire.start()).rejects.toMatchObject({ evidence: { kind: 'closed' } })
    const fresh = new SseWire({ url: server.legacyUrl })
    await expect(fresh.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toMatchObject({
      evidence: { kind: 'closed', sent: false },
    })
  })

  it('a handler that throws breaks nothing', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    const errors: unknown[] = []
    const take = one.wire.onmessage
    one.wire.onerror = (error) => errors.push(error)
    one.wire.onmessage = () => {
      throw new Error('a fault of the host')
    }
    server.legacy.push({ jsonrpc: '2.0', method: 'notifications/x' })
    await until(() => errors.length === 1)
    one.wire.onmessage = take
    expect((await one.ask('ping')).result).toEqual({})
  })
})

it('wires that share a client share its cookies, and leave it open', async () => {
  await using server = await startFaultServer({ legacy: true })
  server.once('GET', async (visit) => {
    visit.res.setHeader('set-cookie', 'replica=b')
    await visit.healthy()
  })
  const client = new HttpClient()
  for (let n = 0; n < 2; n++) {
    const one = await rig({ url: server.legacyUrl, client })
    await one.wire.close()
  }
  expect(server.requests('GET').map(({ headers }) => headers.cookie)).toEqual([undefined, 'replica=b'])
  expect(server.requests('POST').every(({ headers }) => headers.cookie === 'replica=b')).toBe(true)
  await client.close()
})

it('speaks beside the Streamable HTTP endpoint of the same server', async () => {
  await using server = await startFaultServer({ legacy: true })
  await using one = new WireRig(new SseWire({ url: server.url }))
  await expect(one.wire.start()).rejects.toMatchObject({ evidence: { http: { status: 400, exchange: 'open' } } })
  expect(server.legacy.begun).toBe(0)
})
