import { createConnection } from '../../connection/index.js'
import { type ProcessSystem, replaceProcessSystem } from '../../wire/stdio/system.js'
import { SimulatedApplication } from './application.js'
import { Chance } from './chance.js'
import { isForGood } from './child-misfortunes.js'
import { type Crowd, type CrowdStep, isForServer } from './crowd.js'
import { CrowdMate } from './crowd-mate.js'
import { CrowdWatch } from './crowd-watch.js'
import { DrivenClock } from './driven-clock.js'
import type { SimulatedExchange } from './exchange.js'
import { type Pass, passing } from './pass.js'
import { FIRST_PID } from './processes.js'
import { becomesReady, ending, nothingLeft, recovery } from './reckoning.js'
import { type SimulationOptions, type SimulationResult, tally } from './result.js'
import { isMisfortune } from './schedule.js'
import { Trace } from './trace.js'
import { Watch } from './watch.js'
import { SimulatedWorld } from './world.js'

/** So many of a crowd are asked whether they do everything again. */
const ASKED = 2

let made = 0

/** Several connections of one process, at two servers that share an origin. */
export class CrowdSimulation {
  readonly #crowd: Crowd
  readonly #name: string
  readonly #clock: DrivenClock
  readonly #trace: Trace
  readonly #watch: CrowdWatch
  readonly #worlds: readonly SimulatedWorld[]
  readonly #mates: readonly CrowdMate[]
  readonly #pass: Pass
  readonly #breaches: SimulationResult['breaches'][number][] = []
  /** Whose request is just going out. */
  #asking: { seen: (exchange: SimulatedExchange) => void } | undefined

  constructor(crowd: Crowd, clock: DrivenClock, { trace, connect = createConnection }: SimulationOptions) {
    this.#crowd = crowd
    this.#clock = clock
    this.#trace = new Trace(() => clock.elapsed, trace === true)
    this.#watch = new CrowdWatch(crowd, clock, this.breach)
    const chance = new Chance(crowd.seed)
    this.#name = `crowd-${crowd.seed}-${++made}`
    this.#worlds = [0, 1].map((place) => this.#makeWorld(new Chance(crowd.seed, `place ${place}`), place))
    replaceProcessSystem(this.#system())
    this.#mates = crowd.members.map((_, number) => this.#makeMate(number, chance.of(`member ${number}`), connect))
    this.#watch.follow(this.#mates)
    const look = () => {
      for (const { watch } of this.#mates) watch.look()
      this.#watch.look()
    }
    this.#pass = passing({ clock, breach: this.breach, look })
  }

  readonly breach = (invariant: string, message: string): void => {
    if (this.#breaches.some((known) => known.invariant === invariant)) return
    this.#breaches.push({ invariant, message, atMs: this.#clock.elapsed })
    this.#trace.note(`BREACH: ${invariant}: ${message}`)
  }

  async run(): Promise<SimulationResult> {
    const { steps, lengthMs, traits } = this.#crowd
    for (const step of steps) this.#clock.plan(step.at, () => this.#take(step))
    await this.#pass(lengthMs)
    this.#trace.note('all is well')
    for (const world of this.#worlds) world.heal()
    const parties = this.#mates.map(({ connection, application, watch, own, place }) => ({
      connection,
      application,
      watch,
      world: { ...this.#worldAt(place), network: own },
      clock: this.#clock,
      traits,
      pass: this.#pass,
    }))
    // What a connection does once it is ready does not hang on how many there are.
    for (const [number, one] of parties.entries()) await (number < ASKED ? recovery(one) : becomesReady(one))
    for (const one of parties) await ending(one)
    nothingLeft(this.#clock, this.#worlds, this.breach)
    return this.#result()
  }

  #makeWorld(chance: Chance, place: number): SimulatedWorld {
    const { traits, members } = this.#crowd
    const world = new SimulatedWorld({
      address: this.#addressOf(place),
      traits,
      clock: this.#clock,
      chance,
      trace: this.#trace,
      breach: this.breach,
      seen: (exchange) => this.#asking?.seen(exchange),
      released: () => {},
      firstPid: FIRST_PID + place * 1_000_000,
    })
    const most = members.filter((member) => member.place === place).length
    world.processes.watcher = {
      onStart: (errno) => {
        if (errno === undefined) this.#watch.start(place, world.processes.running.size, most)
      },
      onSign: () => {},
      onRequest: () => {},
    }
    return world
  }

  #addressOf(place: number): string {
    return `http://${this.#name}.test/${place}`
  }

  #worldAt(place: number): SimulatedWorld {
    const world = this.#worlds[place]
    if (!world) throw new RangeError(`no server ${place}`)
    return world
  }

