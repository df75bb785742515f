import { clampDelay } from '../../machines/backoff.js'
import type { CallOptions } from '../calls/index.js'
import { type Clock, elapsed } from '../clock.js'
import type { Connection } from '../connection/index.js'
import { CallTimeoutError } from '../errors.js'

/** Of a call that names no time, to a server that has no connection which would name one. */
const DEFAULT_MS = 60_000

/**
 * The time of one call through the hub. A server may have to be configured by a person first, to be started, to be asked
 * for its tools: all of that is paid from the time that the call has, and ends with the call's signal.
 */
export class Budget {
  readonly #clock: Clock
  readonly #method: string
  readonly #options: CallOptions
  readonly #begunAt: number

  constructor(clock: Clock, method: string, options: CallOptions) {
    this.#clock = clock
    this.#method = method
    this.#options = options
    this.#begunAt = elapsed(clock)
  }

  /** The options of the call for what is left of it. */
  optionsFor(connection: Connection): CallOptions {
    const spent = Math.floor(elapsed(this.#clock) - this.#begunAt)
    if (spent <= 0) return this.#options
    const { timeoutMs = connection.actor.getSnapshot().context.policy.callMs, maxTotalMs } = this.#options
    const left = (ms: number) => Math.max(1, ms - spent)
    return {
      ...this.#options,
      timeoutMs: left(timeoutMs),
      ...(maxTotalMs !== undefined && { maxTotalMs: left(maxTotalMs) }),
    }
  }

  /**
   * Waits for what has to be there first.
   *
   * @throws CallTimeoutError when it does not come in time, or the reason of the signal
   */
  wait<T>(step: Promise<T>): Promise<T> {
    const { timeoutMs = DEFAULT_MS, signal } = this.#options
    return new Promise<T>((resolve, reject) => {
      signal?.throwIfAborted()
      const finish = (settle: () => void) => {
        this.#clock.clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        settle()
      }
      const onAbort = () => finish(() => reject(signal?.reason))
      const late = () => finish(() => reject(new CallTimeoutError(this.#method, timeoutMs, false)))
      const leftMs = timeoutMs - (elapsed(this.#clock) - this.#begunAt)
      const timer: unknown = this.#clock.setTimeout(late, clampDelay(leftMs))
      signal?.addEventListener('abort', onAbort)
      step.then(
        (done) => finish(() => resolve(done)),
        (error: unknown) => finish(() => reject(error)),
      )
    })
  }
}
