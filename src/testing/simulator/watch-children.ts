import { CRASH_MEMORY } from '../../../machines/policy.js'
import type { Connection } from '../../connection/index.js'
import type { JsonRpcRequest } from '../../wire/messages.js'
import type { SimulatedApplication } from './application.js'
import type { SimulatedChild } from './child.js'
import { isForGood, type StartError } from './child-misfortunes.js'
import type { DrivenClock } from './driven-clock.js'
import type { ProcessWatcher, SimulatedProcesses } from './processes.js'
import { keyOf } from './server.js'

interface Watched {
  readonly connection: Connection
  readonly application: SimulatedApplication
  readonly processes: SimulatedProcesses
  readonly clock: DrivenClock
  readonly breach: (invariant: string, message: string) => void
  /** Somebody asked for something since the time of the clock. */
  readonly releasedAt: () => number
}

/** After the first sign of an end the other signs are waited for so long, in milliseconds. */
const LAST_WORDS_MS = 50
/** A call settles so soon after its reply is lost for good (promise P3). */
const LOSS_MS = 100 + LAST_WORDS_MS
/** Timers are whole milliseconds. */
const SLACK_MS = 5

/** What must hold of the processes that a connection starts. */
export class ChildWatch implements ProcessWatcher {
  readonly #watched: Watched
  /** The one that was started last, and when it showed first that it is of no more use. */
  #last: SimulatedChild | undefined
  #signAt: number | undefined
  #wasReady = false
  /** Those in a row that ended by themselves before they were ready. */
  #crashes = 0
  #crashedAt = 0
  #refusedAt: number | undefined
  /** Calls that were read and may not be answered yet, by the child that read them. */
  readonly #read = new WeakMap<SimulatedChild, string[]>()

  constructor(watched: Watched) {
    this.#watched = watched
    watched.processes.watcher = this
  }

  onStart(errno: StartError | undefined): void {
    const { breach, clock, processes, connection, releasedAt } = this.#watched
    if (processes.running.size > 0) breach('there is at most one child (P4)', `${processes.running.size} run already`)
    if (this.#refusedAt !== undefined && releasedAt() < this.#refusedAt)
      breach('a command that cannot be started is not tried again (P5)', `refused at ${this.#refusedAt}`)
    this.#refusedAt = isForGood(errno) ? clock.elapsed : undefined
    if (this.#wasReady || releasedAt() >= this.#crashedAt) this.#crashes = 0
    const { capMs } = connection.actor.getSnapshot().context.policy.backoff
    if (this.#crashes >= CRASH_MEMORY && clock.elapsed < this.#crashedAt + capMs - SLACK_MS)
      breach('a command that ends at every start gets a rest (P6)', `start after ${this.#crashes} early exits`)
    this.#wasReady = false
    this.#signAt = undefined
    this.#last = undefined
  }

  onSign(child: SimulatedChild): void {
    const { clock } = this.#watched
    if (child !== this.#current() || this.#signAt !== undefined) return
    this.#signAt = clock.elapsed
    if (child.isAsked) return
    if (!this.#wasReady) {
      this.#crashes += 1
      this.#crashedAt = clock.elapsed
    }
    clock.plan(LOSS_MS, () => this.#settled(this.#read.get(child) ?? []))
  }

  onRequest(child: SimulatedChild, request: JsonRpcRequest): void {
    const key = keyOf(request)
    const keys = this.#read.get(child) ?? []
    if (key !== undefined) this.#read.set(child, [...keys, key])
  }

  /** Looked at after every step. */
  look(): void {
    const { connection, clock, breach } = this.#watched
    if (connection.status !== 'ready') return
    this.#wasReady = true
    if (this.#signAt !== undefined && clock.elapsed > this.#signAt + LAST_WORDS_MS + SLACK_MS)
      breach('it is never ready over a wire known dead (P21)', `its process ended at ${this.#signAt}`)
  }

  #current(): SimulatedChild | undefined {
    this.#last ??= [...this.#watched.processes.running].at(-1)
    return this.#last
  }

  #settled(keys: readonly string[]): void {
    const { application, breach } = this.#watched
    const open = [...application.open].filter(({ key, unsafe }) => unsafe && keys.includes(key))
    for (const { key } of open)
      breach('a call settles soon after its reply is lost (P3)', `${key}, its process is gone`)
  }
}
