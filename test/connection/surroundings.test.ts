/** Sleep and wake, network gone and back: what the process notices, and what a connection makes of it. */
import { describe, expect, it } from 'vitest'
import { SimulatedClock } from 'xstate'
import type { SurroundingEvent } from '../../machines/types.js'
import { Surroundings } from '../../src/connection/surroundings.js'
import { createConnection } from '../../src/index.js'
import { hang } from '../../src/testing/fault-server/index.js'
import { connected, turns } from '../reports/rig.js'

/** A clock whose timers fire when the test says so, however late: as after a sleep. */
class ManualClock {
  at = 1_000
  readonly timers = new Map<number, () => void>()
  #ids = 0
  unreffed = 0
  now(): number {
    return this.at
  }
  setTimeout(fn: () => void): unknown {
    const id = ++this.#ids
    this.timers.set(id, fn)
    return { id, unref: () => this.unreffed++ }
  }
  clearTimeout(timer: unknown): void {
    if (typeof timer === 'object' && timer !== null && 'id' in timer) this.timers.delete(Number(timer.id))
  }
  /** The timer that is due fires after so much time. */
  fire(afterMs: number): void {
    this.at += afterMs
    const [[id, fn] = []] = this.timers
    if (id !== undefined) this.timers.delete(id)
    fn?.()
  }
}

describe('the clock', () => {
  function watched() {
    const clock = new ManualClock()
    const surroundings = new Surroundings(clock)
    const events: SurroundingEvent[] = []
    const end = surroundings.watch((event) => events.push(event))
    return { clock, surroundings, events, end }
  }

  it('that goes on as ever is nothing to tell; nor is a process that was busy for a while', () => {
    const { clock, events } = watched()
    for (const ms of [5_000, 5_001, 14_000, 5_000]) clock.fire(ms)
    expect(events).toEqual([])
  })

  it('that jumps tells of a sleep, once for each', () => {
    const { clock, events } = watched()
    clock.fire(5_000)
    clock.fire(8 * 3_600_000)
    clock.fire(5_000)
    expect(events).toEqual([{ type: 'clock.jumped' }])
    clock.fire(16_000)
    expect(events).toHaveLength(2)
  })

  it('that is set back tells nothing, and is watched on', () => {
    const { clock, events } = watched()
    clock.fire(-3_600_000)
    clock.fire(5_000)
    expect(events).toEqual([])
    clock.fire(60_000)
    expect(events).toHaveLength(1)
  })

  it('is looked at by one timer for all, which holds no process open and ends with the last of them', () => {
    const { clock, surroundings, end } = watched()
    const more = [1, 2, 3].map(() => surroundings.watch(() => {}))
    expect(clock.timers.size).toBe(1)
    expect(clock.unreffed).toBe(1)
    for (const stop of more) stop()
    more[0]?.()
    expect(clock.timers.size).toBe(1)
    end()
    expect(clock.timers.size).toBe(0)
    surroundings.watch(() => {})
    expect(clock.timers.size).toBe(1)
  })

  it('tells the others although one of them leaves meanwhile', () => {
    const { clock, surroundings, events } = watched()
    const stop = surroundings.watch(() => stop())
    let heard = 0
    surroundings.watch(() => heard++)
    clock.fire(60_000)
    expect([events.length, heard]).toEqual([1, 1])
  })
})

it('a connection under a driven clock takes a jump of it for no sleep', async () => {
  const clock = new SimulatedClock()
  const connection = createConnection({ name: 'test', target: { url: 'http://127.0.0.1:9/mcp' }, clock })
  const events: string[] = []
  connection.actor.subscribe({ next: (snapshot) => events.push(JSON.stringify(snapshot.value)) })
  clock.increment(8 * 3_600_000)
  await turns(2)
  expect(events).toEqual([])
  await connection.close()
})

const health = (value: unknown): unknown => JSON.parse(JSON.stringify(value)).linked?.ready?.health

