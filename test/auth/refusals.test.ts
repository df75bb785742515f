/** What servers answer in place of what they should (deviations 38–42, reports 01.03, 04.11, 04.12, bad input). */
import { describe, expect, it } from 'vitest'
import { clientCredentials, oauth } from '../../src/auth/index.js'
import { failure, record } from '../connection/rig.js'
import { json, page } from './authorization-server.js'
import { address, echo, loggedIn, ready, redirectUrl } from './scenes.js'
import { MemoryStore, World } from './world.js'

const text = (status: number, body: string, type = 'text/plain') =>
  new Response(body, { status, headers: { 'content-type': type } })

describe('a refusal', () => {
  it('without WWW-Authenticate leads to the same login (deviation 38)', async () => {
    const world = new World()
    world.refusal = () => new Response(null, { status: 401 })
    const connection = world.connect({ authorizer: oauth({ store: new MemoryStore(), redirectUrl }) })
    const connected = connection.connect()
    await world.settled()
    await world.soon(connection.authorize(world.as.login(await address(world, connection))))
    await world.soon(connected)
    expect(connection.status).toBe('ready')
    await world.soon(connection.close())
  })

  it.each([
    ['text/plain', () => text(401, '{"error":{"code":"token_expired"},"status":401}')],
    ['text/html', () => page(401)],
  ])('as %s is refreshed like any other (report 04.11)', async (_, refusal) => {
    const { world, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    world.refusal = refusal
    world.as.expire()
    await world.soon(echo(connection))
    expect(world.as.count()).toBe(1)
    await world.soon(connection.close())
  })

  it('that names the session is a session lost, not a login (report 01.03)', async () => {
    const { world, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    const lost = world.asked.at(-1)?.session
    world.play = ({ session }) => (session === lost ? text(401, 'Session expired') : undefined)
    await world.soon(echo(connection))
    expect([connection.status, world.as.count(), world.count('initialize')]).toEqual(['ready', 0, 2])
    await world.soon(connection.close())
  })

  const otherwise = [
    ['400', () => text(400, 'token expired')],
    ['403', () => json({ error: 'token expired' }, 403)],
    ['307', () => new Response(null, { status: 307, headers: { location: 'http://login.test/' } })],
  ] as const

  it.each(otherwise)(
    'as %s, by a token that is known to have run out, is refreshed (deviation 40; report 04.12)',
    async (_, refusal) => {
      const { world, authorizer } = loggedIn()
      world.refusal = refusal
      const elsewhere: (string | null)[] = []
      world.elsewhere = ({ url, headers }) => {
        if (!url.startsWith('http://login.test')) return undefined
        elsewhere.push(headers.get('authorization'))
        return page()
      }
      const connection = await ready(world, authorizer)
      // The machine slept through the time of the refresh.
      world.as.onToken = () => json({}, 503)
      await world.pass(560_000, 20_000)
      world.as.onToken = undefined
      for (const token of world.as.access.keys()) world.as.access.delete(token)
      await world.pass(45_000, 500)
      await world.soon(echo(connection))
      expect([connection.status, elsewhere, world.as.logins]).toEqual(['ready', [], []])
      await world.soon(connection.close())
    },
  )

  it.each(otherwise)('as %s, at the very beginning, is refreshed as well', async (_, refusal) => {
    const { world, authorizer } = loggedIn()
    world.refusal = refusal
    await world.pass(601_000, 30_000)
    const connection = await ready(world, authorizer)
    expect([connection.status, world.as.count()]).toEqual(['ready', 1])
    await world.soon(connection.close())
  })

  it('as 500 is refreshed, but what may have run is not sent again (deviation 40; P2)', async () => {
    const { world, authorizer } = loggedIn()
    const connection = await ready(world, authorizer, { policy: { keepaliveMs: 0 } })
    world.as.onToken = () => json({}, 503)
    await world.pass(605_000, 5_000)
    world.refusal = () => text(500, 'token expired')
    world.as.onToken = undefined
    const before = world.count('tools/call')
    expect(await world.soon(failure(echo(connection)))).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(world.count('tools/call')).toBe(before + 1)
    await world.soon(connection.ready())
    await world.soon(echo(connection))
    expect(connection.status).toBe('ready')
    await world.soon(connection.close())
  })

  it('as 500 under a token that is good is no reason to refresh', async () => {
    const { world, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    world.play = ({ method }) => (method === 'tools/call' ? text(500, 'broken') : undefined)
    await world.soon(failure(echo(connection)))
    expect([connection.status, world.as.count()]).toEqual(['ready', 0])
    await world.soon(connection.close())
  })

  it('of the listening stream alone refreshes nothing (SDK trap 11)', async () => {
    const { world, authorizer } = loggedIn()
    world.play = ({ http }) => (http === 'GET' ? world.challenge(401, 'error="invalid_token"') : undefined)
    const connection = await ready(world, authorizer)
    await world.pass(300_000, 1_000)
    expect([connection.status, world.as.count()]).toEqual(['ready', 0])
    expect(world.asked.filter(({ http }) => http === 'GET').length).toBeLessThan(30)
    await world.soon(connection.close())
  })

  it('of the listening stream ends when the credential is renewed: the stream is asked for again at once', async () => {
    const { world, authorizer } = loggedIn()
    const [old] = world.as.access.keys()
    world.play = ({ http, token }) => {
      if (http !== 'GET') return undefined
      if (token === old) return world.challenge(401, 'error="invalid_token"')
      const open = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(': open\n\n')) })
      return new Response(open, { status: 200, headers: { 'content-type': 'text/event-stream' } })
    }
    const connection = await ready(world, authorizer)
    const opened = () => world.asked.find(({ http, status }) => http === 'GET' && status === 200)
    expect(opened()).toBeUndefined()
    world.as.expire()
    await world.soon(echo(connection))
    expect(opened()?.at).toBe(world.as.tokenRequests[0]?.at)
    await world.soon(connection.close())
  })
})

