import { SimulatedAuthorization } from './authorization/index.js'
import { isOfAuthorization } from './authorization-misfortunes.js'
import type { Chance } from './chance.js'
import { type ChildMisfortune, childMisfortunes } from './child-misfortunes.js'
import type { DrivenClock } from './driven-clock.js'
import { isOfServer, type SimulatedExchange } from './exchange.js'
import { HttpService } from './http-service.js'
import { SimulatedNetwork } from './network.js'
import { OvertakenChange } from './overtaken.js'
import { FIRST_PID, SimulatedProcesses } from './processes.js'
import type { Misfortune } from './schedule.js'
import { SimulatedServer } from './server.js'
import type { Trace } from './trace.js'
import type { Traits } from './traits.js'
import { SimulatedTransport } from './transport.js'

interface WorldOptions {
  /** Where the server is. */
  readonly address: string
  readonly traits: Traits
  readonly clock: DrivenClock
  readonly chance: Chance
  readonly trace: Trace
  readonly breach: (invariant: string, message: string) => void
  readonly seen: (exchange: SimulatedExchange) => void
  /** Ids of processes count from here. */
  readonly firstPid?: number
  readonly released: () => void
}

/** Everything outside of the connection: the server, the way to it, and what befalls both. */
export class SimulatedWorld {
  readonly server: SimulatedServer
  readonly service: HttpService
  readonly network: SimulatedNetwork
  readonly processes: SimulatedProcesses
  readonly overtaken = new OvertakenChange()
  /** Where every request needs a credential. */
  readonly authorization: SimulatedAuthorization | undefined
  readonly #clock: DrivenClock
  /** What is bad now, by kind; the last of a kind decides when it ends. */
  readonly #spells = new Map<string, number>()
  #spell = 0

  constructor({ address, traits, clock, chance, trace, breach, seen, released, firstPid = FIRST_PID }: WorldOptions) {
    this.#clock = clock
    this.server = new SimulatedServer(traits, clock, chance.of('server'), trace, breach)
    this.service = new HttpService(this.server, (ms, fn) => clock.plan(ms, fn))
    const { authorization: kind, grants } = traits
    this.authorization =
      kind === 'none'
        ? undefined
        : new SimulatedAuthorization({
            kind,
            traits: grants,
            service: this.service,
            address: new URL(address),
            clock,
            chance: chance.of('person'),
            trace,
            breach,
            released,
          })
    this.network = new SimulatedNetwork(
      clock,
      chance.of('network'),
      traits.latencyMs,
      this.service,
      (url) => this.authorization?.serviceOf(url),
      (exchange) => (isOfServer(exchange) ? seen : this.authorization?.watch.exchange)?.(exchange),
    )
    this.processes = new SimulatedProcesses({
      clock,
      chance: chance.of('processes'),
      traits: traits.child,
      server: this.server,
      firstPid,
      extraMs: () => this.network.extraMs,
    })
  }

  readonly open = (): SimulatedTransport => new SimulatedTransport(this.#clock, this.network, this.server)

  /** `wake` and `online` tell the connection what only its surroundings can know. */
  befall(step: Misfortune, tell: (event: 'network.offline' | 'network.online') => void): void {
    const { server, service, network, processes } = this
    if (isOfChild(step)) {
      processes.befall(step)
      return
    }
    if (isOfAuthorization(step)) {
      this.authorization?.befall(step)
      return
    }
    switch (step.do) {
      case 'cut':
        network.cut()
        processes.cut()
        break
      case 'refuse':
        network.refusing = true
        this.#until(step, () => {
          network.refusing = false
        })
        break
      case 'silence':
        network.silent = true
        this.#until(step, () => {
          network.silent = false
          if (step.breaks) network.cutSilent()
        })
        break
      case 'slow':
        network.extraMs = step.extraMs
        this.#until(step, () => {
          network.extraMs = 0
        })
        break
      case 'restart':
        this.#crash(step.downMs)
        break
      case 'crash loop':
        this.#crashAgain(step.times, step.upMs, step.downMs)
        break
      case 'expire sessions':
        server.expireSessions()
        break
      case 'split':
        server.replicas = step.replicas
        server.affinity = false
        this.#until(step, () => {
          server.replicas = 1
          server.affinity = true
        })
        break
      case 'stall':
        server.stall(step.ms)
        break
      case 'answer':
        service.standIn = { ...step, left: step.times }
        break
      case 'cut a call':
        service.cutsCall = step.when
        break
      case 'end streams':
        service.endStreams()
        break
      case 'ask':
        server.ask(step.what)
        break
      case 'change lists':
        this.overtaken.changed(network.exchanges)
        server.changeLists()
        break
      case 'sleep':
        if (step.hushes) network.hush()
        this.#clock.sleep(step.ms)
        break
      case 'offline':
        network.refusing = true
        network.cut()
        tell('network.offline')
        this.#until({ do: 'refuse', ms: step.ms }, () => {
          network.refusing = false
          tell('network.online')
        })
    }
  }

  /** From now on all is well, and stays so. */
  heal(): void {
    this.#spells.clear()
    const { server, service, network } = this
    network.silent = false
    network.refusing = false
    network.extraMs = 0
    network.cutSilent()
    service.standIn = undefined
    service.cutsCall = undefined
    server.replicas = 1
    server.affinity = true
    server.busyUntil = 0
    server.start()
    this.processes.heal()
    this.authorization?.heal()
  }

  #until({ do: kind, ms }: { do: string; ms: number }, end: () => void): void {
    const spell = this.#begin(kind)
    this.#clock.plan(ms, () => {
      if (this.#spells.get(kind) === spell) end()
    })
  }

  #crash(downMs: number): void {
    this.server.stop()
    this.network.cut()
    this.processes.cut()
    this.#until({ do: 'down', ms: downMs }, () => this.server.start())
  }

  #crashAgain(times: number, upMs: number, downMs: number): void {
    this.#crash(downMs)
    if (times > 1) this.#until({ do: 'crash loop', ms: downMs + upMs }, () => this.#crashAgain(times - 1, upMs, downMs))
  }

  #begin(kind: string): number {
    this.#spell += 1
    this.#spells.set(kind, this.#spell)
    return this.#spell
  }
}

const ofChild = new Set<string>(childMisfortunes)
const isOfChild = (step: Misfortune): step is ChildMisfortune => ofChild.has(step.do)