describe('a connection that wakes up', () => {
  it.each(['clock.jumped', 'network.online'] as const)('by %s is probed once, within two seconds', async (type) => {
    await using it = await connected()
    const { actor } = it.connection
    await it.pass(10_000)
    actor.send({ type })
    expect(health(actor.getSnapshot().value)).toBe('waking')
    await it.pass(900)
    expect(it.server.count('ping')).toBe(0)
    await it.pass(1_100)
    expect(it.server.count('ping')).toBe(1)
    await it.pass(20_000)
    expect(it.server.count('ping')).toBe(1)
    expect(it.losses).toEqual([])
  })

  it('by many signs in a row is probed once all the same', async () => {
    await using it = await connected()
    for (let n = 0; n < 5; n++) {
      for (const type of ['clock.jumped', 'network.online'] as const) it.connection.actor.send({ type })
    }
    await it.pass(3_000)
    expect(it.server.count('ping')).toBe(1)
  })

  it('in the middle of a probe makes that probe void: its deadline has passed in sleep', async () => {
    await using it = await connected()
    it.server.once('ping', hang())
    await it.pass(10_000)
    it.clock.increment(30_000)
    await it.server.seen('ping')
    it.connection.actor.send({ type: 'clock.jumped' })
    await it.pass(20_000)
    expect(it.losses).toEqual([])
    expect(it.connection.status).toBe('ready')
  })

  it('is spread over two seconds, so that a hundred do not ask at once', async () => {
    const pauses: number[] = []
    for (const chance of [0, 0.25, 0.5, 0.99]) {
      await using it = await connected({ random: () => chance })
      it.connection.actor.send({ type: 'clock.jumped' })
      pauses.push(await it.passUntil(() => it.server.count('ping') === 1, 3_000, 50))
    }
    expect(pauses).toEqual([50, 500, 1_000, 2_000])
  })

  it('whose session has expired meanwhile gets one new session', async () => {
    await using it = await connected()
    it.server.forgetSessions()
    it.connection.actor.send({ type: 'clock.jumped' })
    await it.pass(3_000)
    expect(it.server.count('initialize')).toBe(2)
    expect(it.connection.status).toBe('ready')
  })
})

describe('a connection on another machine that loses the network', () => {
  /** The same fault server under a name that is not this machine's. */
  async function remote() {
    let isUp = true
    let dials = 0
    const it = await connected()
    const away: typeof fetch = (input, init) => {
      dials += 1
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      if (isUp) return fetch(`${it.server.origin}${pathname}`, init)
      const cause = Object.assign(new Error('no route'), { code: 'ENETUNREACH' })
      return Promise.reject(new TypeError('fetch failed', { cause }))
    }
    const connection = createConnection({
      name: 'remote',
      target: { url: 'http://server.example/mcp' },
      clock: it.clock,
      random: () => 0.5,
      fetch: away,
    })
    await connection.connect()
    return {
      it,
      connection,
      get dials() {
        return dials
      },
      set up(up: boolean) {
        isUp = up
      },
    }
  }

  it('burns no attempt, looks every half minute, and is back within a moment of its return', async () => {
    const rig = await remote()
    const { it, connection } = rig
    await using _ = it
    rig.up = false
    connection.actor.send({ type: 'network.offline' })
    const call = connection.request('tools/list', undefined, { timeoutMs: 600_000 })
    await it.pass(1_000)
    expect(connection.status).toBe('backoff')
    const before = rig.dials
    await it.pass(120_000, 1_000)
    expect(connection.actor.getSnapshot().context.attempts).toBe(0)
    expect(rig.dials - before).toBeLessThanOrEqual(4)
    rig.up = true
    connection.actor.send({ type: 'network.online' })
    await it.pass(1_000, 50)
    expect(connection.status).toBe('ready')
    await call
    await connection.close()
  })

  it('is found again although nobody tells of its return', async () => {
    const rig = await remote()
    const { it, connection } = rig
    await using _ = it
    rig.up = false
    connection.actor.send({ type: 'network.offline' })
    void connection.request('tools/list', undefined, { timeoutMs: 600_000 })
    await it.pass(1_000)
    rig.up = true
    const tookMs = await it.passUntil(() => connection.status === 'ready', 60_000, 1_000)
    expect(tookMs).toBeLessThanOrEqual(40_000)
    await connection.close()
  })

  it('is told so on loopback too, where it changes nothing', async () => {
    await using it = await connected()
    it.connection.actor.send({ type: 'network.offline' })
    await it.pass(60_000, 1_000)
    expect(it.connection.status).toBe('ready')
    await it.call()
    expect(it.losses).toEqual([])
  })
})
