/**
 * Field reports of kind 9: the machine slept, or the network went and came. How a jump of the clock is noticed is played in
 * test/connection/surroundings.test.ts. Node does not tell of the network; here, as an application would, the test does.
 */
import { describe, expect, it } from 'vitest'
import { SimulatedClock } from 'xstate'
import { type Connection, createConnection } from '../../../src/index.js'
import { startFaultServer } from '../../../src/testing/fault-server/index.js'
import { turns } from '../rig.js'
import { drivenChild, isAlive, passing } from './rig.js'

const HOURS = 8 * 3_600_000

/** What the runtime's network does: names are not found while the machine is without one. */
class Network {
  up = true
  readonly dials: { host: string; at: number }[] = []
  readonly #clock: SimulatedClock
  readonly #port: number
  constructor(clock: SimulatedClock, port: number) {
    this.#clock = clock
    this.#port = port
  }
  readonly fetch: typeof fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    this.dials.push({ host: url.hostname, at: this.#clock.now() })
    if (!this.up) {
      const cause = Object.assign(new Error(`getaddrinfo ENOTFOUND ${url.hostname}`), { code: 'ENOTFOUND' })
      return Promise.reject(new TypeError('fetch failed', { cause }))
    }
    return fetch(`http://127.0.0.1:${this.#port}${url.pathname}`, init)
  }
}

describe('09.01: eight connections wake up, and the network is not there yet', () => {
  it('09.01: nobody burns attempts, children are left alone, and all are ready within five seconds of its return', async () => {
    await using server = await startFaultServer()
    const clock = new SimulatedClock()
    const network = new Network(clock, server.port)
    const remote = [1, 2, 3, 4].map((n) =>
      createConnection({
        name: `remote ${n}`,
        target: { url: `http://server-${n}.example/mcp` },
        fetch: network.fetch,
        clock,
        random: () => n / 10,
      }),
    )
    const children = [5, 6].map((n) => drivenChild({}, { clock, random: () => n / 10 }))
    const local = children.map(({ scene }) => scene.connection)
    const all = [...remote, ...local]
    await Promise.all(all.map((connection) => connection.connect()))
    clock.increment(10_000)
    const tell = (connections: Connection[], type: 'clock.jumped' | 'network.offline' | 'network.online') => {
      for (const { actor } of connections) actor.send({ type })
    }
    const pass = async (ms: number) => {
      for (let at = 0; at < ms; at += 100) {
        clock.increment(100)
        await turns(20)
      }
    }

    // Asleep: the servers let the sessions expire. The keepalive that was due fires in the same moment as everything else.
    network.up = false
    server.forgetSessions()
    const before = { dials: network.dials.length, initialized: server.count('initialize') }
    tell(all, 'network.offline')
    tell(all, 'clock.jumped')
    await pass(10_000)
    const failed = network.dials.slice(before.dials)
    for (const n of [1, 2, 3, 4]) {
      expect(failed.filter(({ host }) => host === `server-${n}.example`).length).toBeLessThanOrEqual(3)
    }
    const firsts = [1, 2, 3, 4].map((n) => failed.find(({ host }) => host === `server-${n}.example`)?.at ?? 0)
    expect(Math.max(...firsts) - Math.min(...firsts)).toBeGreaterThanOrEqual(500)
    expect(remote.map(({ actor }) => actor.getSnapshot().context.attempts)).toEqual([0, 0, 0, 0])
    expect(local.map(({ status }) => status)).toEqual(['ready', 'ready'])

    network.up = true
    tell(all, 'network.online')
    await pass(5_000)
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 'ready'))
    expect(server.count('initialize') - before.initialized).toBe(4)
    expect(children.map(({ scene }) => scene.starts.length)).toEqual([1, 1])
    await Promise.all(remote.map((connection) => connection.close()))
    for (const child of children) await child[Symbol.asyncDispose]()
  })

  it('09.01: the jump itself makes no probe count as missed and no deadline as passed', async () => {
    await using driven = drivenChild()
    const { scene, clock } = driven
    await scene.connection.connect()
    clock.increment(10_000)
    // A suspended process runs its late timers all at once.
    clock.increment(HOURS)
    await scene.received('ping')
    scene.connection.actor.send({ type: 'clock.jumped' })
    await turns(50)
    expect(scene.connection.status).toBe('ready')
    expect(scene.starts).toHaveLength(1)
  })
})

describe('09.02: a child that lives, but was stopped with the machine', () => {
  it('09.02: and goes on again is asked once and kept', async () => {
    await using driven = drivenChild()
    const { scene, clock } = driven
    await scene.connection.connect()
    clock.increment(10_000)
    const [pid = 0] = scene.pids
    process.kill(pid, 'SIGSTOP')
    scene.connection.actor.send({ type: 'clock.jumped' })
    clock.increment(2_000)
    process.kill(pid, 'SIGCONT')
    await scene.received('ping')
    await passing(clock, () => scene.connection.rttMs !== undefined, 0)
    clock.increment(10_000)
    expect(scene.connection.status).toBe('ready')
    expect(scene.pids).toEqual([pid])
    expect(scene.messages('ping')).toHaveLength(1)
  })

  it('09.02: and stays silent is replaced, by force', async () => {
    await using driven = drivenChild()
    const { scene, clock } = driven
    await scene.connection.connect()
    const [pid = 0] = scene.pids
    process.kill(pid, 'SIGSTOP')
    scene.connection.actor.send({ type: 'clock.jumped' })
    clock.increment(1_000)
    clock.increment(5_000)
    expect(scene.connection.status).toBe('ready')
    clock.increment(5_000)
    expect(scene.connection.fault?.code).toBe('probe.unanswered')
    await passing(clock, () => scene.connection.status === 'ready')
    expect(isAlive(pid)).toBe(false)
    expect(scene.living).toEqual([scene.pids[1]])
  })
})