describe('documents that mislead', () => {
  it.each([
    ['is a page', () => page()],
    ['is away', () => json({}, 404)],
  ])('a description that %s leads to the server itself, as in older revisions', async (_, play) => {
    const world = new World()
    world.refusal = () => new Response(null, { status: 401 })
    world.as.origin = 'http://mcp.test'
    world.elsewhere = (request) => {
      const { pathname } = new URL(request.url)
      if (pathname.includes('/.well-known/')) return play()
      return undefined
    }
    const given = world.fetch
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init)
      const { pathname } = new URL(request.url)
      return pathname === '/mcp' ? serveMcp(world, request) : given(request)
    }
    const connection = world.connect({ authorizer: oauth({ store: new MemoryStore(), redirectUrl }), fetch } as never)
    connection.connect().catch(() => {})
    await world.settled()
    expect((await address(world, connection)).pathname).toBe('/authorize')
    await world.soon(connection.close())
  })

  it('a description of another resource is not followed', async () => {
    const world = new World()
    world.description = { resource: 'http://evil.test/mcp', authorization_servers: [world.as.origin] }
    const connection = world.connect({ authorizer: oauth({ store: new MemoryStore(), redirectUrl }) })
    expect(await world.soon(failure(connection.connect()))).toMatchObject({ fault: { code: 'authorization.unusable' } })
    expect([world.as.registrations, world.as.tokenRequests]).toEqual([[], []])
    await world.soon(connection.close())
  })

  it('a description that cannot be had just now is waited for, and no login is begun elsewhere', async () => {
    const world = new World()
    let left = 3
    const posted: string[] = []
    world.elsewhere = (request) => {
      if (request.method === 'POST' && new URL(request.url).pathname !== '/mcp') posted.push(request.url)
      return request.url.includes('oauth-protected-resource') && left-- > 0 ? json({}, 503) : undefined
    }
    const connection = world.connect({ authorizer: oauth({ store: new MemoryStore(), redirectUrl }) })
    const seen = record(connection)
    connection.connect().catch(() => {})
    await world.pass(60_000)
    expect(seen).toContain('backoff')
    expect((await address(world, connection)).origin).toBe(world.as.origin)
    expect(posted).toEqual([`${world.as.origin}/register`])
    await world.soon(connection.close())
  })

  it('a server that wants an API key, and has no authorization at all, is a failure that says so (deviation 39)', async () => {
    const world = new World()
    world.description = undefined
    world.refusal = () => text(401, 'invalid api key')
    world.elsewhere = ({ url }) => (new URL(url).pathname === '/mcp' ? undefined : text(404, 'not here'))
    const connection = world.connect({ authorizer: oauth({ store: new MemoryStore(), redirectUrl }) })
    expect(await world.soon(failure(connection.connect()))).toMatchObject({
      fault: { code: 'authorization.unusable', advice: expect.stringContaining('API key') },
    })
    await world.soon(connection.close())
  })

  it('an authorization server without a proof key is not used', async () => {
    const world = new World()
    world.as.metadata = { code_challenge_methods_supported: ['plain'] }
    const connection = world.connect({ authorizer: oauth({ store: new MemoryStore(), redirectUrl }) })
    expect(await world.soon(failure(connection.connect()))).toMatchObject({ fault: { code: 'authorization.unusable' } })
    expect(connection.authorization).toBeUndefined()
    await world.soon(connection.close())
  })

  it.each([
    ['registered', undefined],
    ['configured, for any', { clientId: 'client-0' }],
    ['configured, for one', { clientId: 'client-0', clientSecret: 'x', issuer: 'http://as.test' }],
  ])('a refresh token is never shown to another authorization server (client: %s)', async (_, client) => {
    const { world, store } = loggedIn()
    const connection = await ready(world, oauth({ store, redirectUrl, ...client }))
    world.as.expire()
    const shown: string[] = []
    world.description = { resource: world.url, authorization_servers: ['http://evil.test'] }
    world.elsewhere = (request) => {
      if (!request.url.startsWith('http://evil.test')) return undefined
      if (request.method === 'POST') shown.push(request.url)
      return request.method === 'POST'
        ? json({ client_id: 'stolen', redirect_uris: [redirectUrl] }, 201)
        : json({}, 404)
    }
    await world.soon(failure(echo(connection, 0, { timeoutMs: 5_000 })))
    expect(shown.filter((url) => url.endsWith('/token'))).toEqual([])
    expect([connection.status, connection.fault?.code]).toEqual(
      // It has served before, so that it may be put right again.
      client && 'issuer' in client ? ['backoff', 'authorization.unusable'] : ['reauthorizing', 'http.401'],
    )
    await world.soon(connection.close())
  })

  it('a secret needs to know where it may go', () => {
    const options = { store: new MemoryStore(), redirectUrl, clientId: 'me', clientSecret: 'x' }
    expect(() => oauth(options)).toThrow('issuer')
  })
})

