/** Answers of a token endpoint, and tokens of one's own, that are not quite what they should be. */
import { describe, expect, it } from 'vitest'
import { oauth } from '../../src/auth/index.js'
import { failure, record } from '../connection/rig.js'
import { json } from './authorization-server.js'
import { address, echo, key, loggedIn, ready, redirectUrl } from './scenes.js'
import { MemoryStore, memoryProvider, World } from './world.js'

/** A JWT of this time and this lifetime, in seconds. */
const jwt = (claims: { iat?: number; exp: number }, id = '') =>
  `e30.${Buffer.from(JSON.stringify({ ...claims, id })).toString('base64url')}.c2ln`

describe('an answer for a token', () => {
  it.each([
    ['null where there is nothing', { scope: null, id_token: null, expires_in: null }],
    ['a lifetime in words', { expires_in: 'soon' }],
    ['a lifetime as a text', { expires_in: '600' }],
    ['a lifetime that is negative', { expires_in: -5 }],
    ['a lifetime beyond all time', { expires_in: 1e308 }],
    ['scopes as a list', { scope: ['a', 'b'] }],
    ['no type', { token_type: null }],
  ])('with %s is used: its refresh token is the only good one by now', async (_, odd) => {
    const { world, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    let left = 2
    world.as.onToken = async ({ params }) => {
      if (left-- === 0) return undefined
      const { refresh_token = '' } = params
      // As the server itself would: the old one is spent.
      if (!world.as.refresh.delete(refresh_token)) return json({ error: 'invalid_grant' }, 400)
      return json({ token_type: 'Bearer', ...world.as.issue(), ...odd })
    }
    for (let round = 1; round <= 2; round++) {
      world.as.expire()
      await world.soon(echo(connection))
      expect([world.as.count(), connection.status]).toEqual([round, 'ready'])
    }
    await world.pass(120_000, 1_000)
    expect([world.as.count(), typeof connection.report()]).toEqual([2, 'string'])
    await world.soon(connection.close())
  })

  it('without a refresh token leaves the old one in use', async () => {
    const { world, authorizer, store } = loggedIn()
    world.as.rotates = false
    const connection = await ready(world, authorizer)
    for (let round = 1; round <= 3; round++) {
      world.as.expire()
      await world.soon(echo(connection))
    }
    expect([world.as.count(), connection.status]).toEqual([3, 'ready'])
    expect(store.record.tokens).toMatchObject({ refresh_token: expect.stringContaining('refresh-canary') })
    await world.soon(connection.close())
  })

  it.each([
    ['holds no token', () => json({ hello: 'world' })],
    ['is no JSON although it is bad', () => new Response('nope', { status: 400 })],
  ])('that %s is waited for, and costs no login', async (_, odd) => {
    const { world, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    const plays = [odd, odd]
    world.as.onToken = () => plays.shift()?.()
    world.as.expire()
    await world.soon(echo(connection), 300_000)
    expect([world.as.count(), connection.status, connection.authorization]).toEqual([3, 'ready', undefined])
    await world.soon(connection.close())
  })

  it('that never ends is read as far as any answer may go', async () => {
    const { world, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    let read = 0
    let left = 1
    world.as.onToken = () => {
      if (left-- === 0) return undefined
      const pull = (stream: ReadableStreamDefaultController<Uint8Array>) => {
        read += 65_536
        stream.enqueue(new Uint8Array(65_536).fill(0x20))
      }
      return left < 0 ? undefined : new Response(new ReadableStream({ pull }), { status: 200 })
    }
    world.as.expire()
    await world.soon(echo(connection), 300_000)
    expect(read).toBeLessThan(2_000_000)
    expect([world.as.count(), connection.status]).toEqual([2, 'ready'])
    await world.soon(connection.close())
  })
})

describe('a token endpoint that sends us elsewhere', () => {
  it('is not followed with what is secret', async () => {
    const { world, authorizer } = loggedIn()
    const asked: unknown[] = []
    const given = world.fetch
    const fetch: typeof globalThis.fetch = (input, init) => {
      if (String(input).endsWith('/token')) asked.push(init?.redirect)
      return given(input, init)
    }
    const connection = await ready(world, authorizer, { fetch })
    world.as.expire()
    await world.soon(echo(connection))
    expect(asked).toEqual(['manual'])
    await world.soon(connection.close())
  })
})

describe('a token whose clock is an hour behind ours', () => {
  it.each([
    ['tells its end alone', (now: number) => ({ exp: now - 3_600 + 600 })],
    ['tells both its times', (now: number) => ({ iat: now - 3_600, exp: now - 3_600 + 600 })],
  ])('and %s is not renewed again and again', async (_, claims) => {
    const world = new World()
    world.clock.increment(7_200_000)
    let times = 0
    const fresh = () => {
      const token = jwt(claims(world.clock.now() / 1000), String(times))
      world.as.access.set(token, { family: 0, scope: undefined, endsAt: world.clock.now() + 600_000 })
      return token
    }
    let token = fresh()
    const refresh = () => {
      times += 1
      token = fresh()
    }
    const connection = await ready(world, { token: () => token, refresh })
    await world.pass(60_000, 500)
    expect(times).toBe(0)
    world.as.expire()
    await world.soon(echo(connection))
    await world.pass(60_000, 500)
    expect([times, connection.status]).toEqual([1, 'ready'])
    await world.soon(connection.close())
  })

  it('is not renewed again and again by a refresh token either', async () => {
    const { world, authorizer } = loggedIn()
    world.clock.increment(7_200_000)
    world.as.onToken = () => {
      const { refresh_token } = world.as.issue()
      const access_token = jwt({ exp: world.clock.now() / 1000 - 3_000 }, refresh_token)
      world.as.access.set(access_token, { family: 0, scope: undefined, endsAt: world.clock.now() + 600_000 })
      return json({ access_token, refresh_token, token_type: 'Bearer' })
    }
    const connection = await ready(world, authorizer)
    await world.pass(60_000, 500)
    expect([world.as.count(), connection.status]).toEqual([1, 'ready'])
    await world.soon(connection.close())
  })
})

describe('a token of one’s own', () => {
  it('that was read with its newline is good', async () => {
    const world = new World()
    const { access_token } = world.as.issue()
    const connection = await ready(world, { token: () => `${access_token}\n` })
    expect(world.asked.at(-1)?.token).toBe(access_token)
    await world.soon(connection.close())
  })

  it('that no header may hold is a failure that says so, and does not show it', async () => {
    const world = new World()
    const connection = world.connect({ authorizer: { token: () => 'vault-canary\u0000\n more' } })
    const error = await world.soon(failure(connection.connect()))
    expect(error).toMatchObject({ fault: { code: 'credential.refused' } })
    expect([JSON.stringify(connection.fault).includes('canary'), world.asked]).toEqual([false, []])
    await world.soon(connection.close())
  })

  it('that never comes holds no call beyond its deadline, and no close', async () => {
    const world = new World()
    const { access_token } = world.as.issue()
    let isAway = false
    const token = () => (isAway ? new Promise<string>(() => {}) : access_token)
    const connection = await ready(world, { token })
    isAway = true
    expect(await world.soon(failure(echo(connection, 0, { timeoutMs: 50 })))).toMatchObject({ code: 'CALL_TIMEOUT' })
    await world.soon(connection.close())
    expect(connection.status).toBe('closed')
  })

  it('that is another one each time is refused three times, and no more', async () => {
    const world = new World()
    let n = 0
    const connection = world.connect({ authorizer: { token: () => `token-${++n}`, refresh: () => {} } })
    const seen = record(connection)
    await world.soon(failure(connection.connect()))
    await world.pass(600_000, 10_000)
    expect(seen.at(-1)).toBe('failed')
    expect(world.asked.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(4)
    await world.soon(connection.close())
  })
})

describe('what is remembered', () => {
  it('as an empty object by a provider is nothing: a person logs in', async () => {
    const world = new World()
    const provider = memoryProvider()
    Object.assign(provider.kept, { tokens: {}, client: {} })
    const connection = world.connect({ authorizer: provider })
    const connected = connection.connect()
    await world.soon(connection.authorize(world.as.login(await address(world, connection))))
    await world.soon(connected)
    expect(connection.status).toBe('ready')
    await world.soon(connection.close())
  })

  it.each([
    ['half a record', '{"v":1,"tokens":{"access_token":"a'],
    ['a record of another kind', '[1]'],
    [
      'fields of other kinds',
      '{"v":1,"tokens":{"access_token":7},"client":"x","login":{"state":"s","url":"http://x/"}}',
    ],
  ])('as %s is nothing: a person logs in', async (_, text) => {
    const world = new World()
    const store = new MemoryStore()
    store.values.set(key, text)
    const connection = world.connect({ authorizer: oauth({ store, redirectUrl }) })
    const connected = connection.connect()
    await world.soon(connection.authorize(world.as.login(await address(world, connection))))
    await world.soon(connected)
    expect(store.record).toMatchObject({ v: 1, tokens: { access_token: expect.any(String) } })
    await world.soon(connection.close())
  })

  it('that could not be written gives way to what another has written since, by one request', async () => {
    const { world, store, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    const set = store.set.bind(store)
    store.set = async () => {
      throw new Error('disk full')
    }
    world.as.expire()
    await world.soon(echo(connection))
    // There is room again, and another process has logged in; by that the server has ended the old login.
    store.set = set
    for (const token of world.as.refresh.keys()) world.as.refresh.delete(token)
    world.as.expire()
    const theirs = { ...world.as.issue(), token_type: 'Bearer', login_id: 'second', issuer: world.as.origin }
    await store.set(key, JSON.stringify({ ...store.record, tokens: theirs }))
    await world.soon(echo(connection))
    expect([connection.status, connection.authorization, world.as.count()]).toEqual(['ready', undefined, 2])
    world.as.expire()
    await world.soon(echo(connection))
    expect([connection.status, world.as.count()]).toEqual(['ready', 3])
    await world.soon(connection.close())
  })
})
