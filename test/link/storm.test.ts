/**
 * A crowd at the gate: the real chart, the real gate and the real admission of a thousand connections, over a server that
 * is only times on a clock. Figures of the design, section 14.
 */
import { describe, expect, it } from 'vitest'
import { type Actor, createActor, fromCallback, fromPromise } from 'xstate'
import { connectionChart, type LinkCommand, type LinkEvent, type LinkInput } from '../../machines/index.js'
import type { Clock } from '../../src/clock.js'
import { Admission } from '../../src/link/admission.js'
import { Gate } from '../../src/link/gate/index.js'
import { sampleFault, sampleInput, sampleSession } from '../../src/testing/explorer/index.js'

/** Many timers, each in the millisecond it is due; whatever was promised in one has happened before the next. */
class CrowdClock implements Clock {
  readonly #due = new Map<number, Set<() => void>>()
  readonly #at = new Map<object, [number, () => void]>()
  #now = 0

  now(): number {
    return this.#now
  }
  setTimeout(fn: () => void, ms: number): object {
    const timer = {}
    const at = this.#now + Math.max(1, Math.ceil(ms))
    const due = this.#due.get(at) ?? new Set()
    const run = () => {
      this.#at.delete(timer)
      fn()
    }
    due.add(run)
    this.#due.set(at, due)
    this.#at.set(timer, [at, run])
    return timer
  }
  clearTimeout(timer: object): void {
    const [at, run] = this.#at.get(timer) ?? []
    this.#at.delete(timer)
    if (at !== undefined && run) this.#due.get(at)?.delete(run)
  }
  get timers(): number {
    return this.#at.size
  }
  async pass(ms: number): Promise<void> {
    await promised()
    for (const end = this.#now + ms; this.#now < end; ) {
      this.#now += 1
      const due = this.#due.get(this.#now)
      if (!due) continue
      this.#due.delete(this.#now)
      for (const run of due) run()
      await promised()
    }
  }
}

async function promised(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await Promise.resolve()
}

/** Small, seeded and good enough for spreading: mulberry32. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const never = () => fromPromise<never, never>(() => new Promise(() => {})) as never

/** Connections to one server that answers within 20 ms, or refuses. */
class Crowd {
  readonly clock = new CrowdClock()
  readonly gate = new Gate(this.clock)
  readonly dials: number[] = []
  readonly probes: number[] = []
  readonly ready: number[] = []
  readonly actors: Actor<typeof connectionChart>[]
  isAway = false
  /** Handshakes under way, and the most there have been. */
  open = 0
  most = 0
  readonly #tell = new Set<(event: LinkEvent) => void>()

  constructor(size: number, seed: number) {
    const random = seeded(seed)
    const link = fromCallback<LinkCommand, LinkInput>(({ sendBack, receive }) => {
      const tell = (event: LinkEvent) => this.#tell.has(tell) && sendBack(event)
      this.#tell.add(tell)
      const end = this.#serve(tell, receive)
      return () => {
        this.#tell.delete(tell)
        end()
      }
    })
    const actors = { link, login: fromCallback(() => {}), refresh: never(), exchange: never(), stepUp: never() }
    const release = fromPromise(() => Promise.resolve())
    const chart = connectionChart.provide({ actors: { ...actors, release } as never })
    this.actors = Array.from({ length: size }, () =>
      createActor(chart, { clock: this.clock, input: sampleInput({ random, policy: { maxAttempts: 20 } }) }).start(),
    )
  }

