/**
 * A crowd at the gate: the real chart, the real gate and the real admission of a thousand connections, over a server that
 * is only times on a clock.
 */
import { type Actor, createActor, fromCallback, fromPromise } from 'xstate'
import {
  connectionChart,
  type LinkCommand,
  type LinkEvent,
  type LinkInput,
  type PolicyOptions,
} from '../../machines/index.js'
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

export interface CrowdOptions {
  /** In place of a seeded one. */
  readonly random?: () => number
  readonly backoff?: PolicyOptions['backoff']
  /** Whether they pass the gate. Default: they do. */
  readonly gated?: boolean
}

/** Connections to one server that answers within 20 ms, or refuses. */
export class Crowd {
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

  readonly #isGated: boolean

  constructor(size: number, seed: number, { random = seeded(seed), backoff, gated = true }: CrowdOptions = {}) {
    this.#isGated = gated
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
      createActor(chart, {
        clock: this.clock,
        input: sampleInput({ random, policy: { maxAttempts: 20, backoff } }),
      }).start(),
    )
  }

  #serve(tell: (event: LinkEvent) => void, receive: (listener: (command: LinkCommand) => void) => void): () => void {
    const ways = {
      tell,
      refuse: () => {
        throw new Error('no HTTP link is refused')
      },
    }
    const options = { insists: false, patienceMs: 10_000 }
    const door = this.#isGated ? this.gate.door({ url: 'https://one.test/mcp' }) : undefined
    const admission = new Admission(door, options, ways)
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
    if (this.ready.length !== this.actors.length) throw new Error(`${this.ready.length} are ready`)
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
