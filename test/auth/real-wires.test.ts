/** The same over sockets: real wires, the library's own HTTP client towards the authorization server. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { oauth } from '../../src/auth/index.js'
import { systemClock } from '../../src/clock.js'
import { startFaultServer, status } from '../../src/testing/fault-server/index.js'
import { failure, quick, until } from '../connection/rig.js'
import { AuthorizationServer } from './authorization-server.js'
import { redirectUrl } from './scenes.js'
import { MemoryStore } from './world.js'

const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }

/** An authorization server that listens. */
async function listening() {
  const as = new AuthorizationServer(systemClock)
  const http = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const headers = Object.entries(req.headers).flatMap(([name, value]) =>
      value ? [[name, String(value)] as [string, string]] : [],
    )
    const request = new Request(`${as.origin}${req.url}`, {
      method: req.method ?? 'GET',
      headers,
      ...(body.length > 0 && { body }),
    })
    const response = await as.handle(request)
    res.writeHead(response.status, Object.fromEntries(response.headers))
    res.end(await response.text())
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  as.origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return {
    as,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
}

describe.each(['http', 'sse'] as const)('over the %s wire', (kind) => {
  it('logs in, refreshes once for 50 calls, and leaves nothing open', async () => {
    await using served = await listening()
    const { as } = served
    await using server = await startFaultServer({ legacy: kind === 'sse' })
    const url = kind === 'sse' ? server.legacyUrl : server.url
    const refuse = status(401, { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })
    server.answer('*', (visit) => {
      const { path, headers } = visit.request
      if (path.startsWith('/.well-known/oauth-protected-resource'))
        return status(200, { body: { resource: url, authorization_servers: [as.origin] } })(visit)
      if (path.startsWith('/.well-known')) return status(404)(visit)
      const good = as.scopeOf(String(headers.authorization).replace(/^Bearer /, ''))
      return good ? visit.healthy() : refuse(visit)
    })
    const store = new MemoryStore()
    const connection = quick({ target: { url, kind }, authorizer: oauth({ store, redirectUrl }) })
    const connected = connection.connect()
    const login = await new Promise<URL>((resolve) => {
      connection.authorization$.subscribe((asked) => asked && resolve(asked.url))
    })
    await connection.authorize(as.login(login))
    await connected
    as.expire()
    const calls = Array.from({ length: 50 }, (_, n) =>
      connection.callTool({ name: 'echo', arguments: { text: `${n}` } }),
    )
    expect(await Promise.all(calls)).toHaveLength(50)
    expect([as.count('authorization_code'), as.count('refresh_token')]).toEqual([1, 1])
    await connection.close()
    await vi.waitFor(() => expect(server.sockets).toBe(0), 5_000)
  })
})

describe.each(['http', 'sse'] as const)('an answer to the server over the %s wire', (kind) => {
  it('that is refused for its credential is a reason to renew it, and goes out again', async () => {
    await using served = await listening()
    const { as } = served
    let value = as.issue().access_token
    await using server = await startFaultServer({ legacy: kind === 'sse' })
    server.answer('*', (visit) => {
      const token = String(visit.request.headers.authorization).replace(/^Bearer /, '')
      return as.scopeOf(token) === undefined ? status(401)(visit) : visit.healthy()
    })
    const asked: string[] = []
    const refresh = () => {
      asked.push('refresh')
      value = as.issue().access_token
    }
    // The credential runs out while a person is asked.
    const handlers = {
      'elicitation/create': () => {
        as.expire()
        return { action: 'accept', content: { name: 'Ada' } }
      },
    }
    const url = kind === 'sse' ? server.legacyUrl : server.url
    const connection = quick({
      target: { url, kind },
      authorizer: { token: () => value, refresh },
      client: { handlers },
    })
    await connection.connect()
    const request = {
      jsonrpc: '2.0',
      id: 'q',
      method: 'elicitation/create',
      params: { message: 'name?', requestedSchema },
    }
    const streams = kind === 'sse' ? server.legacy : server.streams
    await vi.waitFor(() => expect(streams.size).toBe(1))
    streams.push(request)
    const answers = () => server.requests('POST').filter(({ id, method }) => id === 'q' && method === undefined)
    await vi.waitFor(() => expect(answers()).toHaveLength(2), 5_000)
    expect(answers()[1]?.body).toMatchObject({ result: { action: 'accept', content: { name: 'Ada' } } })
    await connection.callTool({ name: 'echo', arguments: { text: 'on' } })
    expect([asked, connection.status, answers().length]).toEqual([['refresh'], 'ready', 2])
    await connection.close()
  })
})

describe('a call that was refused under an older credential', () => {
  it('moves nothing, and is sent again under the present one', async () => {
    await using served = await listening()
    const { as } = served
    let value = as.issue().access_token
    await using server = await startFaultServer()
    let release: (() => void) | undefined
    const slow = new Promise<void>((resolve) => {
      release = resolve
    })
    server.answer('*', async (visit) => {
      const token = String(visit.request.headers.authorization).replace(/^Bearer /, '')
      const isGood = as.scopeOf(token) !== undefined
      if (isGood) return visit.healthy()
      // The refusal of one call comes long after the credential was renewed.
      if (JSON.stringify(visit.request.body).includes('late')) await slow
      return status(401)(visit)
    })
    const asked: string[] = []
    const refresh = () => {
      asked.push('refresh')
      value = as.issue().access_token
    }
    const connection = quick({ target: { url: server.url, kind: 'http' }, authorizer: { token: () => value, refresh } })
    await connection.connect()
    as.expire()
    const late = connection.callTool({ name: 'echo', arguments: { text: 'late' } })
    await server.seen('tools/call')
    await connection.callTool({ name: 'echo', arguments: { text: 'soon' } })
    await until(connection, 'ready')
    release?.()
    await late
    expect([asked, connection.status]).toEqual([['refresh'], 'ready'])
    await connection.close()
  })
})

describe('a token endpoint that cannot be reached', () => {
  it('is a wait, and says where it was looked for', async () => {
    await using server = await startFaultServer()
    const gone = await listening()
    const { origin } = gone.as
    await gone[Symbol.asyncDispose]()
    server.answer('*', (visit) => {
      if (visit.request.path.startsWith('/.well-known/oauth-protected-resource'))
        return status(200, { body: { resource: server.url, authorization_servers: [origin] } })(visit)
      return status(401)(visit)
    })
    const authorizer = oauth({ store: new MemoryStore(), redirectUrl })
    const connection = quick({ target: { url: server.url, kind: 'http' }, authorizer, policy: { maxAttempts: 2 } })
    expect(await failure(connection.connect())).toMatchObject({
      fault: { code: 'token.unavailable', evidence: { errno: 'ECONNREFUSED', target: origin } },
    })
    await connection.close()
  })
})
