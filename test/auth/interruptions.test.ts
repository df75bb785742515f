/** What an application may do in the middle of each step of an authorization: nothing is lost, and nothing is stuck. */
import { describe, expect, it } from 'vitest'
import { oauth } from '../../src/auth/index.js'
import type { Connection } from '../../src/index.js'
import { failure } from '../connection/rig.js'
import { address, echo, key, loggedIn, ready, redirectUrl } from './scenes.js'
import type { World } from './world.js'

/** What is done, and whether the connection is to be connected again after it. */
const acts = [
  ['disconnect', (connection: Connection) => connection.disconnect()],
  ['reconnect', (connection: Connection) => connection.reconnect()],
  ['configure (policy)', async (connection: Connection) => connection.configure({ policy: { stableAfterMs: 5_000 } })],
  [
    'configure (target)',
    async (connection: Connection, world: World) =>
      connection.configure({ target: { url: world.url, kind: 'http', headers: { 'x-new': '1' } } }),
  ],
  ['close', (connection: Connection) => connection.close()],
  [
    'each of them',
    async (connection: Connection, world: World) => {
      connection.disconnect().catch(() => {})
      connection.reconnect().catch(() => {})
      connection.configure({ target: { url: world.url, kind: 'http' } })
      connection.retry()
      connection.connect().catch(() => {})
    },
  ],
] as const

/** Holds the token endpoint until told: `asked` when it was asked. */
function held(world: World) {
  let go = () => {}
  const open = new Promise<void>((resolve) => {
    go = resolve
  })
  world.as.onToken = async () => {
    await open
    return undefined
  }
  const before = world.as.count()
  return { go, asked: () => world.until(() => world.as.count() > before) }
}

/** A login of before serves on: the refresh token that is remembered is the one that the server takes. */
async function isWell(world: World, store: ReturnType<typeof loggedIn>['store'], connection: Connection) {
  const heir =
    connection.status === 'closed' ? world.connect({ authorizer: oauth({ store, redirectUrl }) }) : connection
  heir.connect().catch(() => {})
  await world.soon(heir.ready())
  world.as.expire()
  await world.soon(echo(heir))
  expect([heir.status, heir.authorization]).toEqual(['ready', undefined])
  expect(world.as.refresh.has(Object(store.record.tokens).refresh_token)).toBe(true)
  await world.soon(heir.close())
  await world.soon(connection.close())
}

describe.each(acts)('%s', (_, act) => {
  it('while a token is refreshed loses no token, and spends none twice', async () => {
    const { world, store, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    const gate = held(world)
    world.as.expire()
    echo(connection).catch(() => {})
    await gate.asked()
    const acted = act(connection, world).catch(() => {})
    await world.pass(2_000)
    gate.go()
    await world.soon(acted)
    await world.pass(5_000)
    expect(world.as.count()).toBe(1)
    await isWell(world, store, connection)
    expect(world.as.logins).toEqual([])
  })

  it('while a token is refreshed ahead of time is the same', async () => {
    const { world, store, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    const gate = held(world)
    const passed = world.pass(541_000, 5_000)
    await passed
    await gate.asked()
    const acted = act(connection, world).catch(() => {})
    await world.pass(2_000)
    gate.go()
    await world.soon(acted)
    await world.pass(5_000)
    expect(world.as.count()).toBe(1)
    await isWell(world, store, connection)
  })

  it('while a person is waited for keeps the login: its answer is taken after it', async () => {
    const { world, store, authorizer } = loggedIn()
    store.values.clear()
    const connection = world.connect({ authorizer })
    connection.connect().catch(() => {})
    const url = await address(world, connection)
    // Not to its end: whoever reconnects waits for the person.
    act(connection, world).catch(() => {})
    await world.pass(2_000)
    const answer = connection.status === 'closed' ? world.connect({ authorizer }) : connection
    answer.connect().catch(() => {})
    expect((await address(world, answer)).href).toBe(url.href)
    await world.soon(answer.authorize(world.as.login(url)))
    expect([answer.status, world.as.count(), world.as.registrations.length]).toEqual(['ready', 1, 1])
    await isWell(world, store, answer)
    await world.soon(connection.close())
  })

  it('while an answer is exchanged spends the code once, and keeps what came of it', async () => {
    const { world, store, authorizer } = loggedIn()
    store.values.clear()
    const connection = world.connect({ authorizer })
    connection.connect().catch(() => {})
    const back = world.as.login(await address(world, connection))
    const gate = held(world)
    connection.authorize(back).catch(() => {})
    await gate.asked()
    const acted = act(connection, world).catch(() => {})
    await world.pass(2_000)
    gate.go()
    await world.soon(acted)
    await world.pass(5_000)
    expect(world.as.count('authorization_code')).toBe(1)
    expect(JSON.parse(store.values.get(key) ?? '{}').login).toBeUndefined()
    await isWell(world, store, connection)
    expect(world.as.logins).toHaveLength(1)
  })

  it('while more scope is asked for settles the call, and the login of before serves on', async () => {
    const { world, store, authorizer } = loggedIn('basic')
    world.needs = ({ method, body }) =>
      method === 'tools/call' && Object(body.params).name === 'write' ? 'write' : undefined
    const connection = await ready(world, authorizer)
    const write = failure(connection.callTool({ name: 'write' }, { timeoutMs: 20_000 }))
    await address(world, connection)
    await world.soon(act(connection, world).catch(() => {}))
    expect(await world.soon(write)).toBeInstanceOf(Error)
    world.needs = () => undefined
    const heir = connection.status === 'closed' ? world.connect({ authorizer }) : connection
    heir.connect().catch(() => {})
    await world.soon(heir.ready())
    await world.soon(echo(heir))
    expect([heir.status, world.as.count()]).toEqual(['ready', 0])
    expect(store.record.tokens).toMatchObject({ scope: 'basic' })
    await world.soon(Promise.all([heir.close(), connection.close()]))
  })
})
