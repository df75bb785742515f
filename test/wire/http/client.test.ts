import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Agent } from 'undici'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  destroy,
  redirect,
  result,
  silent,
  startFaultServer,
  startRawServer,
  status,
} from '../../../src/testing/fault-server/index.js'
import { HttpClient } from '../../../src/wire/http/index.js'
import { backends } from './backends.js'
import { quiet, rig, until } from './rig.js'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe.each(backends)('redirects and cookies over %s', (_name, backend) => {
  it.each([307, 308])('%i within the origin is followed, method and body kept, and remembered', async (code) => {
    await using server = await startFaultServer({ path: '/mcp/' })
    const old = server.url.replace(/\/$/, '')
    server.answer('*', (visit) => (visit.request.path === '/mcp' ? redirect('/mcp/', code)(visit) : visit.healthy()))
    await using one = await rig({ url: old, listen: 'manual', ...backend })
    expect((await one.ask('ping')).result).toEqual({})
    expect(server.requests().map(({ http, path, method }) => `${http} ${path} ${method}`)).toEqual([
      'POST /mcp initialize',
      'POST /mcp/ initialize',
      'POST /mcp/ notifications/initialized',
      'POST /mcp/ ping',
    ])
  })

  it('a new session asks the configured address again; the next wire of a session does not', async () => {
    await using server = await startFaultServer({ path: '/new' })
    server.answer('*', (visit) => (visit.request.path === '/old' ? redirect('/new')(visit) : visit.healthy()))
    const client = new HttpClient(backend)
    const options = { url: `${server.origin}/old`, client, listen: 'manual' as const }
    await using first = await rig(options)
    const session = { id: first.wire.sessionId ?? '', protocolVersion: '2025-11-25' }
    await first.wire.close()
    await using second = await rig({ ...options, session }, { initialize: false })
    await second.ask('ping')
    expect(server.requests('ping').map(({ path }) => path)).toEqual(['/new'])
    await second.initialize()
    expect(server.requests('initialize').map(({ path }) => path)).toEqual(['/old', '/new', '/old', '/new'])
    await client.close()
  })

  it('a ring of redirects ends after five', async () => {
    await using server = await startFaultServer()
    server.answer('POST', redirect('/mcp'))
    await using one = await rig({ url: server.url, ...backend }, { initialize: false })
    expect((await one.evidence('initialize')).http?.status).toBe(307)
    expect(server.count('POST')).toBe(6)
  })

  it('another origin hears nothing, credentials least of all', async () => {
    await using other = await startFaultServer()
    await using server = await startFaultServer()
    server.answer('initialize', redirect(other.url))
    const token = async () => ({ value: 'canary', epoch: 1, state: 'fresh' as const })
    await using one = await rig({ url: server.url, token, ...backend }, { initialize: false })
    expect((await one.evidence('initialize')).http).toMatchObject({ status: 307, location: other.url })
    await quiet()
    expect(other.count()).toBe(0)
    expect(other.connections).toBe(0)
  })

  it.each([301, 302, 303])('%i is not followed: it would turn a POST into a GET', async (code) => {
    await using server = await startFaultServer()
    server.answer('ping', redirect('/elsewhere', code))
    await using one = await rig({ url: server.url, ...backend })
    expect((await one.evidence('ping')).http).toMatchObject({ status: code, location: `${server.origin}/elsewhere` })
  })

  it('an affinity cookie goes back to its origin, in later wires too, until it is deleted (report 13.01)', async () => {
    await using server = await startFaultServer()
    const client = new HttpClient(backend)
    const cookies = (...lines: string[]) => result({}, { headers: { 'set-cookie': lines } })
    await using one = await rig({ url: server.url, client, listen: 'manual' })
    server.once('ping', cookies('route=a; Path=/; HttpOnly', 'x=1'))
    await one.ask('ping')
    await one.wire.close()
    await using two = await rig({ url: server.url, client, listen: 'manual', headers: { cookie: 'own=2' } })
    expect(server.requests('initialize')[1]?.headers.cookie).toBe('own=2; route=a; x=1')
    server.once('ping', cookies('route=; Max-Age=0', 'x=gone; Expires=Thu, 01 Jan 1970 00:00:00 GMT'))
    await two.ask('ping')
    await two.ask('ping')
    expect(server.requests('ping').at(-1)?.headers.cookie).toBe('own=2')
    await client.close()
  })
})

