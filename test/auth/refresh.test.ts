import { describe, expect, it } from 'vitest'
import { oauth } from '../../src/auth/index.js'
import { failure, record } from '../connection/rig.js'
import { json, page } from './authorization-server.js'
import { address, echo, key, loggedIn, ready, redirectUrl } from './scenes.js'

/** How a credential is remembered: everything must hold for each. */
const kinds = [
  ['a store', ({ authorizer }: ReturnType<typeof loggedIn>) => authorizer],
  ['a provider of the SDK', ({ provider }: ReturnType<typeof loggedIn>) => provider],
] as const

describe.each(kinds)('a token that ran out, remembered by %s', (_, authorizerOf) => {
  it('is refreshed once for 50 calls, and none of them fails (P12; reports 04.01)', async () => {
    const given = loggedIn()
    const { world } = given
    const connection = await ready(world, authorizerOf(given))
    world.as.expire()
    const calls = Array.from({ length: 50 }, (_, n) => echo(connection, n))
    const answers = await world.soon(Promise.all(calls))
    expect(answers).toHaveLength(50)
    expect(world.as.count()).toBe(1)
    expect([connection.status, connection.authorization]).toEqual(['ready', undefined])
    // Each call was refused at most once, and run once.
    expect(world.asked.filter(({ method, status }) => method === 'tools/call' && status === 200)).toHaveLength(50)
    expect(
      world.asked.filter(({ method, status }) => method === 'tools/call' && status === 401).length,
    ).toBeLessThanOrEqual(50)
    await world.soon(connection.close())
  })

  it('survives a token endpoint that is away, however often it is asked (SDK trap 8) (P13)', async () => {
    const given = loggedIn()
    const { world, provider } = given
    const connection = await ready(world, authorizerOf(given))
    const plays = [
      json({}, 503),
      page(200),
      page(502),
      json({ error: 'slow_down' }, 429, { 'retry-after': '2' }),
      json({ error: 'server_error' }, 400),
    ]
    world.as.onToken = () => {
      const play = plays.shift()
      if (!play && plays.length === 0 && world.as.count() < 8) throw new TypeError('fetch failed')
      return play
    }
    world.as.expire()
    await world.soon(echo(connection), 600_000)
    expect([connection.status, connection.authorization]).toEqual(['ready', undefined])
    expect(world.as.count()).toBe(8)
    expect([world.as.logins, provider.opened, provider.wiped]).toEqual([[], [], []])
    await world.soon(connection.close())
  })

  it('is given up for a login when the refresh token is refused, by one request (report 04.03)', async () => {
    const given = loggedIn()
    const { world } = given
    const connection = await ready(world, authorizerOf(given))
    world.as.onToken = () => json({ error: 'invalid_grant' }, 400)
    world.as.expire()
    const call = failure(echo(connection))
    await world.pass(600_000, 10_000)
    expect([connection.status, connection.fault?.code]).toEqual(['reauthorizing', 'token.invalid-grant'])
    expect(world.as.count()).toBe(1)
    expect(await call).toMatchObject({ code: 'AUTHORIZATION_REQUIRED', url: connection.authorization?.url })
    world.as.onToken = undefined
    await world.soon(connection.authorize(world.as.login(await address(world, connection))))
    expect(connection.status).toBe('ready')
    await world.soon(connection.close())
  })

  it('is given up also in words of the provider’s own, but the login is not thrown away (report 04.03)', async () => {
    const given = loggedIn()
    const { world, store, provider } = given
    const authorizer = authorizerOf(given)
    const connection = await ready(world, authorizer)
    world.as.onToken = () => json({ error: 'invalid_request', error_description: 'refresh_token is invalid' }, 400)
    world.as.expire()
    const call = failure(echo(connection))
    await world.pass(600_000, 10_000)
    await call
    expect(connection.status).toBe('reauthorizing')
    expect(world.as.count()).toBe(1)
    // The refused token is not taken for one that somebody else has stored.
    expect(world.asked.filter(({ status }) => status === 401)).toHaveLength(1)
    const kept = authorizer === provider ? provider.kept.tokens : store.record.tokens
    expect(kept).toMatchObject({ refresh_token: expect.any(String) })
    await world.soon(connection.close())
  })

  it('is given up for a login by a client that is registered anew, when the old one is forgotten (report 04.06)', async () => {
    const given = loggedIn()
    const { world } = given
    const connection = await ready(world, authorizerOf(given))
    world.as.forgetClients()
    world.as.expire()
    const call = echo(connection)
    await world.settled()
    const url = await address(world, connection)
    expect(world.as.registrations).toEqual(['client-1'])
    expect(url.searchParams.get('client_id')).toBe('client-1')
    await world.soon(connection.authorize(world.as.login(url)))
    await world.soon(call)
    expect(world.as.registrations).toHaveLength(1)
    await world.soon(connection.close())
  })

  it('is adopted where another has refreshed it meanwhile (report 04.02)', async () => {
    const given = loggedIn()
    const { world, store, provider } = given
    const connection = await ready(world, authorizerOf(given))
    world.as.expire()
    // Between our reading and our asking another process, one that takes no lock, has used the refresh token.
    world.as.onToken = () => {
      world.as.onToken = undefined
      const won = { ...world.as.issue(), token_type: 'Bearer', issuer: world.as.origin }
      store.values.set(key, JSON.stringify({ ...store.record, tokens: won }))
      provider.kept.tokens = won
      return json({ error: 'invalid_grant' }, 400)
    }
    await world.soon(echo(connection))
    expect([connection.status, connection.authorization]).toEqual(['ready', undefined])
    expect([world.as.count(), provider.wiped]).toEqual([1, []])
    await world.soon(connection.close())
  })

  it('ends, after three that were refused as well, in a failure that says so (report 04.04; SDK trap 11)', async () => {
    const given = loggedIn()
    const { world } = given
    const connection = await ready(world, authorizerOf(given))
    world.play = () => world.challenge(401, 'error="invalid_token"')
    const calls = await world.soon(Promise.all([0, 1, 2].map((n) => failure(echo(connection, n)))))
    expect(calls).toEqual(
      [0, 1, 2].map(() => expect.objectContaining({ fault: expect.objectContaining({ code: 'http.401' }) })),
    )
    await world.pass(3_600_000, 60_000)
    expect([connection.status, world.as.count()]).toEqual(['failed', 3])
    await world.soon(connection.close())
  })
})