  #serve(tell: (event: LinkEvent) => void, receive: (listener: (command: LinkCommand) => void) => void): () => void {
    const ways = { tell, refuse: () => expect.unreachable('no HTTP link is refused') }
    const options = { insists: false, patienceMs: 10_000 }
    const admission = new Admission(this.gate.door({ url: 'https://one.test/mcp' }), options, ways)
    let shakes = false
    const shake = (is: boolean) => {
      this.open += Number(is) - Number(shakes)
      this.most = Math.max(this.most, this.open)
      shakes = is
    }
    const answer = (event: LinkEvent) =>
      this.clock.setTimeout(() => {
        const fault = sampleFault('transient', {}, { kind: 'network', phase: 'connecting', sent: false })
        if (event.type === 'link.initialized') {
          shake(false)
          admission.passed()
        }
        tell(this.isAway ? { type: 'fault', fault } : event)
      }, 20)
    void admission.entered.then((isIn) => {
      if (!isIn) return
      shake(true)
      this.dials.push(this.clock.now())
      answer({ type: 'link.opened' })
    })
    receive(({ type }) => {
      if (type === 'open') admission.ask()
      if (type === 'negotiate') answer({ type: 'link.initialized', session: sampleSession(false) })
      if (type === 'discover') answer({ type: 'link.discovered', complete: true })
      if (type !== 'probe') return
      this.probes.push(this.clock.now())
      answer({ type: 'probe.answered' })
    })
    return () => {
      shake(false)
      admission.leave()
    }
  }

  /** All are ready and have been for a while. */
  async settled(): Promise<this> {
    for (const actor of this.actors) {
      actor.on('connection.ready', () => this.ready.push(this.clock.now()))
      actor.send({ type: 'connect' })
    }
    await this.clock.pass(15_000)
    expect(this.ready).toHaveLength(this.actors.length)
    return this
  }

  lose(): void {
    this.isAway = true
    for (const tell of [...this.#tell]) tell({ type: 'fault', fault: sampleFault('transient') })
  }

  /** From now on: what is counted here, as shares of all; and when the last but 1 % were ready. */
  from(at: number) {
    const bins = (times: readonly number[]) => {
      const counts = new Map<number, number>()
      for (const time of times.filter((time) => time >= at)) {
        const bin = Math.floor((time - at) / 100)
        counts.set(bin, (counts.get(bin) ?? 0) + 1)
      }
      return Math.max(0, ...counts.values()) / this.actors.length
    }
    const back = this.ready.filter((time) => time >= at).map((time) => time - at)
    return {
      dials: bins(this.dials),
      probes: bins(this.probes),
      p99: back[Math.ceil(back.length * 0.99) - 1],
      back: back.length,
    }
  }

  /** What is left when all are closed: timers, and servers that the gate knows. */
  async left(): Promise<[number, number]> {
    for (const actor of this.actors) actor.send({ type: 'close' })
    await this.clock.pass(1)
    return [this.clock.timers, this.gate.size]
  }
}

async function outage(seed: number, demand: boolean) {
  const crowd = await new Crowd(1_000, seed).settled()
  crowd.lose()
  if (demand) for (const actor of crowd.actors) actor.send({ type: 'demand.raised' })
  await crowd.clock.pass(10_000)
  crowd.isAway = false
  const returnedAt = crowd.clock.now()
  await crowd.clock.pass(12_000)
  return { ...crowd.from(returnedAt), crowd }
}

describe('1,000 connections to one origin that is away for 10 s', () => {
  it.each([1, 2])(
    'come back spread out, and soon; nothing is left of them after (seed %i)',
    async (seed) => {
      const { dials, p99, back, crowd } = await outage(seed, false)
      console.log(`storm, seed ${seed}: at most ${(dials * 100).toFixed(1)} % dial in 100 ms, p99 back ${p99} ms`)
      expect(back).toBe(1_000)
      expect(dials).toBeLessThanOrEqual(0.05)
      expect(p99).toBeLessThanOrEqual(10_000)
      expect(crowd.most).toBeLessThanOrEqual(32)
      expect(await crowd.left()).toEqual([0, 0])
    },
    60_000,
  )

  it.each([1, 2])(
    'come back within 2.5 s while calls wait (seed %i)',
    async (seed) => {
      const { dials, p99, back } = await outage(seed, true)
      console.log(`storm with calls, seed ${seed}: at most ${(dials * 100).toFixed(1)} % in 100 ms, p99 back ${p99} ms`)
      expect(back).toBe(1_000)
      expect(dials).toBeLessThanOrEqual(0.12)
      expect(p99).toBeLessThanOrEqual(2_500)
    },
    60_000,
  )
})

describe('200 connections', () => {
  it('that wake together are probed over two seconds', async () => {
    const crowd = await new Crowd(200, 1).settled()
    const at = crowd.clock.now()
    for (const actor of crowd.actors) actor.send({ type: 'clock.jumped' })
    await crowd.clock.pass(2_500)
    expect(crowd.probes.filter((time) => time >= at)).toHaveLength(200)
    expect(crowd.from(at).probes).toBeLessThanOrEqual(0.12)
  })

  it('that lost the network and get it back dial over two seconds', async () => {
    const crowd = await new Crowd(200, 1).settled()
    for (const actor of crowd.actors) actor.send({ type: 'network.offline' })
    crowd.lose()
    await crowd.clock.pass(5_000)
    crowd.isAway = false
    const at = crowd.clock.now()
    for (const actor of crowd.actors) actor.send({ type: 'network.online' })
    await crowd.clock.pass(2_500)
    expect(crowd.from(at)).toMatchObject({ back: 200 })
    expect(crowd.from(at).dials).toBeLessThanOrEqual(0.12)
  })

  it('that begin together shake hands 32 at a time', async () => {
    const crowd = await new Crowd(200, 1).settled()
    expect(crowd.most).toBe(32)
  })
})
