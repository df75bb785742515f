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

  /**
   * A step of the call over a connection, with the options for what is left.
   *
   * @throws what the step does; a CallTimeoutError names the whole time, not what was left of it
   */
  async spend<T>(connection: Connection, step: (options: CallOptions) => Promise<T>): Promise<T> {
    const spent = Math.floor(elapsed(this.#clock) - this.#begunAt)
    const { timeoutMs = connection.actor.getSnapshot().context.policy.callMs, maxTotalMs } = this.#options
    if (spent <= 0) return step(this.#options)
    const left = (ms: number) => Math.max(1, ms - spent)
    try {
      return await step({
        ...this.#options,
        timeoutMs: left(timeoutMs),
        ...(maxTotalMs !== undefined && { maxTotalMs: left(maxTotalMs) }),
      })
    } catch (error) {
      if (!(error instanceof CallTimeoutError) || maxTotalMs !== undefined) throw error
      throw new CallTimeoutError(this.#method, timeoutMs, error.sent, error.fault)
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
