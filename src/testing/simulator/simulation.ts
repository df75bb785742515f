import { type Connection, type ConnectionOptions, createConnection } from '../../connection/index.js'
import { processSystem, replaceProcessSystem } from '../../wire/stdio/system.js'
import { handlersOf } from './answering.js'
import { addressOf, SimulatedApplication } from './application.js'
import { Chance } from './chance.js'
import { isForGood } from './child-misfortunes.js'
import type { Crowd } from './crowd.js'
import { CrowdSimulation } from './crowd-simulation.js'
import { DrivenClock } from './driven-clock.js'
import { driveGlobals } from './global-clock.js'
import { type Pass, passing } from './pass.js'
import { ending, nothingLeft, recovery } from './reckoning.js'
import { isForGood as endsForGood } from './refusals.js'
import { type SimulationOptions, type SimulationResult, tally } from './result.js'
import { type Deed, isMisfortune, type Misfortune, type Schedule, type ScheduledStep } from './schedule.js'
import { Trace } from './trace.js'
import { Watch } from './watch.js'
import { SimulatedWorld } from './world.js'

let running = false
let made = 0

/**
 * Runs one schedule: the real runtime over a simulated network, server and clock. While it runs the timers of the
 * process are driven, so that only one can run at a time and nothing else should.
 *
 * @throws Error when another simulation runs in this process
 */
export async function runSchedule(
  schedule: Schedule | Crowd,
  options: SimulationOptions = {},
): Promise<SimulationResult> {
  if (running) throw new Error('Another simulation runs in this process; they share its timers.')
  running = true
  const clock = new DrivenClock()
  const release = driveGlobals(clock, new Chance(schedule.seed, 'crypto'))
  // Whatever the simulation puts in its place is gone afterwards.
  const restore = replaceProcessSystem(processSystem())
  let unheard: (error: unknown) => void = () => {}
  try {
    const simulation =
      'members' in schedule ? new CrowdSimulation(schedule, clock, options) : new Simulation(schedule, clock, options)
    unheard = (error) => simulation.breach('no promise is rejected unheard', String(error))
    process.on('unhandledRejection', unheard)
    return await simulation.run()
  } finally {
    process.off('unhandledRejection', unheard)
    release()
    restore()
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
  readonly #pass: Pass

  constructor(schedule: Schedule, clock: DrivenClock, { trace, connect = createConnection }: SimulationOptions) {
    const { seed, traits, policy, trusted } = schedule
    const chance = new Chance(seed)
    this.#schedule = schedule
    this.#clock = clock
    this.#trace = new Trace(() => clock.elapsed, trace === true)
    this.watch = new Watch({ clock, trace: this.#trace, traits })
    const { breach, exchange } = this.watch
    const name = `simulated-${seed}-${++made}`
    const address = addressOf(name)
    this.#world = new SimulatedWorld({
      address,
      traits,
      clock,
      chance,
      trace: this.#trace,
      breach,
      seen: exchange,
      released: () => this.watch.released(),
    })
    replaceProcessSystem(this.#world.processes)
    const { authorization, network } = this.#world
    this.#connection = connect({
      name,
      target: this.#target(name, address),
      authorizer: authorization?.authorizer(network.fetch),
      policy,
      trusted,
      random: chance.of('connection').next,
      client: {
        handlers: handlersOf({
          handles: traits.handles,
          chance: chance.of('application'),
          clock,
          breach,
          connection: () => this.#connection,
          calls: () => this.#application.open,
        }),
      },
      fetch: network.fetch,
    })
    const { callMs } = this.#connection.actor.getSnapshot().context.policy
    this.#application = new SimulatedApplication(
      this.#connection,
      { clock, trace: this.#trace, trusted, callMs },
      breach,
      (told, where) => this.watch.overhears(told, where),
    )
    this.#pass = passing({ clock, breach, look: () => this.watch.look() })
    this.watch.follow(
      this.#connection,
      this.#application,
      this.#world,
      traits.wire === 'stdio' ? this.#world.processes : undefined,
    )
    authorization?.follow(this.#connection)
  }

  get breach() {
    return this.watch.breach
  }

  #target(name: string, address: string): ConnectionOptions['target'] {
    const { wire } = this.#schedule.traits
    if (wire === 'stdio') return { command: name }
    return wire === 'http' ? { url: address, kind: 'http' } : { open: this.#world.open }
  }

  async run(): Promise<SimulationResult> {
    const { steps, lengthMs, traits, policy } = this.#schedule
    this.#trace.note(`a server: ${JSON.stringify(traits)}`)
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
    nothingLeft(this.#clock, [this.#world], this.breach)
    return this.#result()
  }

  #take(step: ScheduledStep): void {
    this.#trace.note(`step: ${JSON.stringify(step)}`)
    if (isMisfortune(step)) this.#befall(step as Misfortune)
    else this.#perform(step as Deed)
  }

  #befall(step: Misfortune): void {
    if (step.do === 'no start' && isForGood(step.errno)) this.watch.doom()
    if (step.do === 'answer' && endsForGood(step.status)) this.watch.doom()
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

  #result(): SimulationResult {
    const { calls } = this.#application
    return {
      schedule: this.#schedule,
      breaches: this.watch.breaches,
      hash: this.#trace.hash,
      trace: this.#trace.lines,
      simulatedMs: this.#clock.now() - new DrivenClock().now(),
      faults: this.#schedule.steps.filter(isMisfortune).length,
      ...tally(calls, ({ key }) => this.#world.server.runs.get(key) ?? 0),
      links: this.#application.links,
      tokens: this.#world.authorization?.watch.requests ?? 0,
      logins: this.#world.authorization?.logins ?? 0,
    }
  }
}
