import { type Connection, type ConnectionOptions, createConnection } from '../../connection/index.js'
import { addressOf, SimulatedApplication } from './application.js'
import { Chance } from './chance.js'
import { DrivenClock } from './driven-clock.js'
import { driveGlobals } from './global-clock.js'
import { ending, recovery } from './reckoning.js'
import { type Deed, isMisfortune, type Misfortune, type Schedule, type ScheduledStep } from './schedule.js'
import { Trace } from './trace.js'
import { type Breach, Watch } from './watch.js'
import { SimulatedWorld } from './world.js'

export interface SimulationOptions {
  /** Keep every line of the trace. Default `false`: only its hash. */
  readonly trace?: boolean
  /** Makes the connection from what the simulation gives. Default: `createConnection`. */
  readonly connect?: (options: ConnectionOptions) => Connection
}

/** What one schedule came to. */
export interface SimulationResult {
  readonly schedule: Schedule
  readonly breaches: readonly Breach[]
  /** The same schedule gives the same hash. */
  readonly hash: string
  readonly trace: readonly string[] | undefined
  readonly simulatedMs: number
  readonly faults: number
  readonly calls: number
  /** Calls that were never settled, or not in time. */
  readonly lost: number
  /** Unsafe calls that ran more than once. */
  readonly doubled: number
  /** Links that were begun. */
  readonly links: number
}

let running = false
let made = 0

/**
 * Runs one schedule: the real runtime over a simulated network, server and clock. While it runs the timers of the
 * process are driven, so that only one can run at a time and nothing else should.
 *
 * @throws Error when another simulation runs in this process
 */
export async function runSchedule(schedule: Schedule, options: SimulationOptions = {}): Promise<SimulationResult> {
  if (running) throw new Error('Another simulation runs in this process; they share its timers.')
  running = true
  const clock = new DrivenClock()
  const release = driveGlobals(clock)
  let unheard: (error: unknown) => void = () => {}
  try {
    const simulation = new Simulation(schedule, clock, options)
    unheard = (error) => simulation.watch.breach('no promise is rejected unheard', String(error))
    process.on('unhandledRejection', unheard)
    return await simulation.run()
  } finally {
    process.off('unhandledRejection', unheard)
    release()
    running = false
  }
}

class Simulation {
  readonly watch: Watch
  readonly #schedule: Schedule
  readonly #clock: DrivenClock
  readonly #trace: Trace
  readonly #world: SimulatedWorld
  readonly #connection: Connection
  readonly #application: SimulatedApplication

  constructor(schedule: Schedule, clock: DrivenClock, { trace, connect = createConnection }: SimulationOptions) {
    const { seed, traits, policy, trusted } = schedule
    const chance = new Chance(seed)
    this.#schedule = schedule
    this.#clock = clock
    this.#trace = new Trace(() => clock.elapsed, trace === true)
    this.watch = new Watch({ clock, trace: this.#trace, traits })
    const { breach, exchange } = this.watch
    this.#world = new SimulatedWorld({ traits, clock, chance, trace: this.#trace, breach, seen: exchange })
    const name = `simulated-${seed}-${++made}`
    this.#connection = connect({
      name,
      target: traits.wire === 'http' ? { url: addressOf(name), kind: 'http' } : { open: this.#world.open },
      policy,
      trusted,
      random: chance.of('connection').next,
      fetch: this.#world.network.fetch,
    })
    const { callMs } = this.#connection.actor.getSnapshot().context.policy
    this.#application = new SimulatedApplication(
      this.#connection,
      { clock, trace: this.#trace, trusted, callMs },
      breach,
    )
    this.watch.follow(this.#connection, this.#application, this.#world)
  }

  async run(): Promise<SimulationResult> {
    const { steps, lengthMs, traits, policy } = this.#schedule
    if (policy.onSessionLost === 'fail') this.watch.doom()
    for (const step of steps) this.#clock.plan(step.at, () => this.#take(step))
    await this.#pass(lengthMs)
    this.#trace.note('all is well')
    this.#world.heal()
    const parties = {
      connection: this.#connection,
      application: this.#application,
      world: this.#world,
      watch: this.watch,
      clock: this.#clock,
      traits,
      pass: this.#pass,
    }
    if (!this.#application.closed) await recovery(parties)
    await ending(parties)
    return this.#result()
  }

  #take(step: ScheduledStep): void {
    this.#trace.note(`step: ${JSON.stringify(step)}`)
    if (isMisfortune(step)) this.#befall(step as Misfortune)
    else this.#perform(step as Deed)
  }

  #befall(step: Misfortune): void {
    if (step.do === 'answer' && (step.status === 'page' || step.status === '403')) this.watch.doom()
    // What wakes goes on at once; so does what is told that the network is back.
    if (step.do === 'sleep') this.watch.released()
    this.#world.befall(step, (type) => {
      this.watch.released()
      if (this.#connection.status !== 'closed') this.#connection.actor.send({ type })
    })
  }

  #perform(deed: Deed): void {
    if (deed.do !== 'call') this.watch.released()
    if (deed.do === 'configure' && deed.policy.onSessionLost === 'fail') this.watch.doom()
    this.#application.perform(deed)
  }

  readonly #pass = async (ms: number, until?: () => boolean): Promise<boolean> => {
    const end = this.#clock.elapsed + Math.max(0, ms)
    await this.#clock.settle()
    for (;;) {
      if (until?.()) return true
      let ran: boolean
      try {
        ran = await this.#clock.step(end)
      } catch (error) {
        this.watch.breach('nothing throws', error instanceof Error ? (error.stack ?? error.message) : String(error))
        ran = true
      }
      this.watch.look()
      if (!ran) return until?.() ?? false
    }
  }

  #result(): SimulationResult {
    const { calls } = this.#application
    const runs = (key: string) => this.#world.server.runs.get(key) ?? 0
    const inTime = (call: (typeof calls)[number]) => (call.settledAt ?? Number.POSITIVE_INFINITY) <= call.deadline + 5
    return {
      schedule: this.#schedule,
      breaches: this.watch.breaches,
      hash: this.#trace.hash,
      trace: this.#trace.lines,
      simulatedMs: this.#clock.now() - new DrivenClock().now(),
      faults: this.#schedule.steps.filter(isMisfortune).length,
      calls: calls.length,
      lost: calls.filter((call) => !inTime(call)).length,
      doubled: calls.filter(({ key, unsafe }) => unsafe && runs(key) > 1).length,
      links: this.#connection.actor.getSnapshot().context.generation,
    }
  }
}
