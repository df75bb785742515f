import { describe, expect, it } from 'vitest'
import { oauth } from '../../src/auth/index.js'
import { AuthorizationRequiredError } from '../../src/index.js'
import { failure } from '../connection/rig.js'
import { json } from './authorization-server.js'
import { address, redirectUrl } from './scenes.js'
import { MemoryStore, memoryProvider, World } from './world.js'

describe('a first login', () => {
  it('finds, registers, asks, and goes on with the answer', async () => {
    const world = new World()
    const store = new MemoryStore()
    const connection = world.connect({ authorizer: oauth({ store, redirectUrl, scope: 'basic' }) })
    const call = connection.callTool({ name: 'echo', arguments: { n: 1 } })
    const url = await address(world, connection)
    expect([connection.status, connection.authorization?.begunHere]).toEqual(['reauthorizing', true])
    expect(url.origin).toBe(world.as.origin)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: 'client-1',
      code_challenge_method: 'S256',
      resource: world.url,
      scope: 'basic',
    })
    await world.soon(connection.authorize(world.as.login(url)))
    expect(connection.status).toBe('ready')
    expect(connection.authorization).toBeUndefined()
    expect((await world.soon(call)).content).toEqual([{ type: 'text', text: '{"n":1}' }])
    expect(world.as.count('authorization_code')).toBe(1)
    expect(store.record).toMatchObject({ tokens: { issuer: world.as.origin }, client: { client_id: 'client-1' } })
    await world.soon(connection.close())
  })

  it('is the same by a provider written for the SDK', async () => {
    const world = new World()
    const provider = memoryProvider()
    const connection = world.connect({ authorizer: provider })
    const connected = connection.connect()
    await address(world, connection)
    expect(provider.opened).toHaveLength(1)
    await world.soon(connection.authorize(world.as.login(await address(world, connection))))
    await world.soon(connected)
    expect(provider.kept.tokens).toMatchObject({ issuer: world.as.origin })
    await world.soon(connection.close())
  })

  it('is waited for by a call until its deadline, which then says what to do', async () => {
    const world = new World()
    const connection = world.connect({ authorizer: oauth({ store: new MemoryStore(), redirectUrl }) })
    const call = failure(connection.callTool({ name: 'echo' }, { timeoutMs: 5_000 }))
    const error = await world.soon(call)
    expect(error).toBeInstanceOf(AuthorizationRequiredError)
    expect(error).toMatchObject({
      code: 'AUTHORIZATION_REQUIRED',
      url: await address(world, connection),
      fault: { code: 'http.401' },
    })
    await world.soon(connection.close())
  })
})

/** A connection that waits for a login, and its world. */
async function waiting(store = new MemoryStore(), world = new World()) {
  const connection = world.connect({ authorizer: oauth({ store, redirectUrl }) })
  const connected = connection.connect()
  connected.catch(() => {})
  await world.settled()
  return { world, store, connection, connected }
}

