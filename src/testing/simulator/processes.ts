import type { JsonRpcRequest } from '../../wire/messages.js'
import type { ProcessSystem } from '../../wire/stdio/system.js'
import type { Chance } from './chance.js'
import { SimulatedChild } from './child.js'
import type { ChildMisfortune, StartError } from './child-misfortunes.js'
import type { ChildTraits } from './child-traits.js'
import type { DrivenClock } from './driven-clock.js'
import type { SimulatedServer } from './server.js'

/** Hears what happens on the system. */
export interface ProcessWatcher {
  onStart(errno: StartError | undefined): void
  onSign(child: SimulatedChild): void
  onRequest(child: SimulatedChild, request: JsonRpcRequest): void
}

interface SystemOptions {
  readonly clock: DrivenClock
  readonly chance: Chance
  readonly traits: ChildTraits
  readonly server: SimulatedServer
  readonly extraMs: () => number
  readonly firstPid: number
}

/** No system gives out such ids, should one ever get out of the simulation. */
export const FIRST_PID = 2 ** 30

/** An operating system as far as a wire of a child process sees it: it starts programs, and takes signals to them. */
export class SimulatedProcesses implements ProcessSystem {
  readonly platform: ChildTraits['platform']
  /** Those of which something runs. */
  readonly running = new Set<SimulatedChild>()
  watcher: ProcessWatcher | undefined
  readonly #options: SystemOptions
  #noStart: Extract<ChildMisfortune, { do: 'no start' }>[] = []
  #earlyExits: Extract<ChildMisfortune, { do: 'early exit' }>[] = []
  #lastCall: Extract<ChildMisfortune, { do: 'die on a call' }> | undefined
  #slowMs = 0
  #spell = 0
  #pid: number

  constructor(options: SystemOptions) {
    this.#options = options
    this.#pid = options.firstPid
    this.platform = options.traits.platform
  }

  readonly afterPipes: ProcessSystem['afterPipes'] = (callback) => {
    this.#options.clock.setTimeout(callback, 0)
  }

  readonly start: ProcessSystem['start'] = () => {
    const { server } = this.#options
    const errno = this.#noStart.shift()?.errno
    server.trace.note(`system: start ${errno ?? this.#pid + 1}`)
    this.watcher?.onStart(errno)
    if (errno !== undefined)
      return { failed: Promise.resolve(Object.assign(new Error(`spawn ${errno}`), { code: errno })) }
    this.#pid += 1
    const child = new SimulatedChild(this.#pid, {
      ...this.#options,
      lastCall: () => {
        const last = this.#lastCall
        this.#lastCall = undefined
        return last
      },
      onSign: (one) => {
        if (!one.isThere) this.running.delete(one)
        this.watcher?.onSign(one)
      },
      onRequest: (one, request) => this.watcher?.onRequest(one, request),
    })
    this.running.add(child)
    child.begin(this.#slowMs, this.#earlyExits.shift())
    return { child }
  }

  readonly kill: ProcessSystem['kill'] = (pid, signal) => {
    const group = [...this.running].find((child) => child.pid === -pid)
    if (!group) throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' })
    if (signal !== 0) this.#options.server.trace.note(`system: ${signal} to ${-pid}`)
    group.signal(signal)
  }

  /** `taskkill /PID n /T /F`, the only program that a wire runs beside its server. */
  readonly run: ProcessSystem['run'] = (_command, args) => {
    const child = [...this.running].find(({ pid, isAlive }) => isAlive && String(pid) === args[1])
    child?.signal('SIGKILL')
  }

  /** Each child that runs ends as if the machine had done it. */
  cut(): void {
    for (const child of [...this.running]) child.die({ code: null, signal: 'SIGKILL' })
  }

  befall(step: ChildMisfortune): void {
    switch (step.do) {
      case 'no start':
        this.#noStart = Array.from({ length: step.times }, () => step)
        break
      case 'early exit':
        this.#earlyExits = Array.from({ length: step.times }, () => step)
        break
      case 'slow start': {
        this.#slowMs = step.extraMs
        this.#spell += 1
        const spell = this.#spell
        this.#options.clock.plan(step.ms, () => {
          if (this.#spell === spell) this.#slowMs = 0
        })
        break
      }
      case 'die on a call':
        this.#lastCall = step
        break
      default:
        for (const child of [...this.running]) this.#befallChild(child, step)
    }
  }

  /** From now on all is well. */
  heal(): void {
    this.#noStart = []
    this.#earlyExits = []
    this.#lastCall = undefined
    this.#slowMs = 0
    for (const child of this.running) {
      child.freeze(false)
      child.deafen(false)
    }
  }

  #befallChild(child: SimulatedChild, step: ChildMisfortune): void {
    const { clock } = this.#options
    switch (step.do) {
      case 'die':
        child.die(step.end)
        break
      case 'read nothing':
        child.deafen(true)
        clock.plan(step.ms, () => child.deafen(false))
        break
      case 'freeze':
        child.freeze(true)
        clock.plan(step.ms, () => child.freeze(false))
        break
      case 'close stdout':
        child.closeStdout()
        break
      case 'babble':
        child.babble(step.on, step.lines)
    }
  }
}
