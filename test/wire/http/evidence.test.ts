import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  destroy,
  html,
  redirect,
  resetAfterRequest,
  resetAtOnce,
  rpcError,
  sse,
  stall,
  startFaultServer,
  startRawServer,
  status,
} from '../../../src/testing/fault-server/index.js'
import { backends } from './backends.js'
import { certificate, privateKey } from './certificate.js'
import { ManualClock, quiet, rig } from './rig.js'

describe.each(backends)('evidence over %s', (_name, backend) => {
  it.each([400, 401, 403, 404, 405, 406, 408, 409, 415, 421, 429, 500, 501, 502, 503, 504, 529])(
    'status %i to a call: kind http, with what it was sent under',
    async (code) => {
      await using server = await startFaultServer()
      const token = async () => ({ value: 'canary-token', epoch: 7, state: 'expired' as const })
      await using one = await rig({ url: server.url, token, listen: 'manual', ...backend })
      server.answer('tools/call', status(code, { body: 'no luck' }))
      const evidence = await one.evidence('tools/call')
      expect(evidence).toMatchObject({
        kind: 'http',
        wire: 'http',
        method: 'tools/call',
        http: { status: code, exchange: 'message', body: 'no luck', contentType: 'text/plain' },
        sessionSent: true,
        tokenState: 'expired',
        credentialEpoch: 7,
        sent: true,
      })
      expect(evidence.rpc).toBeUndefined()
    },
  )

  it('a failure of initialize says that no session was sent', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend }, { initialize: false })
    server.answer('initialize', rpcError(-32600, 'Server already initialized', { code: 400, id: null }))
    expect(await one.evidence('initialize')).toMatchObject({
      http: { status: 400 },
      method: 'initialize',
      sessionSent: false,
      tokenState: 'none',
      rpc: { code: -32600, message: 'Server already initialized' },
    })
  })

  it.each([
    ['null id', rpcError(-32001, 'Session not found', { code: 404, id: null, data: { n: 1 } })],
    ['a string id', rpcError(-32001, 'Session not found', { code: 404, id: 'server-error', data: { n: 1 } })],
    ['no id', rpcError(-32001, 'Session not found', { code: 404, id: undefined, data: { n: 1 } })],
    ['SSE framing', rpcError(-32001, 'Session not found', { code: 404, framed: true, data: { n: 1 } })],
  ])('the JSON-RPC error of a 404 is read with %s (deviations 1-4, 28)', async (_case, play) => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    server.answer('ping', play)
    const evidence = await one.evidence('ping')
    expect(evidence.rpc).toEqual({ code: -32001, message: 'Session not found', data: { n: 1 } })
    expect(evidence.http?.status).toBe(404)
  })

  it.each([
    ['seconds', '2', 2_000],
    ['a fraction', '0.5', 500],
    ['the absurd', '99999999999', 2 ** 31 - 1],
    ['the negative', '-5', 0],
    ['a date in the past', 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['a date far away', 'Wed, 21 Oct 2099 07:28:00 GMT', 2 ** 31 - 1],
    ['nonsense', 'soon', undefined],
  ])('Retry-After as %s', async (_case, value, ms) => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    server.answer('ping', status(429, { retryAfter: value }))
    expect((await one.evidence('ping')).retryAfterMs).toBe(ms)
  })

  it('Retry-After as a date is measured by the clock of the server', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    const headers = { date: 'Wed, 21 Oct 2015 07:28:00 GMT', 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT' }
    server.answer('ping', status(503, { headers }))
    expect((await one.evidence('ping')).retryAfterMs).toBe(30_000)
  })

  it('WWW-Authenticate keeps scheme, scope and metadata, and nothing that could be a secret', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    const challenge =
      'Bearer error="insufficient_scope", scope="a b", nonce="canary-nonce", resource_metadata="https://u:canary-pw@h/.well-known/x"'
    server.answer('ping', status(403, { headers: { 'www-authenticate': challenge } }))
    const { http } = await one.evidence('ping')
    expect(http?.headers?.['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="a b", resource_metadata="https://h/.well-known/x"',
    )
    expect(JSON.stringify(http)).not.toContain('canary')
  })

  it('an HTML page with a bad status is kind http, with a short summary (report 12.03)', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    server.answer('ping', html(502, `<html>${'x'.repeat(10_000)}</html>`))
    const evidence = await one.evidence('ping')
    expect(evidence).toMatchObject({ kind: 'http', http: { status: 502, contentType: 'text/html; charset=utf-8' } })
    expect(evidence.summary.length).toBeLessThan(300)
    expect(evidence.http?.body?.length).toBe(2048)
  })

  it.each([
    ['a page', html(200)],
    ['a broken JSON', status(200, { body: '{"jsonrpc":', contentType: 'application/json' })],
    ['nothing', status(200)],
    ['204', status(204)],
    ['an empty array', status(200, { body: [] })],
    ['null', status(200, { body: 'null', contentType: 'application/json' })],
    ['a response that is none', (visit) => status(200, { body: { jsonrpc: '2.0', id: visit.request.id } })(visit)],
    ['an event that is no JSON', sse(['data: <html>\n\n'])],
  ] satisfies [string, Parameters<Awaited<ReturnType<typeof startFaultServer>>['answer']>[1]][])(
    '200 with %s is malformed (report 12.04)',
    async (_case, play) => {
      await using server = await startFaultServer()
      await using one = await rig({ url: server.url, ...backend })
      server.answer('ping', play)
      expect(await one.evidence('ping')).toMatchObject({
        kind: 'malformed',
        method: 'ping',
        http: { exchange: 'message' },
        sessionSent: true,
      })
    },
  )

  it('a refused connect was not sent', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend }, { initialize: false })
    await server.stop()
    expect(await one.evidence('initialize')).toMatchObject({
      kind: 'network',
      errno: 'ECONNREFUSED',
      sent: false,
      target: server.origin,
      method: 'initialize',
    })
  })

  it('a name that does not resolve was not sent', async () => {
    await using one = await rig({ url: 'http://no-such-host.invalid/mcp', ...backend }, { initialize: false })
    const evidence = await one.evidence('initialize')
    expect(evidence).toMatchObject({ kind: 'network', sent: false })
    expect(evidence.errno).toMatch(/^E(NOTFOUND|AI_AGAIN)$/)
  })

  it('a reset after the request was read may have been sent', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    server.answer('tools/call', destroy())
    const evidence = await one.evidence('tools/call')
    expect(evidence.kind).toBe('network')
    expect(evidence.errno).toMatch(/^(ECONNRESET|UND_ERR_SOCKET)$/)
    expect(evidence.sent).not.toBe(false)
    expect(server.count('tools/call')).toBe(1)
  })

  it.each([
    ['at once', resetAtOnce],
    ['after the request', resetAfterRequest],
  ])('a peer that resets %s is kind network', async (_case, behaviour) => {
    await using raw = await startRawServer(behaviour)
    await using one = await rig({ url: raw.url, ...backend }, { initialize: false })
    expect((await one.evidence('initialize')).kind).toBe('network')
  })

  it('an untrusted certificate is kind network with its errno, and nothing was sent', async () => {
    const server = createTlsServer({ cert: certificate, key: privateKey }, (_req, res) => res.end())
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    await using one = await rig({ url: `https://127.0.0.1:${port}/mcp`, ...backend }, { initialize: false })
    expect(await one.evidence('initialize')).toMatchObject({
      kind: 'network',
      errno: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      sent: false,
    })
    server.close()
  })

  it.each([
    ['JSON', (text: string) => status(200, { body: text, contentType: 'application/json' })],
    ['SSE', (text: string) => sse([`data: ${text}\n`, { data: 'x' }, 'stay-open'])],
  ])('a %s message over the limit fails its request, and the wire lives', async (_case, play) => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, maxMessageBytes: 200_000, ...backend })
    server.once('tools/call', play('x'.repeat(300_000)))
    expect(await one.evidence('tools/call')).toMatchObject({ kind: 'oversize', method: 'tools/call' })
    expect((await one.ask('ping')).result).toEqual({})
  })

  it('an error body that stalls is told as far as it came (report 03.09)', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await rig({ url: server.url, clock, listen: 'manual', ...backend })
    server.answer('ping', stall(500, 'half an ans', { contentType: 'text/plain' }))
    const evidence = one.evidence('ping')
    await server.seen('ping')
    await quiet()
    clock.advance(2_000)
    expect(await evidence).toMatchObject({ http: { status: 500, body: 'half an ans' } })
  })

  it.each([
    ['a JSON body', stall(200, '{"jsonrpc":', { cut: true })],
    ['a stream', sse([': hello\n\n', 'destroy'])],
  ])('%s that breaks is kind stream: its outcome is unknown', async (_case, play) => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    server.answer('tools/call', play)
    expect(await one.evidence('tools/call')).toMatchObject({ kind: 'stream', stream: 'reply', sent: true })
  })

  it('a redirect to elsewhere is evidence with origin and path, no query', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    server.answer('ping', redirect('https://login.example/sign-in?state=canary', 302))
    const evidence = await one.evidence('ping')
    expect(evidence.http).toMatchObject({ status: 302, location: 'https://login.example/sign-in' })
    expect(JSON.stringify(evidence)).not.toContain('canary')
  })

  it('a token that no header can carry settles its request unsent, and is not told', async () => {
    await using server = await startFaultServer()
    const token = async () => ({ value: 'canary\nvalue', epoch: 1, state: 'fresh' as const })
    await using one = await rig({ url: server.url, token, ...backend }, { initialize: false })
    const evidence = await one.evidence('initialize')
    expect(evidence).toMatchObject({ kind: 'network', method: 'initialize' })
    const thrown = await one.notify('notifications/x').catch((error: Error) => error)
    expect(`${JSON.stringify(evidence)} ${String(thrown)} ${String(thrown?.cause)}`).not.toContain('canary')
    expect(server.count()).toBe(0)
  })

  it('nothing secret stands in evidence, events or errors, wherever the server echoes it (P19)', async () => {
    await using server = await startFaultServer()
    const canaries = ['canary-token-1', 'canary-header-2', 'canary-pass-3', 'canary-query-4', 'canary-cookie-5']
    const url = `${server.url.replace('://', '://user:canary-pass-3@')}?key=canary-query-4`
    const headers = { 'x-api-key': 'canary-header-2', cookie: 'sid=canary-cookie-5' }
    const token = async () => ({ value: 'canary-token-1', epoch: 1, state: 'fresh' as const })
    await using one = await rig({ url, headers, token, ...backend })
    server.answer('*', ({ req, res }) => {
      const echo = JSON.stringify({ headers: req.headers, url: req.url })
      const error = { code: -32000, message: echo, data: { echo, access_token: 'canary-x' } }
      res.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': `Bearer realm="r", x="${echo}"` })
      res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
    })
    const evidence = await one.evidence('ping')
    const rejected = await one.notify('notifications/x').catch((error: Error) => ({ ...error, text: String(error) }))
    const told = JSON.stringify([evidence, rejected, one.events])
    for (const canary of canaries) expect(told).not.toContain(canary)
    expect(evidence.rpc?.code).toBe(-32000)
  })
})
