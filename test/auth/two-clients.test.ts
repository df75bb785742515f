/** Tokens and logins belong to the client that they were given to, whatever is registered beside it (report 04.06). */
import { describe, expect, it } from 'vitest'
import { oauth } from '../../src/auth/index.js'
import { json } from './authorization-server.js'
import { address, echo, loggedIn, ready, redirectUrl } from './scenes.js'
import { MemoryStore, World } from './world.js'

/** A redirect address that the client of `redirectUrl` is not registered for. */
const elsewhere = 'http://localhost:9/another'

/** A world whose server gives tokens to the client that they were issued to, and to no other. */
function strict() {
  const world = new World()
  const owners = new Map<string, string>()
  world.as.onToken = async ({ params }) => {
    const { client_id = '', refresh_token } = params
    if (refresh_token !== undefined && owners.get(refresh_token) !== client_id)
      return json({ error: 'invalid_grant' }, 400)
    const { onToken } = world.as
    world.as.onToken = undefined
    const body = new URLSearchParams(params)
    const response = await world.as.handle(new Request(`${world.as.origin}/token`, { method: 'POST', body }))
    world.as.tokenRequests.pop()
    world.as.onToken = onToken
    const given = Object(await response.clone().json())
    if (given.refresh_token) owners.set(given.refresh_token, client_id)
    return response
  }
  return world
}

async function login(world: World, store: MemoryStore, back: string) {
  const connection = world.connect({ authorizer: oauth({ store, redirectUrl: back }) })
  const connected = connection.connect()
  await world.soon(connection.authorize(world.as.login(await address(world, connection))))
  await world.soon(connected)
  return connection
}

/** Another process, with an address of its own, begins a login for more scope, and nobody answers it. */
async function elsewhereWants(world: World, store: MemoryStore) {
  world.needs = ({ method, body }) =>
    method === 'tools/call' && Object(body.params).name === 'write' ? 'write' : undefined
  const other = await ready(world, oauth({ store, redirectUrl: elsewhere }))
  other.callTool({ name: 'write' }).catch(() => {})
  await address(world, other)
  return other
}

describe('a client that is registered anew', () => {
  it('breaks no refresh of tokens that another client was given', async () => {
    const world = strict()
    const store = new MemoryStore()
    const connection = await login(world, store, redirectUrl)
    const other = await elsewhereWants(world, store)
    expect([world.as.registrations, Object(store.record.client).client_id]).toEqual([
      ['client-1', 'client-2'],
      'client-2',
    ])
    for (let round = 1; round <= 2; round++) {
      world.as.expire()
      await world.soon(Promise.all([echo(connection), echo(other)]))
      expect(world.as.count('refresh_token')).toBe(round)
    }
    expect([connection.status, other.status]).toEqual(['ready', 'ready'])
    await world.soon(Promise.all([connection.close(), other.close()]))
  })

  it('breaks no login that was begun as another client', async () => {
    const world = strict()
    const store = new MemoryStore()
    const first = world.connect({ authorizer: oauth({ store, redirectUrl }) })
    const connected = first.connect()
    const url = await address(world, first)
    await world.pass(601_000, 30_000)
    const other = world.connect({ authorizer: oauth({ store, redirectUrl: elsewhere }) })
    other.connect().catch(() => {})
    await address(world, other)
    await world.soon(first.authorize(world.as.login(url)))
    await world.soon(connected)
    expect([world.as.registrations.length, world.as.count(), first.status]).toEqual([2, 1, 'ready'])
    await world.soon(Promise.all([first.close(), other.close()]))
  })

  it('is kept when it is the other one that the server has forgotten', async () => {
    const world = strict()
    const store = new MemoryStore()
    const connection = await login(world, store, redirectUrl)
    const other = await elsewhereWants(world, store)
    world.as.clients.delete('client-1')
    world.as.expire()
    echo(connection).catch(() => {})
    await world.until(() => connection.status === 'reauthorizing' && connection.authorization !== undefined)
    expect(Object(store.record.client).client_id).toBe('client-2')
    await world.soon(Promise.all([connection.close(), other.close()]))
  })

  it('is written nowhere where it is configured', async () => {
    const world = new World()
    world.as.clients.add('me')
    const store = new MemoryStore()
    const secret = { clientId: 'me', clientSecret: 'client-secret-canary', issuer: world.as.origin }
    const connection = world.connect({ authorizer: oauth({ store, redirectUrl, ...secret }) })
    const connected = connection.connect()
    await world.soon(connection.authorize(world.as.login(await address(world, connection))))
    await world.soon(connected)
    world.as.expire()
    await world.soon(echo(connection))
    expect(JSON.stringify(store.record)).not.toContain('client-secret')
    await world.soon(connection.close())
  })
})

