import type { SurroundingEvent } from '../../machines/types.js'
import { type Clock, systemClock } from '../clock.js'

/** How often the clock is looked at, in milliseconds. */
const TICK_MS = 5_000
/** A tick that comes later than this was held up by sleep, not by a busy machine. */
const JUMP_MS = 10_000

/** Browsers tell of the network here; Node has no such events. */
const host: {
  readonly setTimeout: unknown
  addEventListener?(type: string, listener: () => void): void
  removeEventListener?(type: string, listener: () => void): void
} = globalThis

type Listener = (event: SurroundingEvent) => void

/**
 * Tells every connection of the process when the machine slept or the network went and came. One timer serves all, and
 * holds no process open. Where the runtime knows of the network (browsers do), its word is passed on; elsewhere the
 * application may tell it to the actors itself.
 */
export class Surroundings {
  readonly #clock: Clock
  readonly #listeners = new Set<Listener>()
  #timer: unknown
  #dueAt = 0
  readonly #onOnline = () => this.#tell({ type: 'network.online' })
  readonly #onOffline = () => this.#tell({ type: 'network.offline' })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @returns what ends it */
  watch(listener: Listener): () => void {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#start()
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#stop()
    }
  }

  #start(): void {
    host.addEventListener?.('online', this.#onOnline)
    host.addEventListener?.('offline', this.#onOffline)
    this.#schedule()
  }

  #stop(): void {
    this.#clock.clearTimeout(this.#timer)
    host.removeEventListener?.('online', this.#onOnline)
    host.removeEventListener?.('offline', this.#onOffline)
  }

  #schedule(): void {
    this.#dueAt = this.#clock.now() + TICK_MS
    const timer: unknown = this.#clock.setTimeout(() => this.#tick(), TICK_MS)
    this.#timer = timer
    if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
      timer.unref()
  }

  #tick(): void {
    const late = this.#clock.now() - this.#dueAt
    this.#schedule()
    if (late > JUMP_MS) this.#tell({ type: 'clock.jumped' })
  }

  #tell(event: SurroundingEvent): void {
    for (const listener of [...this.#listeners]) listener(event)
  }
}

/** Of the real clock. A driven clock jumps whenever a test says so, which is no sleep. */
export const surroundings = new Surroundings(systemClock)
