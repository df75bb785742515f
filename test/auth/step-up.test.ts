/** More scope for one call, while all others go on (P14; report 04.05; SDK trap 10). */
import { describe, expect, it } from 'vitest'
import { failure, record } from '../connection/rig.js'
import { address, echo, loggedIn, ready } from './scenes.js'
import type { World } from './world.js'

/** A server that wants a scope of its own for the tool `write`, and another for `list`. */
function wanting() {
  const given = loggedIn('basic')
  const { world } = given
  world.needs = ({ method, body }) => {
    if (method !== 'tools/call') return undefined
    const { name } = Object(body.params)
    return name === 'echo' ? undefined : String(name)
  }
  return given
}

const agree = async (world: World, connection: Parameters<typeof address>[1]) =>
  world.soon(connection.authorize(world.as.login(await address(world, connection))))

describe.each([
  ['a store', ({ authorizer }: ReturnType<typeof loggedIn>) => authorizer],
  ['a provider of the SDK', ({ provider }: ReturnType<typeof loggedIn>) => provider],
] as const)('stepping up, by %s', (_, authorizerOf) => {
  it('asks a person for the union of scopes, and not the token endpoint; only that call waits (P14)', async () => {
    const given = wanting()
    const { world } = given
    const connection = await ready(world, authorizerOf(given))
    const seen = record(connection)
    const write = connection.callTool({ name: 'write', arguments: { n: 1 } })
    const others = await world.soon(Promise.all(Array.from({ length: 10 }, (_, n) => echo(connection, n))))
    expect(others).toHaveLength(10)
    expect((await address(world, connection)).searchParams.get('scope')).toBe('basic write')
    expect(world.as.count()).toBe(0)
    await agree(world, connection)
    await world.soon(write)
    expect([seen, world.as.count(), world.as.count('authorization_code')]).toEqual([['ready'], 1, 1])
    expect(world.asked.filter(({ body }) => Object(body.params).name === 'write').map(({ status }) => status)).toEqual([
      403, 200,
    ])
    expect(connection.authorization).toBeUndefined()
    await world.soon(connection.close())
  })

  it('keeps what it had: scopes grow, and ping-pong ends after one login each (report 04.05)', async () => {
    const given = wanting()
    const { world } = given
    const connection = await ready(world, authorizerOf(given))
    for (let turn = 0; turn < 10; turn++) {
      const calls = ['write', 'list'].map((name) => connection.callTool({ name, arguments: { turn } }))
      for (let login = 0; turn === 0 && login < 2; login++) await agree(world, connection)
      await world.soon(Promise.all(calls))
    }
    expect(world.as.logins.map(({ searchParams }) => searchParams.get('scope'))).toEqual([
      'basic write',
      'basic write list',
    ])
    await world.soon(connection.close())
  })

  it('does not ask again for what was given and is refused all the same', async () => {
    const given = wanting()
    const { world } = given
    const connection = await ready(world, authorizerOf(given))
    world.play = ({ body }) =>
      Object(body.params).name === 'write'
        ? world.challenge(403, 'error="insufficient_scope", scope="write"')
        : undefined
    const write = failure(connection.callTool({ name: 'write' }))
    await agree(world, connection)
    expect(await world.soon(write)).toMatchObject({ code: 'CALL_REFUSED', fault: { code: 'scope.insufficient' } })
    for (let n = 0; n < 5; n++) {
      await world.pass(60_000, 5_000)
      expect(await world.soon(failure(connection.callTool({ name: 'write' })))).toMatchObject({ code: 'CALL_REFUSED' })
    }
    expect([connection.status, world.as.logins.length]).toEqual(['ready', 1])
    await world.soon(connection.close())
  })
})

describe('stepping up', () => {
  it('is waited for until the deadline of the call, and is of use to the next one', async () => {
    const { world, authorizer } = wanting()
    const connection = await ready(world, authorizer)
    const late = failure(connection.callTool({ name: 'write' }, { timeoutMs: 5_000 }))
    // The login is begun in no time of the clock, but not in no time: the deadline passes only after that.
    const url = await address(world, connection)
    expect(await world.soon(late)).toMatchObject({ code: 'AUTHORIZATION_REQUIRED', url })
    await world.pass(120_000, 5_000)
    await agree(world, connection)
    await world.soon(connection.callTool({ name: 'write' }))
    expect([world.as.logins.length, connection.status]).toEqual([1, 'ready'])
    await world.soon(connection.close())
  })

  it('survives the loss of the link: the same login is gone on with', async () => {
    const { world, authorizer } = wanting()
    const connection = await ready(world, authorizer)
    const write = connection.callTool({ name: 'write' }, { timeoutMs: 300_000 })
    const url = await address(world, connection)
    await world.soon(connection.reconnect())
    await world.settled()
    expect((await address(world, connection)).href).toBe(url.href)
    await agree(world, connection)
    await world.soon(write)
    expect(world.as.logins).toHaveLength(1)
    await world.soon(connection.close())
  })

  it('goes on while the old token is refreshed', async () => {
    const { world, authorizer } = wanting()
    const connection = await ready(world, authorizer)
    const write = connection.callTool({ name: 'write' }, { timeoutMs: 300_000 })
    await address(world, connection)
    world.as.expire()
    await world.soon(echo(connection))
    expect(world.as.count('refresh_token')).toBe(1)
    await agree(world, connection)
    await world.soon(write)
    expect([world.as.logins.length, world.as.count('refresh_token')]).toEqual([1, 1])
    await world.soon(connection.close())
  })

  it('that is answered with no leaves the connection as it is', async () => {
    const { world, authorizer } = wanting()
    const connection = await ready(world, authorizer)
    const write = failure(connection.callTool({ name: 'write' }, { timeoutMs: 60_000 }))
    const url = await address(world, connection)
    const back = new URL(url.searchParams.get('redirect_uri') ?? '')
    back.searchParams.set('error', 'access_denied')
    back.searchParams.set('state', url.searchParams.get('state') ?? '')
    expect(await failure(connection.authorize(back))).toMatchObject({ problem: 'refused' })
    await world.soon(echo(connection))
    expect(await world.soon(write)).toMatchObject({ fault: { code: 'scope.insufficient' } })
    expect(connection.status).toBe('ready')
    await world.soon(connection.close())
  })

  it('at the handshake is a login, not a refresh', async () => {
    const { world, authorizer } = loggedIn('basic')
    world.needs = ({ method }) => (method === 'initialize' ? 'start' : undefined)
    const connection = world.connect({ authorizer })
    const connected = connection.connect()
    expect((await address(world, connection)).searchParams.get('scope')).toBe('basic start')
    await agree(world, connection)
    await world.soon(connected)
    expect(world.as.count('refresh_token')).toBe(0)
    await world.soon(connection.close())
  })

  it('without an authorizer is a refusal at once', async () => {
    const { world } = wanting()
    const { access_token } = world.as.issue('basic')
    const target = { url: world.url, kind: 'http' as const, headers: { authorization: `Bearer ${access_token}` } }
    const connection = await ready(world, undefined, { target })
    expect(await world.soon(failure(connection.callTool({ name: 'write' })))).toMatchObject({ code: 'CALL_REFUSED' })
    expect(world.asked.filter(({ body }) => Object(body.params).name === 'write')).toHaveLength(1)
    await world.soon(connection.close())
  })
})