describe('a credential in time', () => {
  it('keeps a connection ready for 24 hours with tokens of ten minutes', async () => {
    const { world, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    const seen = record(connection)
    for (let minute = 0; minute < 24 * 60; minute++) {
      await world.pass(60_000, 30_000)
      if (minute % 10 === 0) await world.soon(echo(connection, minute))
    }
    expect(seen).toEqual(['ready'])
    expect(world.asked.filter(({ status }) => status === 401)).toEqual([])
    // Nine minutes each: a tenth of the lifetime ahead of its end.
    expect(world.as.count()).toBe(160)
    await world.soon(connection.close())
  }, 120_000)

  it('is refreshed at its time although the connection was renewed again and again', async () => {
    const { world, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    for (let minute = 1; minute <= 8; minute++) {
      await world.pass(60_000, 10_000)
      await world.soon(connection.reconnect())
    }
    expect(world.as.count()).toBe(0)
    await world.pass(60_000, 1_000)
    expect(world.as.count()).toBe(1)
    expect(world.asked.filter(({ status }) => status === 401)).toEqual([])
    await world.soon(connection.close())
  })

  it('keeps the time of its end through a restart', async () => {
    const { world, authorizer, store } = loggedIn()
    await world.pass(300_000, 10_000)
    await world.soon((await ready(world, authorizer)).close())
    const again = await ready(world, oauth({ store, redirectUrl }))
    await world.pass(239_000, 1_000)
    expect(world.as.count()).toBe(0)
    await world.pass(2_000, 1_000)
    expect(world.as.count()).toBe(1)
    await world.soon(again.close())
  })

  it('is refreshed on 401 where no time is told (report 04.07)', async () => {
    const { world, authorizer, store } = loggedIn()
    world.as.tellsLife = false
    const { expires_at: _at, expires_in: _in, ...tokens } = Object(store.record.tokens)
    store.values.set(key, JSON.stringify({ ...store.record, tokens }))
    const connection = await ready(world, authorizer)
    await world.pass(3_600_000, 60_000)
    await world.soon(echo(connection))
    expect(connection.status).toBe('ready')
    expect(world.as.count()).toBeGreaterThan(0)
    await world.soon(connection.close())
  })

  it('is used to its end where nothing can refresh it (report 04.08; deviation 42)', async () => {
    const { world, authorizer, store } = loggedIn()
    world.as.access.clear()
    const { access_token } = ((): { access_token: string } => {
      world.as.lifeS = 60 * 24 * 3600
      return world.as.issue()
    })()
    const tokens = { access_token, token_type: 'Bearer', expires_in: world.as.lifeS, expires_at: world.as.lifeS }
    store.values.set(key, JSON.stringify({ v: 1, tokens }))
    const connection = await ready(world, authorizer)
    await world.pass(24 * 3_600_000, 60_000)
    expect([connection.status, world.as.tokenRequests]).toEqual(['ready', []])
    await world.soon(connection.close())
  }, 60_000)

  it('is not asked for every second by a token that says it has no life', async () => {
    const { world, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    world.as.onToken = () => json({ ...world.as.issue(), token_type: 'Bearer', expires_in: 0 })
    world.as.expire()
    await world.soon(echo(connection))
    await world.pass(60_000, 1_000)
    expect(world.as.count()).toBe(1)
    await world.soon(connection.close())
  })

  it.each([-3_600, 3_600])('lives as long as its JWT says, with a server whose clock is off by %i s', async (skewS) => {
    const { world, store, authorizer } = loggedIn()
    const jwt = (lifeS: number) => {
      const iat = world.clock.now() / 1000 + skewS
      return `e30.${Buffer.from(JSON.stringify({ iat, exp: iat + lifeS })).toString('base64url')}.c2ln`
    }
    world.as.onToken = () => {
      const { refresh_token } = world.as.issue()
      const access_token = jwt(600)
      world.as.access.set(access_token, { family: 0, scope: undefined, endsAt: world.clock.now() + 600_000 })
      return json({ access_token, refresh_token, token_type: 'Bearer' })
    }
    const connection = await ready(world, authorizer)
    world.as.expire()
    await world.soon(echo(connection))
    expect(store.record.tokens).toMatchObject({ expires_in: 600 })
    await world.pass(530_000, 10_000)
    expect(world.as.count()).toBe(1)
    await world.pass(30_000, 10_000)
    expect(world.as.count()).toBe(2)
    expect(world.asked.filter(({ status }) => status === 401)).toHaveLength(1)
    await world.soon(connection.close())
  })

  it('is tried again half a minute after a refresh ahead of time that failed, and calls go on meanwhile', async () => {
    const { world, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    const seen = record(connection)
    const plays = [json({}, 503), json({}, 503)]
    world.as.onToken = () => plays.shift()
    await world.pass(545_000, 5_000)
    await world.soon(echo(connection))
    expect(world.as.count()).toBe(1)
    await world.pass(60_000, 5_000)
    expect([world.as.count(), seen]).toEqual([3, ['ready']])
    await world.soon(connection.close())
  })
})

describe('one credential for several connections', () => {
  it('is refreshed once by five processes, as far as a lock of the store goes (P12; report 04.02)', async () => {
    const { world, store } = loggedIn()
    const connections = await Promise.all(Array.from({ length: 5 }, () => ready(world, oauth({ store, redirectUrl }))))
    for (let round = 1; round <= 20; round++) {
      world.as.expire()
      await world.soon(Promise.all(connections.map((connection, n) => echo(connection, n))))
      expect(world.as.count()).toBe(round)
      // As if each round came after a while of quiet.
      await world.pass(30_000, 5_000)
    }
    expect(connections.map(({ status }) => status)).toEqual(Array(5).fill('ready'))
    await world.soon(Promise.all(connections.map((connection) => connection.close())))
  })

  it('is refreshed once ahead of time as well, although it is due for all in the same moment', async () => {
    const { world, store } = loggedIn()
    const connections = await Promise.all(Array.from({ length: 5 }, () => ready(world, oauth({ store, redirectUrl }))))
    await world.pass(545_000, 5_000)
    expect(world.as.count()).toBe(1)
    await world.soon(Promise.all(connections.map((connection, n) => echo(connection, n))))
    expect(world.asked.filter(({ status }) => status === 401)).toEqual([])
    await world.soon(Promise.all(connections.map((connection) => connection.close())))
  })
})