describe('the answer of a login', () => {
  it.each([
    ['no address', () => 'a code', 'unreadable'],
    ['another state', (back: URL) => withParameter(back, 'state', 'other'), 'state'],
    ['no state', (back: URL) => withParameter(back, 'state', ''), 'state'],
    ['another issuer (RFC 9207)', (back: URL) => withParameter(back, 'iss', 'http://evil.test'), 'issuer'],
  ] as const)('is refused with %s, and the login goes on', async (_, spoil, problem) => {
    const { world, connection } = await waiting()
    const back = world.as.login(await address(world, connection))
    const error = await failure(connection.authorize(spoil(new URL(back))))
    expect(error).toMatchObject({ code: 'AUTHORIZATION_RESPONSE', problem })
    expect(world.as.tokenRequests).toEqual([])
    await world.soon(connection.authorize(back))
    expect(connection.status).toBe('ready')
    await world.soon(connection.close())
  })

  it('is refused without an issuer where the server names itself in each', async () => {
    const world = new World()
    world.as.metadata = { authorization_response_iss_parameter_supported: true }
    const { connection } = await waiting(undefined, world)
    const back = world.as.login(await address(world, connection))
    expect(await failure(connection.authorize(back))).toMatchObject({ problem: 'issuer' })
    await world.soon(connection.authorize(withParameter(back, 'iss', world.as.origin)))
    expect(connection.status).toBe('ready')
    await world.soon(connection.close())
  })

  it('may be given by its parameters', async () => {
    const { world, connection } = await waiting()
    const { searchParams } = world.as.login(await address(world, connection))
    await world.soon(
      connection.authorize({ code: searchParams.get('code') ?? '', state: searchParams.get('state') ?? '' }),
    )
    expect(connection.status).toBe('ready')
    await world.soon(connection.close())
  })

  it('is tried again while the token endpoint is away', async () => {
    const { world, connection } = await waiting()
    const plays = [json({}, 503), json({}, 503)]
    world.as.onToken = () => plays.shift()
    await world.soon(connection.authorize(world.as.login(await address(world, connection))))
    expect([connection.status, world.as.count(), world.as.logins.length]).toEqual(['ready', 3, 1])
    await world.soon(connection.close())
  })

  it('that the server does not take leads to another login, three times at most', async () => {
    const { world, connection } = await waiting()
    world.as.onToken = () => json({ error: 'invalid_grant' }, 400)
    const states = new Set<string | null>()
    for (let time = 1; time <= 4; time++) {
      const url = await address(world, connection)
      states.add(url.searchParams.get('state'))
      const error = await world.soon(failure(connection.authorize(world.as.login(url))))
      expect(error).toMatchObject({ code: time <= 3 ? 'AUTHORIZATION_REQUIRED' : 'CONNECTION_FAILED' })
      await world.settled()
    }
    expect([connection.status, connection.fault?.code]).toEqual(['failed', 'token.invalid-grant'])
    // The first was no answer to a refusal yet.
    expect(states.size).toBe(4)
    await world.soon(connection.close())
  })

  it('that says no ends that login, and another one is begun', async () => {
    const { world, connection } = await waiting()
    const url = await address(world, connection)
    const back = new URL(redirectUrl)
    back.searchParams.set('error', 'access_denied')
    back.searchParams.set('state', url.searchParams.get('state') ?? '')
    expect(await failure(connection.authorize(back))).toMatchObject({ problem: 'refused', error: 'access_denied' })
    await world.until(() => connection.authorization !== undefined && connection.authorization.url.href !== url.href)
    await world.soon(connection.authorize(world.as.login(await address(world, connection))))
    expect([connection.status, world.as.registrations.length]).toEqual(['ready', 1])
    await world.soon(connection.close())
  })

  it('that says the client is unknown leads to a login by another client, once (report 04.06)', async () => {
    const { world, connection } = await waiting()
    for (let time = 1; time <= 2; time++) {
      const url = await address(world, connection)
      const back = new URL(redirectUrl)
      back.searchParams.set('error', 'unauthorized_client')
      back.searchParams.set('state', url.searchParams.get('state') ?? '')
      await failure(connection.authorize(back))
      if (time === 1) await world.until(() => connection.authorization?.url.href !== url.href)
    }
    expect(world.as.registrations).toEqual(['client-1', 'client-2'])
    await world.soon(connection.close())
  })

  it('leads to at most three logins where the server refuses what comes of each', async () => {
    const { world, connection } = await waiting()
    world.as.givesRefresh = false
    world.play = () => world.challenge(401, 'error="invalid_token"')
    for (let time = 1; time <= 3; time++) {
      connection.authorize(world.as.login(await address(world, connection))).catch(() => {})
      await world.pass(2_000)
    }
    await world.pass(3_600_000, 60_000)
    expect([connection.status, connection.fault?.code]).toEqual(['failed', 'http.401'])
    expect([world.as.count(), connection.authorization]).toEqual([3, undefined])
    await world.soon(connection.close())
  })

  it('is taken after the link was lost, and after the network was away (rule 8)', async () => {
    const { world, connection } = await waiting()
    const url = await address(world, connection)
    connection.actor.send({ type: 'network.offline' })
    connection.actor.send({ type: 'clock.jumped' })
    await world.pass(900_000, 30_000)
    expect((await address(world, connection)).href).toBe(url.href)
    await world.soon(connection.authorize(world.as.login(url)))
    expect(connection.status).toBe('ready')
    await world.soon(connection.close())
  })

  it('sets a connection going again that was disconnected meanwhile', async () => {
    const { world, connection } = await waiting()
    const url = await address(world, connection)
    await world.soon(connection.disconnect())
    await world.soon(connection.authorize(world.as.login(url)))
    expect([connection.status, world.as.count()]).toEqual(['ready', 1])
    await world.soon(connection.close())
  })
})

