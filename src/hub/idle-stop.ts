import { clampDelay } from '../../machines/backoff.js'
import type { Clock } from '../clock.js'
import type { Connection } from '../connection/index.js'

/** Stops a connection that nobody has used for some time. The next call starts it again, as it starts any idle one. */
export class IdleStop {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #idleMs: number
  readonly #ends: readonly (() => void)[]
  #callsOpen = 0
  #timer: unknown

  constructor(connection: Connection, clock: Clock, idleMs: number) {
    this.#connection = connection
    this.#clock = clock
    this.#idleMs = idleMs
    const status = connection.status$.subscribe((now) => (now === 'ready' ? this.#wait() : this.#rest()))
    const use = connection.observeCalls(() => {
      this.#count(1)
      return () => this.#count(-1)
    })
    this.#ends = [() => status.unsubscribe(), use, () => this.#rest()]
  }

  isOf(connection: Connection, idleMs: number | undefined): boolean {
    return connection === this.#connection && idleMs === this.#idleMs
  }

  end(): void {
    for (const end of this.#ends) end()
  }

  #count(by: 1 | -1): void {
    this.#callsOpen += by
    this.#wait()
  }

  #rest(): void {
    this.#clock.clearTimeout(this.#timer)
  }

  #wait(): void {
    this.#rest()
    if (this.#callsOpen > 0 || this.#connection.status !== 'ready') return
    this.#timer = this.#clock.setTimeout(() => this.#stop(), clampDelay(this.#idleMs))
  }

  #stop(): void {
    // Who subscribed to a resource waits for news of it, without a call.
    if (this.#connection.checkpoint().subscriptions.length > 0) this.#wait()
    else this.#connection.disconnect().catch(() => {})
  }
}