describe('a program without a person', () => {
  it('gets its token by a secret, and again when it runs out', async () => {
    const world = new World()
    world.as.clients.add('robot')
    const connection = await ready(
      world,
      clientCredentials({ issuer: 'http://as.test', clientId: 'robot', clientSecret: 'secret-canary', scope: 'a' }),
    )
    expect(world.as.tokenRequests[0]).toMatchObject({
      params: { grant_type: 'client_credentials', scope: 'a', resource: world.url },
      authorization: `Basic ${btoa('robot:secret-canary')}`,
    })
    await world.pass(545_000, 5_000)
    expect(world.as.count()).toBe(2)
    world.as.expire()
    await world.soon(Promise.all(Array.from({ length: 20 }, (_, n) => echo(connection, n))))
    expect([connection.status, world.as.count()]).toEqual(['ready', 3])
    await world.soon(connection.close())
  })

  it('gets more scope without anybody', async () => {
    const world = new World()
    world.as.clients.add('robot')
    world.needs = ({ method }) => (method === 'tools/call' ? 'write' : undefined)
    const connection = await ready(
      world,
      clientCredentials({ issuer: 'http://as.test', clientId: 'robot', clientSecret: 'x', scope: 'read' }),
    )
    await world.soon(echo(connection))
    expect(world.as.tokenRequests.map(({ params }) => params.scope)).toEqual(['read', 'read write'])
    await world.soon(connection.close())
  })

  it('shows its secret to no other authorization server', async () => {
    const world = new World()
    world.as.clients.add('robot')
    const authorizer = clientCredentials({ issuer: 'http://mine.test', clientId: 'robot', clientSecret: 'x' })
    const connection = world.connect({ authorizer })
    expect(await world.soon(failure(connection.connect()))).toMatchObject({ fault: { code: 'credential.refused' } })
    expect(world.as.tokenRequests).toEqual([])
    await world.soon(connection.close())
  })

  it('that is refused fails, and says why', async () => {
    const world = new World()
    const connection = world.connect({
      authorizer: clientCredentials({ issuer: 'http://as.test', clientId: 'robot', clientSecret: 'wrong' }),
    })
    expect(await world.soon(failure(connection.connect()))).toMatchObject({ fault: { code: 'credential.refused' } })
    expect(world.as.count()).toBe(1)
    await world.soon(connection.close())
  })
})

