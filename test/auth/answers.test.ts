/** Answers of logins that come twice, late, or to the wrong connection. */
import { describe, expect, it } from 'vitest'
import { oauth } from '../../src/auth/index.js'
import { failure } from '../connection/rig.js'
import { address, echo, redirectUrl } from './scenes.js'
import { MemoryStore, World } from './world.js'

function begun(world: World, store = new MemoryStore()) {
  const connection = world.connect({ authorizer: oauth({ store, redirectUrl }) })
  connection.connect().catch(() => {})
  return connection
}

describe('the answer of a login', () => {
  it('that comes again is refused, and the code is not shown again', async () => {
    const world = new World()
    const connection = begun(world)
    const back = world.as.login(await address(world, connection))
    await world.soon(connection.authorize(back))
    expect(await world.soon(failure(connection.authorize(back)))).toMatchObject({ problem: 'state' })
    await world.soon(echo(connection))
    expect([connection.status, world.as.count()]).toEqual(['ready', 1])
    await world.soon(connection.close())
  })

  it('that comes twice at once is exchanged once', async () => {
    const world = new World()
    const connection = begun(world)
    const back = world.as.login(await address(world, connection))
    await world.soon(Promise.allSettled([connection.authorize(back), connection.authorize(back)]))
    expect([connection.status, world.as.count()]).toEqual(['ready', 1])
    await world.soon(connection.close())
  })

  it('that is asked to be exchanged again while it is gives its outcome to both: nobody is asked to log in anew', async () => {
    const world = new World()
    const { clock, fetch } = world
    const site = { name: 'test', url: new URL(world.url), clock, fetch }
    const credentials = oauth({ store: new MemoryStore(), redirectUrl }).attach(site)
    await credentials.begin()
    const { url } = credentials.pending ?? {}
    if (!url) throw new Error('no login was begun')
    await credentials.answer(world.as.login(url))
    const [first, second, third] = await Promise.all([
      credentials.exchange(),
      credentials.exchange(),
      credentials.refresh({ insufficientScope: false }),
    ])
    expect(first.type).toBe('granted')
    expect([second, third, world.as.count()]).toEqual([first, first, 1])
  })

  it('to an older login of this connection is taken: an older window of the browser may be the one that is used', async () => {
    const world = new World()
    const store = new MemoryStore()
    const connection = begun(world, store)
    const older = await address(world, connection)
    await world.pass(601_000, 30_000)
    connection.reconnect().catch(() => {})
    await world.until(() => connection.authorization?.url.href !== older.href)
    await world.soon(connection.authorize(world.as.login(older)))
    expect([connection.status, world.as.count()]).toEqual(['ready', 1])
    await world.soon(connection.close())
  })

  it('to another connection is not taken for one’s own, although both servers have one authorization server', async () => {
    const [world, other] = [new World(), new World()]
    const connections = [begun(world), begun(other)] as const
    const back = world.as.login(await address(world, connections[0]))
    await address(other, connections[1])
    expect(await other.soon(failure(connections[1].authorize(back)))).toMatchObject({ problem: 'state' })
    expect([connections[1].status, other.as.count()]).toEqual(['reauthorizing', 0])
    await world.soon(connections[0].authorize(back))
    expect(connections[0].status).toBe('ready')
    await Promise.all([world.soon(connections[0].close()), other.soon(connections[1].close())])
  })
})
