/** Credentials that change, run out or are refused at an odd moment. Each was found by the simulation. */
import { describe, expect, it } from 'vitest'
import type { Connection } from '../../src/index.js'
import { page } from './authorization-server.js'
import { address, echo, key, loggedIn, ready } from './scenes.js'
import type { World } from './world.js'

const write = (connection: Connection) => connection.callTool({ name: 'write', arguments: { n: 1 } })

const needsWrite = (world: World) => {
  world.needs = ({ method, body }) =>
    method === 'tools/call' && Object(body.params).name === 'write' ? 'write' : undefined
}

/** Instead of its description the server shows a page, as one behind a portal does for a while. */
const showsPages = (world: World) => {
  world.elsewhere = ({ url }) => (url.includes('http://mcp.test/.well-known') ? page() : undefined)
}

describe('a page that is shown instead of the description of the resource', () => {
  it('does not end a login: the token is refreshed where it was given', async () => {
    const { world, authorizer } = loggedIn()
    world.as.expire()
    showsPages(world)
    const connection = await ready(world, authorizer)
    expect([connection.status, world.as.count('refresh_token'), world.as.logins]).toEqual(['ready', 1, []])
    await world.soon(connection.close())
  })

  it('is forgotten when somebody has logged in elsewhere meanwhile', async () => {
    const { world, store, authorizer } = loggedIn()
    const remembered = store.record
    store.values.clear()
    showsPages(world)
    const connection = world.connect({ authorizer })
    connection.connect().catch(() => {})
    await world.until(() => connection.status === 'failed')
    world.elsewhere = undefined
    await store.set(key, JSON.stringify(remembered))
    await world.until(() => connection.status === 'ready')
    world.as.expire()
    await world.soon(echo(connection))
    expect([world.as.count('refresh_token'), connection.authorization]).toEqual([1, undefined])
    await world.soon(connection.close())
  })

  it('passes, where the server has served before and a login is needed', async () => {
    const { world, store, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    store.values.clear()
    world.as.expire()
    world.as.refresh.clear()
    showsPages(world)
    echo(connection).catch(() => {})
    await world.until(() => connection.status === 'backoff')
    world.elsewhere = undefined
    const url = await world.soon(
      new Promise<URL>((resolve) => connection.authorization$.subscribe((login) => login && resolve(login.url))),
    )
    await world.soon(connection.authorize(world.as.login(url)))
    expect(connection.status).toBe('ready')
    await world.soon(connection.close())
  })
})

describe('more scope', () => {
  it('that ended with its login is asked for again', async () => {
    const { world, authorizer } = loggedIn('basic')
    needsWrite(world)
    const connection = await ready(world, authorizer)
    for (let login = 1; login <= 2; login++) {
      const written = write(connection)
      await world.soon(connection.authorize(world.as.login(await address(world, connection))))
      await world.soon(written)
      // The login is over, and the next is for no more than the server asks for at first.
      world.as.expire()
      world.as.refresh.clear()
      const echoed = echo(connection)
      await world.soon(connection.authorize(world.as.login(await address(world, connection))))
      await world.soon(echoed)
      await world.pass(15_000, 5_000)
    }
    expect(world.as.count('authorization_code')).toBe(4)
    await world.soon(connection.close())
  })

  it('whose answer came while nobody could use it is had by the next call', async () => {
    const { world, authorizer } = loggedIn('basic')
    needsWrite(world)
    const connection = await ready(world, authorizer, { policy: { timeouts: { callMs: 5_000 } } })
    write(connection).catch(() => {})
    const url = await address(world, connection)
    world.play = () => page(503)
    await world.until(() => connection.status === 'ready')
    connection.reconnect().catch(() => {})
    await world.until(() => connection.status === 'backoff')
    connection.authorize(world.as.login(url)).catch(() => {})
    world.play = undefined
    await world.soon(connection.ready())
    await world.soon(write(connection))
    expect([world.as.count('authorization_code'), world.as.logins.length]).toEqual([1, 1])
    await world.soon(connection.close())
  })
})

describe('a restless server with short tokens', () => {
  it('is no loop of refused credentials: each has served until its end', async () => {
    const { world, authorizer } = loggedIn()
    Object.assign(world.as, { lifeS: 25, tellsLife: false })
    world.as.expire()
    const connection = await ready(world, authorizer)
    // Its sessions never last until the connection has proved itself.
    for (let turn = 0; turn < 18; turn++) {
      world.play = () => {
        world.play = undefined
        return new Response('Invalid session ID', { status: 400 })
      }
      echo(connection).catch(() => {})
      await world.pass(8_000, 1_000)
    }
    expect(world.as.count('refresh_token')).toBeGreaterThan(4)
    await world.soon(connection.ready())
    await world.soon(connection.close())
  })
})

describe('another process that refreshes while a handshake is under way', () => {
  it('costs the connection no deadline: its refused handshake is made again at once', async () => {
    const { world, store, authorizer } = loggedIn()
    world.as.expire()
    let go = () => {}
    const open = new Promise<void>((resolve) => {
      go = resolve
    })
    world.play = async ({ method }) => {
      if (method === 'initialize') await open
      return undefined
    }
    const connection = world.connect({ authorizer })
    const connected = connection.connect()
    await world.until(() => world.count('initialize') === 1)
    const { access_token, refresh_token } = world.as.issue()
    const { tokens, ...rest } = store.record
    await store.set(key, JSON.stringify({ ...rest, tokens: { ...Object(tokens), access_token, refresh_token } }))
    await world.settled()
    const begun = world.clock.now()
    go()
    await world.soon(connected)
    expect(world.clock.now() - begun).toBeLessThan(1_000)
    expect([world.count('initialize'), world.as.count()]).toEqual([2, 0])
    await world.soon(connection.close())
  })

  it('does not hide that the session is lost', async () => {
    const { world, store, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    let go = () => {}
    const open = new Promise<void>((resolve) => {
      go = resolve
    })
    world.play = async ({ method }) => {
      if (method !== 'tools/call') return undefined
      await open
      world.play = undefined
      return new Response('Invalid session ID', { status: 400 })
    }
    const echoed = echo(connection)
    await world.until(() => world.count('tools/call') === 1)
    const { access_token, refresh_token } = world.as.issue()
    const { tokens, ...rest } = store.record
    await store.set(key, JSON.stringify({ ...rest, tokens: { ...Object(tokens), access_token, refresh_token } }))
    await world.settled()
    go()
    await world.soon(echoed)
    expect(world.asked.filter(({ method }) => method === 'tools/call').map(({ session }) => session)).toEqual([
      'session-1',
      'session-2',
    ])
    await world.soon(connection.close())
  })
})
