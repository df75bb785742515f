import { once } from 'node:events'
import { connect } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, it } from 'vitest'
import {
  after,
  bytes,
  destroy,
  endAfterRequest,
  FaultServer,
  hang,
  healthy,
  inTurn,
  result,
  rpcError,
  silent,
  slow,
  sse,
  startFaultServer,
  startRawServer,
  status,
} from '../../../src/testing/fault-server/index.js'
import { until } from './rig.js'

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', connection: 'close', ...headers },
  })

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

it.each(['json', 'sse'] as const)("unarranged it serves the SDK's own client, with %s replies", async (replies) => {
  await using server = await startFaultServer({ replies })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo'])
  expect(await client.callTool({ name: 'echo', arguments: { a: 1 } })).toMatchObject({
    content: [{ type: 'text', text: '{"a":1}' }],
  })
  const heard = new Promise((resolve) => {
    client.fallbackNotificationHandler = async (notification) => resolve(notification.method)
  })
  await until(() => server.streams.size === 1)
  server.streams.push({ method: 'notifications/x' })
  expect(await heard).toBe('notifications/x')
  await client.close()
})

it('sessions: 400 without an id, 404 for an unknown one, gone after DELETE', async () => {
  await using server = await startFaultServer()
  const id = server.openSession()
  expect((await post(server.url, ping)).status).toBe(400)
  expect((await post(server.url, ping, { 'mcp-session-id': 'other' })).status).toBe(404)
  expect((await post(server.url, ping, { 'mcp-session-id': id })).status).toBe(200)
  await fetch(server.url, { method: 'DELETE', headers: { 'mcp-session-id': id } })
  expect((await post(server.url, ping, { 'mcp-session-id': id })).status).toBe(404)
})

it('the latest arrangement wins, `once` runs out, `heal` takes back', async () => {
  await using server = await startFaultServer({ sessions: false })
  server.answer('POST', status(500)).answer('ping', status(501)).once('ping', status(502), 2)
  const statuses: number[] = []
  for (let n = 0; n < 3; n++) statuses.push((await post(server.url, ping)).status)
  server.heal('ping')
  statuses.push((await post(server.url, ping)).status)
  server.heal()
  statuses.push((await post(server.url, ping)).status)
  expect(statuses).toEqual([502, 502, 501, 500, 200])
})

it('plays can be chained: in turn, later, slowly', async () => {
  await using server = await startFaultServer({ sessions: false })
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  server.answer(
    'ping',
    inTurn(
      after(() => opened, result({ n: 1 })),
      slow(1, result({ n: 2 })),
      healthy(),
    ),
  )
  const first = post(server.url, ping)
  await server.seen('ping')
  open()
  expect(await (await first).json()).toMatchObject({ result: { n: 1 } })
  expect(await (await post(server.url, ping)).json()).toMatchObject({ result: { n: 2 } })
  expect(await (await post(server.url, ping)).json()).toMatchObject({ result: {} })
})

it('an error can lose its id, carry data and be framed', async () => {
  await using server = await startFaultServer()
  server.answer('ping', rpcError(-32001, 'gone', { code: 404, id: undefined, data: 1, framed: true }))
  const response = await post(server.url, ping)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(await response.text()).toBe(
    'event: message\ndata: {"jsonrpc":"2.0","error":{"code":-32001,"message":"gone","data":1}}\n\n',
  )
})

it('the log tells who asked for what, and how it ended', async () => {
  await using server = await startFaultServer({ sessions: false })
  server.once('ping', destroy()).once('ping', hang())
  const abort = new AbortController()
  const hung = fetch(server.url, { method: 'POST', body: JSON.stringify(ping), signal: abort.signal })
  await server.seen('ping', 1)
  abort.abort()
  await hung.catch(() => {})
  await post(server.url, ping).catch(() => {})
  await post(server.url, ping, { 'last-event-id': 'e1' })
  await server.over('ping', 3)
  expect(server.requests('ping')).toMatchObject([
    { abandoned: true },
    { abandoned: true },
    { abandoned: false, status: 200, http: 'POST', path: '/mcp', id: 1, lastEventId: 'e1', body: ping },
  ])
  expect(server.count('POST')).toBe(3)
  expect(server.count()).toBe(3)
})

it('it stops, refuses, and comes back on the same port, with or without its sessions', async () => {
  await using server = await startFaultServer()
  const id = server.openSession()
  const { port } = server
  await server.stop()
  await expect(post(server.url, ping)).rejects.toThrow()
  await server.start()
  expect(server.port).toBe(port)
  await server.restart({ keepSessions: true })
  expect((await post(server.url, ping, { 'mcp-session-id': id })).status).toBe(200)
  await server.restart()
  expect((await post(server.url, ping, { 'mcp-session-id': id })).status).toBe(404)
})

it('disposing of it leaves no socket, whatever hangs', async () => {
  const server = new FaultServer({ sessions: false })
  await server.start()
  server.answer('ping', sse([': open\n\n', 'stay-open']))
  const response = await fetch(server.url, { method: 'POST', body: JSON.stringify(ping) })
  await server[Symbol.asyncDispose]()
  await expect(response.text()).rejects.toThrow()
  expect(server.sockets).toBe(0)
})

it('other paths are answered 404', async () => {
  await using server = await startFaultServer()
  expect((await fetch(`${server.origin}/other`)).status).toBe(404)
})

it('raw servers speak in bytes, or not at all', async () => {
  await using quiet = await startRawServer(silent)
  const socket = connect(quiet.port, '127.0.0.1')
  await until(() => quiet.connections === 1)
  socket.destroy()
  await until(() => quiet.open === 0)
  await using ends = await startRawServer(endAfterRequest)
  await expect(fetch(ends.url)).rejects.toThrow()
  await using speaks = await startRawServer(bytes('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'))
  expect(await (await fetch(speaks.url)).text()).toBe('hi')
  const late = connect(speaks.port, '127.0.0.1')
  await once(late, 'connect')
  late.destroy()
})
