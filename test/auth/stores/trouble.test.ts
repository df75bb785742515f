/** A store that hangs, is slow, or is shared by a crowd: calls keep their deadlines, and the token endpoint its peace. */
import { describe, expect, it } from 'vitest'
import { oauth } from '../../../src/auth/index.js'
import { failure } from '../../connection/rig.js'
import { echo, loggedIn, ready, redirectUrl } from '../scenes.js'

describe('a store', () => {
  it('whose lock is never given is a wait with a reason, and good again as soon as it is', async () => {
    const { world, store, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    const lock = store.lock.bind(store)
    const waiting: (() => void)[] = []
    store.lock = async (name, work) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return lock(name, work)
    }
    world.as.expire()
    const call = failure(echo(connection, 0, { timeoutMs: 40_000 }))
    await world.pass(30_000, 250)
    expect(connection.fault?.evidence).toMatchObject({ kind: 'deadline', phase: 'reauthorizing' })
    await world.pass(30_000, 1_000)
    expect(await call).toMatchObject({ code: expect.stringMatching(/^CALL_/) })
    expect(world.as.count()).toBe(0)
    store.lock = lock
    for (const go of waiting.splice(0)) go()
    await world.soon(echo(connection, 1), 300_000)
    expect([connection.status, world.as.count(), world.as.logins]).toEqual(['ready', 1, []])
    await world.soon(connection.close())
  })

  it('whose lock is never given holds up no close', async () => {
    const { world, store, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    store.lock = () => new Promise(() => {})
    world.as.expire()
    echo(connection).catch(() => {})
    await world.settled()
    await world.soon(connection.close(), 10_000)
    expect(connection.status).toBe('closed')
  })

  it('that is slow to read and to write costs time, and nothing else', async () => {
    const { world, store, authorizer } = loggedIn()
    const { get, set } = { get: store.get.bind(store), set: store.set.bind(store) }
    const slowly = async () => new Promise<void>((resolve) => world.clock.setTimeout(() => resolve(), 2_000))
    const connection = await ready(world, authorizer)
    store.get = async (name) => {
      await slowly()
      return get(name)
    }
    store.set = async (name, value) => {
      await slowly()
      return set(name, value)
    }
    for (let round = 1; round <= 3; round++) {
      world.as.expire()
      await world.soon(Promise.all([0, 1, 2].map((n) => echo(connection, n))))
      expect([connection.status, world.as.count()]).toEqual(['ready', round])
      await world.pass(30_000, 5_000)
    }
    await world.soon(connection.close())
  })

  it('that throws from every one of its functions costs no login and shows nothing of what it threw', async () => {
    const { world, store, authorizer } = loggedIn()
    const connection = await ready(world, authorizer)
    const whole = { get: store.get.bind(store), set: store.set.bind(store), lock: store.lock.bind(store) }
    const broken = async () => {
      throw new Error('vault-canary')
    }
    Object.assign(store, { get: broken, set: broken, lock: broken })
    world.as.expire()
    const call = echo(connection, 0, { timeoutMs: 600_000 })
    await world.pass(5_000)
    expect(JSON.stringify(connection.explain()) + connection.report()).not.toContain('canary')
    Object.assign(store, whole)
    await world.soon(call, 600_000)
    expect([connection.status, world.as.count(), world.as.logins]).toEqual(['ready', 1, []])
    await world.soon(connection.close())
  })

  it('that a hundred connections share has their token refreshed once for all, on refusals and ahead of time', async () => {
    const { world, store } = loggedIn()
    const all = await Promise.all(Array.from({ length: 100 }, () => ready(world, oauth({ store, redirectUrl }))))
    world.as.expire()
    await world.soon(Promise.all(all.map((connection, n) => echo(connection, n))))
    expect(world.as.count()).toBe(1)
    await world.pass(545_000, 15_000)
    expect(world.as.count()).toBe(2)
    expect(all.filter(({ status }) => status !== 'ready')).toEqual([])
    await world.soon(Promise.all(all.map((connection) => connection.close())))
  }, 60_000)
})