it('wires one after another share the sockets of a client', async () => {
  await using server = await startFaultServer()
  const client = new HttpClient()
  for (let n = 0; n < 10; n++) {
    await using one = await rig({ url: server.url, client, listen: 'manual' })
    await one.ask('ping')
  }
  expect(server.connections).toBe(1)
  await client.close()
  await until(() => server.sockets === 0)
})

it('a wire leaves a shared client alive, and closes its own', async () => {
  await using server = await startFaultServer()
  const client = new HttpClient()
  await using shared = await rig({ url: server.url, client, listen: 'manual' })
  await shared.wire.close()
  await quiet()
  expect(server.sockets).toBe(1)
  await client.close()
  await using own = await rig({ url: server.url, listen: 'manual' })
  await own.wire.close()
  await until(() => server.sockets === 0)
})

it('a dispatcher of the caller is used as it is and not closed', async () => {
  await using server = await startFaultServer()
  const dispatcher = new Agent()
  const client = new HttpClient({ dispatcher })
  await using one = await rig({ url: server.url, client, listen: 'manual' })
  expect((await one.ask('ping')).result).toEqual({})
  await one.wire.close()
  await client.close()
  expect((await dispatcher.request({ origin: server.origin, path: '/x', method: 'GET' })).statusCode).toBe(404)
  await dispatcher.close()
})

it('a closed client fails requests as not sent', async () => {
  await using server = await startFaultServer()
  const client = new HttpClient()
  await using one = await rig({ url: server.url, client, listen: 'manual' })
  await client.close()
  expect(await one.evidence('ping')).toMatchObject({ kind: 'network', sent: false })
})

it('an idle pooled socket that the server closes is nothing', async () => {
  await using server = await startFaultServer()
  await using one = await rig({ url: server.url, listen: 'manual' })
  for (let n = 0; n < 20; n++) {
    expect((await one.ask('ping')).result).toEqual({})
    server.dropSockets()
    await until(() => server.sockets === 0)
    await quiet(2)
  }
  expect(one.events).toEqual([])
  expect(server.count('ping')).toBe(20)
})

it('a closed wire leaves no socket that is still dialling or waiting', async () => {
  await using raw = await startRawServer(silent)
  await using one = await rig({ url: raw.url }, { initialize: false })
  const { answer } = one.begin('initialize')
  await until(() => raw.open === 1)
  await one.wire.close()
  expect((await answer).error?.code).toBe(-32000)
  await until(() => raw.open === 0)
})

it('HTTP_PROXY is honoured, NO_PROXY too, and only where they are set', async () => {
  await using server = await startFaultServer()
  const proxy = await connectProxy()
  vi.stubEnv('HTTP_PROXY', proxy.url)
  vi.stubEnv('NO_PROXY', '')
  await using through = await rig({ url: server.url, listen: 'manual' })
  expect(proxy.tunnels).toBe(1)
  await through.wire.close()
  vi.stubEnv('NO_PROXY', '127.0.0.1')
  await using past = await rig({ url: server.url, listen: 'manual' })
  await past.wire.close()
  expect(proxy.tunnels).toBe(1)
  proxy.server.close()
  expect(server.count('initialize')).toBe(2)
})

it('a listening stream does not stand before calls on its socket', async () => {
  await using server = await startFaultServer()
  await using one = await rig({ url: server.url })
  await until(() => server.streams.size === 1)
  const answers = await Promise.all(Array.from({ length: 50 }, () => one.ask('ping')))
  expect(answers.every(({ result: value }) => value !== undefined)).toBe(true)
})

it('an error status does not cost the pool its other sockets', async () => {
  await using server = await startFaultServer()
  await using one = await rig({ url: server.url, listen: 'manual' })
  server.once('ping', status(500)).once('tools/list', destroy())
  await Promise.all([one.ask('ping'), one.ask('tools/list'), one.ask('tools/call')])
  expect((await one.ask('ping')).result).toEqual({})
})

async function connectProxy(): Promise<{ server: Server; url: string; tunnels: number }> {
  const proxy = { server: createServer(), url: '', tunnels: 0 }
  proxy.server.on('connect', (req, client) => {
    proxy.tunnels += 1
    const [host = '', port = ''] = (req.url ?? '').split(':')
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    for (const socket of [client, upstream]) socket.on('close', () => void [client.destroy(), upstream.destroy()])
    for (const socket of [client, upstream]) socket.on('error', () => {})
  })
  proxy.server.listen(0, '127.0.0.1')
  await once(proxy.server, 'listening')
  proxy.url = `http://127.0.0.1:${(proxy.server.address() as AddressInfo).port}`
  return proxy
}