describe('a token of one’s own', () => {
  it('is sent, and a refused one is a failure until there is another', async () => {
    const world = new World()
    let token = 'old'
    const connection = world.connect({ authorizer: { token: () => token } })
    expect(await world.soon(failure(connection.connect()))).toMatchObject({
      fault: { code: 'credential.refused', advice: expect.stringContaining('retry()') },
    })
    token = world.as.issue().access_token
    connection.retry()
    await world.soon(connection.ready())
    await world.soon(connection.close())
  })

  it('is refreshed once, by the application’s own way, for however many calls', async () => {
    const world = new World()
    let token = world.as.issue().access_token
    let times = 0
    const refresh = async () => {
      times += 1
      await Promise.resolve()
      token = world.as.issue().access_token
    }
    const connection = await ready(world, { token: () => token, refresh })
    world.as.expire()
    await world.soon(Promise.all(Array.from({ length: 20 }, (_, n) => echo(connection, n))))
    expect([connection.status, times]).toEqual(['ready', 1])
    await world.soon(connection.close())
  })

  it('is refreshed once for several connections', async () => {
    const world = new World()
    let token = world.as.issue().access_token
    let times = 0
    const refresh = async () => {
      times += 1
      await new Promise((resolve) => setImmediate(resolve))
      token = world.as.issue().access_token
    }
    const source = { token: () => token, refresh }
    const connections = await Promise.all([0, 1, 2].map(() => ready(world, source)))
    world.as.expire()
    await world.soon(Promise.all(connections.map((connection) => echo(connection))))
    expect(times).toBe(1)
    await world.soon(Promise.all(connections.map((connection) => connection.close())))
  })

  it('that throws is tried again, and nothing of what it threw is shown', async () => {
    const world = new World()
    const { access_token } = world.as.issue()
    let left = 2
    const token = () => {
      if (left-- > 0) throw new Error('vault canary')
      return access_token
    }
    const connection = await ready(world, { token })
    expect(JSON.stringify(connection.fault)).not.toContain('canary')
    await world.soon(connection.close())
  })

  it.each([
    ['no object', 'token', { url: 'http://mcp.test/mcp' }],
    ['an object of another kind', { get: () => '' }, { url: 'http://mcp.test/mcp' }],
    ['given to a program', { token: () => '' }, { command: 'node' }],
  ])('%s is refused at the door', (_, authorizer, target) => {
    const world = new World()
    expect(() => world.connect({ authorizer, target } as never)).toThrow(TypeError)
  })
})

async function serveMcp(world: World, request: Request): Promise<Response> {
  return world.refusal({ http: request.method } as never)
}