  /** Each command has a system of its own behind the one that all see. */
  #system(): ProcessSystem {
    const { processes } = this.#worldAt(0)
    return {
      platform: processes.platform,
      afterPipes: processes.afterPipes,
      start: (target) => this.#worldAt(target.command.endsWith('-0') ? 0 : 1).processes.start(target),
      kill: (pid, signal) => {
        const world = this.#worlds.find((one) => [...one.processes.running].some((child) => child.pid === -pid))
        const system = (world ?? this.#worldAt(0)).processes
        system.kill(pid, signal)
      },
      run: (command, args) => {
        for (const world of this.#worlds) world.processes.run(command, args)
      },
    }
  }

  #makeMate(number: number, chance: Chance, connect: NonNullable<SimulationOptions['connect']>): CrowdMate {
    const { traits, members } = this.#crowd
    const { place = 0, policy } = members[number] ?? {}
    const world = this.#worldAt(place)
    const name = `${this.#name}-${number}`
    const watch = new Watch({ clock: this.#clock, trace: this.#trace, traits })
    const own = new OwnExchanges()
    const seen = (exchange: SimulatedExchange) => {
      own.add(exchange)
      watch.exchange(exchange)
      this.#watch.exchange(mate, exchange)
    }
    const connection = connect({
      name,
      target:
        traits.wire === 'stdio' ? { command: `${this.#name}-${place}` } : { url: this.#addressOf(place), kind: 'http' },
      policy,
      random: chance.next,
      fetch: (input, init) => {
        this.#asking = { seen }
        return world.network.fetch(input, init)
      },
    })
    const { callMs } = connection.actor.getSnapshot().context.policy
    const surrounding = { clock: this.#clock, trace: this.#trace, trusted: false, callMs, prefix: `${number}-` }
    const application = new SimulatedApplication(connection, surrounding, this.breach, (told, where) =>
      watch.overhears(told, where),
    )
    const mate = new CrowdMate({ place, connection, application, watch, own })
    watch.follow(connection, application, { ...world, network: own })
    watch.onReleased = () => this.#watch.wished(mate)
    return mate
  }

  #take(step: CrowdStep): void {
    this.#trace.note(`step: ${JSON.stringify(step)}`)
    if (isForServer(step)) {
      if (step.do === 'no start' && isForGood(step.errno))
        for (const { place, watch } of this.#mates) if (place === step.place) watch.doom()
      this.#worldAt(step.place).befall(step, () => {})
    } else this.#mates[step.member]?.perform(step)
  }

  #result(): SimulationResult {
    const breaches = [...this.#breaches, ...this.#mates.flatMap(({ watch }) => watch.breaches)]
    const ranOf = new Map(
      this.#mates.flatMap(({ application, place }) =>
        application.calls.map((call) => [call, this.#worldAt(place).server.runs.get(call.key) ?? 0] as const),
      ),
    )
    const calls = [...ranOf.keys()]
    return {
      schedule: this.#crowd,
      breaches: breaches.filter((one, at) => breaches.findIndex((other) => other.invariant === one.invariant) === at),
      hash: this.#trace.hash,
      trace: this.#trace.lines,
      simulatedMs: this.#clock.now() - new DrivenClock().now(),
      faults: this.#crowd.steps.filter(isMisfortune).length,
      ...tally(calls, (call) => ranOf.get(call) ?? 0),
      links: this.#mates.reduce((sum, mate) => sum + mate.connection.actor.getSnapshot().context.generation, 0),
      tokens: 0,
      logins: 0,
    }
  }
}

/** What one of many connections has under way. */
class OwnExchanges {
  readonly transports = new Set<never>()
  readonly #all = new Set<SimulatedExchange>()

  add(exchange: SimulatedExchange): void {
    this.#all.add(exchange)
  }

  get exchanges(): ReadonlySet<SimulatedExchange> {
    for (const exchange of this.#all) if (exchange.over) this.#all.delete(exchange)
    return this.#all
  }
}