describe('an authorization server', () => {
  it('whose metadata bears the name of another one is not used (RFC 8414, 3.3)', async () => {
    const world = new World()
    world.as.metadata = { issuer: 'http://good.test', authorization_endpoint: 'http://good.test/authorize' }
    const connection = world.connect({ authorizer: oauth({ store: new MemoryStore(), redirectUrl }) })
    await world.soon(connection.connect().catch(() => {}))
    expect([connection.fault?.code, connection.authorization]).toEqual(['authorization.unusable', undefined])
    expect(world.as.registrations).toEqual([])
    await world.soon(connection.close())
  })

  it('that passes on the metadata of the one behind it may be used: the code goes to that one', async () => {
    const world = new World()
    world.description = { resource: world.url, authorization_servers: ['http://front.test'] }
    world.elsewhere = ({ url }) => {
      const { origin, pathname } = new URL(url)
      if (origin !== 'http://front.test') return undefined
      if (!pathname.startsWith('/.well-known/oauth-authorization-server')) return json({}, 404)
      const of = (path: string) => `${world.as.origin}${path}`
      return json({
        issuer: world.as.origin,
        authorization_endpoint: of('/authorize'),
        token_endpoint: of('/token'),
        registration_endpoint: of('/register'),
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      })
    }
    const connection = await login(world, new MemoryStore(), redirectUrl)
    expect(connection.status).toBe('ready')
    await world.soon(connection.close())
  })

  it('that has taken the place of another gets no code that is meant for that one', async () => {
    const world = new World()
    const store = new MemoryStore()
    const before = world.connect({ authorizer: oauth({ store, redirectUrl }) })
    before.connect().catch(() => {})
    const back = world.as.login(await address(world, before))
    await world.soon(before.close())
    world.description = { resource: world.url, authorization_servers: ['http://evil.test'] }
    const shown: string[] = []
    world.elsewhere = ({ url, method }) => {
      const { origin, pathname } = new URL(url)
      if (origin !== 'http://evil.test') return undefined
      if (method === 'POST') shown.push(pathname)
      if (!pathname.startsWith('/.well-known/oauth-authorization-server')) return json({}, 404)
      const [authorization_endpoint, token_endpoint] = ['/authorize', '/token'].map((path) => `${origin}${path}`)
      const means = { response_types_supported: ['code'], code_challenge_methods_supported: ['S256'] }
      return json({ issuer: origin, authorization_endpoint, token_endpoint, ...means })
    }
    const after = world.connect({ authorizer: oauth({ store, redirectUrl }) })
    after.connect().catch(() => {})
    await address(world, after)
    await world.soon(after.authorize(back).catch(() => {}))
    await world.pass(30_000)
    expect(shown.filter((path) => path !== '/register')).toEqual([])
    await world.soon(after.close())
  })
})

describe('a login', () => {
  it('that seems to begin later than now, by a clock that was set back, is begun anew', async () => {
    const world = new World()
    const store = new MemoryStore()
    world.clock.increment(3_600_000)
    const before = world.connect({ authorizer: oauth({ store, redirectUrl }) })
    before.connect().catch(() => {})
    const url = await address(world, before)
    await world.soon(before.close())
    const [[key = '', text = '']] = [...store.values] as [[string, string]]
    const record = JSON.parse(text)
    record.login.startedAt += 3_600_000
    store.values.set(key, JSON.stringify(record))
    const after = world.connect({ authorizer: oauth({ store, redirectUrl }) })
    after.connect().catch(() => {})
    expect((await address(world, after)).href).not.toBe(url.href)
    await world.soon(after.close())
  })

  it.each([
    ['never comes back', () => new Promise<void>(() => {})],
    ['throws', () => Promise.reject(new Error('no browser'))],
  ])('is taken although the provider’s way to the browser %s', async (_, onLogin) => {
    const { world, provider } = loggedIn()
    provider.kept.tokens = undefined
    const connection = world.connect({
      authorizer: { ...provider, ...live(provider), redirectToAuthorization: onLogin },
    })
    const connected = connection.connect()
    await world.soon(connection.authorize(world.as.login(await address(world, connection))))
    await world.soon(connected)
    expect([connection.status, world.as.logins.length]).toEqual(['ready', 1])
    await world.soon(connection.close())
  })

  it('elsewhere that is told before anybody waits for it is gone on with all the same', async () => {
    const { world, store, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    world.as.onToken = () => json({ error: 'invalid_grant' }, 400)
    const lock = store.lock.bind(store)
    let left = 1
    // The lock is slow to be given back: another process logs in after our refresh was refused and before we know it.
    store.lock = async (name, work) => {
      const outcome = await lock(name, work)
      if (left-- <= 0) return outcome
      const theirs = { ...world.as.issue(), token_type: 'Bearer', login_id: 'second', issuer: world.as.origin }
      await store.set(name, JSON.stringify({ ...store.record, tokens: theirs }))
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      return outcome
    }
    world.as.expire()
    await world.soon(echo(connection))
    expect([connection.status, world.as.count(), connection.authorization]).toEqual(['ready', 1, undefined])
    await world.soon(connection.close())
  })
})

/** A provider's functions go by its own record. */
const live = ({ tokens, clientInformation }: ReturnType<typeof loggedIn>['provider']) => ({ tokens, clientInformation })
