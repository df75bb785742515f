/**
 * What a user sees when a server is lost and returns: a flat model of the outside, and every path through it played on
 * the real runtime against a fault server.
 */
import { createTestModel } from '@xstate/test'
import { afterAll, describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { type Connection, createConnection } from '../../src/index.js'
import { type FaultServer, hang, startFaultServer } from '../../src/testing/fault-server/index.js'
import { failure, until } from '../connection/rig.js'

/** The server is there or not, and knows our session or not; a call waits for it or not. */
const outside = createMachine({
  initial: 'serving',
  states: {
    serving: {
      on: { 'the server stops': 'away', 'the sessions are forgotten': 'forgotten', 'a call breaks': 'broken' },
    },
    broken: { on: { 'a call comes': 'serving' } },
    forgotten: { on: { 'a call comes': 'serving', 'the server stops': 'away' } },
    away: { on: { 'a call comes': 'awaited', 'the server returns': 'back', 'it returns without sessions': 'back' } },
    awaited: { on: { 'the server returns': 'serving', 'it returns without sessions': 'serving' } },
    back: { on: { 'a call comes': 'serving' } },
  },
})

class World {
  waiting: Promise<unknown> | undefined
  readonly server: FaultServer
  readonly connection: Connection

  constructor(server: FaultServer) {
    this.server = server
    this.connection = createConnection({
      name: 'outside',
      target: { url: server.url },
      policy: { backoff: { baseMs: 5, capMs: 40 }, maxAttempts: 1_000 },
    })
  }

  call(): Promise<unknown> {
    return this.connection.callTool({ name: 'echo', arguments: { text: 'x' } })
  }

  async returns(): Promise<void> {
    await this.server.start()
    await this.waiting
    this.waiting = undefined
  }
}

const play: Record<string, (world: World) => Promise<void>> = {
  async 'the server stops'({ server }) {
    await server.stop()
  },
  async 'the server returns'(world) {
    await world.returns()
  },
  async 'it returns without sessions'(world) {
    world.server.forgetSessions()
    await world.returns()
  },
  async 'the sessions are forgotten'({ server }) {
    server.forgetSessions()
  },
  async 'a call comes'(world) {
    const call = world.call()
    if (world.server.port > 0 && (await isUp(world.server))) await call
    else {
      world.waiting = call
      await until(world.connection, 'backoff')
    }
  },
  async 'a call breaks'(world) {
    world.server.once('tools/call', hang())
    const call = failure(world.call())
    await world.server.seen('tools/call', world.server.count('tools/call') + 1)
    world.server.dropSockets()
    expect(await call).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  },
}

async function isUp(server: FaultServer): Promise<boolean> {
  try {
    await fetch(server.origin, { method: 'HEAD' })
    return true
  } catch {
    return false
  }
}

const seen: Record<string, (world: World) => Promise<void>> = {
  async serving({ connection, server }) {
    await connection.connect()
    expect(connection.status).toBe('ready')
    expect(await connection.callTool({ name: 'echo' })).toHaveProperty('content')
    expect(server.sessions.size).toBeLessThanOrEqual(1)
  },
  async broken({ connection }) {
    expect(connection.status).not.toBe('failed')
  },
  async forgotten({ server }) {
    expect(server.sessions.size).toBe(0)
  },
  async away({ connection }) {
    expect(connection.catalog.tools).toHaveLength(1)
  },
  async awaited({ connection }) {
    expect(connection.status).not.toBe('ready')
    expect(connection.status).not.toBe('failed')
  },
  async back({ connection }) {
    expect(connection.status).not.toBe('failed')
  },
}

describe('what a user sees', () => {
  const paths = createTestModel(outside).getSimplePaths()
  const played = new Set<string>()

  it.each(paths.map((path) => [path.description, path] as const))('%s', async (_, path) => {
    await using server = await startFaultServer()
    const world = new World(server)
    await world.connection.connect()
    const events = Object.fromEntries(
      Object.entries(play).map(([name, step]) => [
        name,
        async () => {
          played.add(name)
          await step(world)
        },
      ]),
    )
    const states = Object.fromEntries(Object.entries(seen).map(([name, look]) => [name, () => look(world)]))
    await path.test({ events, states })
    expect(world.waiting === undefined || world.connection.status !== 'failed').toBe(true)
    world.waiting?.catch(() => undefined)
    await world.connection.close()
  })

  afterAll(() => expect([...played].sort()).toEqual(Object.keys(play).sort()))
})
