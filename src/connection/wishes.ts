import type { Calls } from '../calls/index.js'
import { RpcError } from '../errors.js'
import type { ConnectionRuntime } from '../link/index.js'

/** What the application asks the server to keep: told now, and remembered for every later session. */
export class Wishes {
  readonly #restoration: ConnectionRuntime['restoration']
  readonly #calls: Calls

  constructor({ restoration }: ConnectionRuntime, calls: Calls) {
    this.#restoration = restoration
    this.#calls = calls
  }

  async subscribe(uri: string): Promise<void> {
    const restoration = this.#restoration
    restoration.wantSubscription(uri)
    await this.#ask('resources/subscribe', { uri }, () => restoration.dropSubscription(uri))
    restoration.noteTold('subscription', uri)
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#restoration.dropSubscription(uri)
    await this.#ask('resources/unsubscribe', { uri })
  }

  async setLogLevel(level: string): Promise<void> {
    const restoration = this.#restoration
    const before = restoration.logLevel
    restoration.wantLogLevel(level)
    await this.#ask('logging/setLevel', { level }, () => {
      // What the server refuses leaves its level as it was, unless another was asked for meanwhile.
      if (restoration.logLevel === level) restoration.wantLogLevel(before)
    })
    restoration.noteTold('logLevel', level)
  }

  /** A request that does no harm when it is sent twice. What the server itself refuses is not wanted any more. */
  async #ask(method: string, params: Record<string, unknown>, refused?: () => void): Promise<void> {
    try {
      await this.#calls.call(method, params, { replay: 'always' })
    } catch (error) {
      if (error instanceof RpcError) refused?.()
      throw error
    }
  }
}
