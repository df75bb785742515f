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

  /** Of what is sent for the call: its time has begun already. */
  get options(): CallOptions {
    return { ...this.#options, since: this.#begunAt }
  }

  /**
   * Waits until the connection can be used.
   *
   * @throws CallTimeoutError when that takes longer than the call may, or what the connection has to say of it
   */
  async ready(connection: Connection): Promise<void> {
    const { timeoutMs = connection.actor.getSnapshot().context.policy.callMs, signal } = this.#options
    const leftMs = Math.max(1, timeoutMs - Math.floor(elapsed(this.#clock) - this.#begunAt))
    try {
      await connection.ready({ timeoutMs: leftMs, signal })
    } catch (error) {
      if (!(error instanceof CallTimeoutError)) throw error
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