describe('a store', () => {
  it('is watched from the first use on, and not after the end', async () => {
    const world = new World()
    const store = new MemoryStore()
    const connection = world.connect({ authorizer: oauth({ store, redirectUrl }) })
    expect(store.watchers).toBe(0)
    connection.connect().catch(() => {})
    await address(world, connection)
    expect(store.watchers).toBe(1)
    await world.soon(connection.close())
    expect(store.watchers).toBe(0)
  })

  it('that cannot be written does not cost the token that was got', async () => {
    const world = new World()
    const store = new MemoryStore()
    const { connection } = await waiting(store, world)
    const back = world.as.login(await address(world, connection))
    store.set = async () => {
      throw new Error('disk full')
    }
    await world.soon(connection.authorize(back))
    world.as.expire()
    await world.soon(connection.callTool({ name: 'echo' }))
    expect([connection.status, world.as.logins.length]).toEqual(['ready', 1])
    await world.soon(connection.close())
  })

  it('that cannot be read is a wait, and says nothing of what was thrown', async () => {
    const world = new World()
    const store = new MemoryStore()
    let left = 2
    const get = store.get.bind(store)
    store.get = async (key) => {
      if (left-- > 0) throw new Error('canary')
      return get(key)
    }
    const connection = world.connect({ authorizer: oauth({ store, redirectUrl }) })
    connection.connect().catch(() => {})
    await world.pass(30_000)
    expect(await address(world, connection)).toBeInstanceOf(URL)
    expect(JSON.stringify(connection.fault)).not.toContain('canary')
    await world.soon(connection.close())
  })
})

describe('a login of several processes', () => {
  it('is one: others show the same address, and go on with what came of it (reports 04.09, 04.10)', async () => {
    const world = new World()
    const store = new MemoryStore()
    const all = await Promise.all([0, 1, 2].map(() => waiting(store, world)))
    await world.settled()
    const addresses = new Set(
      await Promise.all(all.map(async ({ connection }) => (await address(world, connection)).href)),
    )
    expect([addresses.size, world.as.registrations.length]).toEqual([1, 1])
    expect(all.filter(({ connection }) => connection.authorization?.begunHere)).toHaveLength(1)
    const [first] = all
    await world.soon(
      first?.connection.authorize(world.as.login(await address(world, first.connection))) ?? Promise.reject(),
    )
    await world.soon(Promise.all(all.map(({ connected }) => connected)))
    expect([world.as.count(), ...all.map(({ connection }) => connection.status)]).toEqual([
      1,
      'ready',
      'ready',
      'ready',
    ])
    expect(all.map(({ connection }) => connection.catalog.tools.length)).toEqual([1, 1, 1])
    await world.soon(Promise.all(all.map(({ connection }) => connection.close())))
  })

  it('may be answered to any of them', async () => {
    const world = new World()
    const store = new MemoryStore()
    const one = await waiting(store, world)
    const other = await waiting(store, world)
    await world.soon(other.connection.authorize(world.as.login(await address(world, one.connection))))
    await world.soon(one.connected)
    expect(one.connection.status).toBe('ready')
    await world.soon(Promise.all([one, other].map(({ connection }) => connection.close())))
  })

  it('is begun anew when whoever began it has been silent for ten minutes', async () => {
    const world = new World()
    const store = new MemoryStore()
    const dead = await waiting(store, world)
    const url = await address(world, dead.connection)
    await world.soon(dead.connection.close())
    await world.pass(601_000, 30_000)
    const { connection } = await waiting(store, world)
    expect((await address(world, connection)).href).not.toBe(url.href)
    expect(connection.authorization?.begunHere).toBe(true)
    await world.soon(connection.close())
  })

  it('is noticed where a provider cannot tell of it, too', async () => {
    const world = new World()
    const provider = memoryProvider()
    const connection = world.connect({ authorizer: provider })
    const connected = connection.connect()
    await world.settled()
    provider.kept.tokens = { ...world.as.issue(), token_type: 'Bearer' }
    await world.soon(connected, 10_000)
    expect(connection.status).toBe('ready')
    await world.soon(connection.close())
  })

  it('sets going again what had failed for want of it (report 04.13)', async () => {
    const world = new World()
    const store = new MemoryStore()
    const { connection } = await waiting(store, world)
    world.play = () => json({}, 403)
    await world.soon(connection.authorize(world.as.login(await address(world, connection))).catch(() => {}))
    expect(connection.status).toBe('failed')
    world.play = undefined
    const tokens = { ...world.as.issue(), token_type: 'Bearer', issuer: world.as.origin, login_id: 'another' }
    await store.set('http://mcp.test/mcp', JSON.stringify({ ...store.record, tokens }))
    await world.settled()
    expect(connection.status).toBe('ready')
    await world.soon(connection.close())
  })
})

function withParameter(url: URL, name: string, value: string): URL {
  const changed = new URL(url)
  if (value === '') changed.searchParams.delete(name)
  else changed.searchParams.set(name, value)
  return changed
}
