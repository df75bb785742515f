import type { Calls } from '../calls/index.js'
import { elapsed } from '../clock.js'
import { RpcError } from '../errors.js'
import { type ConnectionRuntime, LOG_LEVEL } from '../link/index.js'

/** What the application asks the server to keep: told now, and remembered for every later session. */
export class Wishes {
  readonly #runtime: ConnectionRuntime
  readonly #calls: Calls

  constructor(runtime: ConnectionRuntime, calls: Calls) {
    this.#runtime = runtime
    this.#calls = calls
  }

  async subscribe(uri: string): Promise<void> {
    const { restoration } = this.#runtime
    restoration.wantSubscription(uri)
    await this.#ask(uri, 'resources/subscribe', { uri }, () => restoration.dropSubscription(uri))
    restoration.noteTold('subscription', uri)
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#runtime.restoration.dropSubscription(uri)
    await this.#ask(uri, 'resources/unsubscribe', { uri })
  }

  async setLogLevel(level: string): Promise<void> {
    const { restoration } = this.#runtime
    const before = restoration.logLevel
    restoration.wantLogLevel(level)
    await this.#ask(LOG_LEVEL, 'logging/setLevel', { level }, () => {
      // What the server refuses leaves its level as it was, unless another was asked for meanwhile.
      if (restoration.logLevel === level) restoration.wantLogLevel(before)
    })
    restoration.noteTold('logLevel', level)
  }

  /** A request that does no harm when it is sent twice. What the server itself refuses is not wanted any more. */
  async #ask(subject: string, method: string, params: Record<string, unknown>, refused?: () => void): Promise<void> {
    const { clock, policy } = this.#runtime
    const deadline = elapsed(clock) + policy.callMs
    try {
      // Whoever was before had an earlier deadline, so that there is time left.
      await this.#runtime.restoration.inTurn(subject, () => {
        const timeoutMs = Math.max(1, deadline - elapsed(clock))
        return this.#calls.call(method, params, { replay: 'always', timeoutMs })
      })
    } catch (error) {
      if (error instanceof RpcError) refused?.()
      throw error
    }
  }
}
