/** What we tell a server without asking: answers to its requests, and notifications. */
import type { JsonRpcMessage } from '../wire/messages.js'
import type { SendOptions, Wire } from '../wire/wire.js'
import type { LinkListener } from './port.js'

/** So often is one sent again: a server that refuses every credential is the chart's affair. */
const RESENDS = 2

/** The link of which they go out. */
export interface LettersHost {
  readonly wire: Wire
  readonly listener: Pick<LinkListener, 'onRefused'> | undefined
}

/** It waits for a new credential. */
interface Held {
  readonly message: JsonRpcMessage
  readonly go: () => void
}

/**
 * What the server refuses for its credential goes out again under the next one, as calls do: else a server that has asked
 * for something, and let a token run out meanwhile, would wait for ever.
 */
export class Letters {
  readonly #host: LettersHost
  #renewals = 0
  #closed = false
  #held: Held[] | undefined

  constructor(host: LettersHost) {
    this.#host = host
  }

  /** What waits for a new credential: a later link of the same session can still {@link take} it. */
  get held(): readonly JsonRpcMessage[] | undefined {
    return this.#held?.map(({ message }) => message)
  }

  /** Settles as {@link Wire.send} does, later where a credential was refused. */
  async send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    for (let left = RESENDS; ; left--) {
      const under = this.#renewals
      try {
        return await this.#host.wire.send(message, options)
      } catch (error) {
        if (this.#host.listener?.onRefused(error) !== true || left === 0) throw error
        // Refused for a credential that has been renewed meanwhile, it need not wait for another.
        if (under === this.#renewals) await this.#renewal(message)
        if (this.#closed) throw error
      }
    }
  }

  /** What was held on an earlier link of this session waits here. */
  take(messages: readonly JsonRpcMessage[]): void {
    for (const message of messages) void this.#goOn(message).catch(() => {})
  }

  /** There is another credential. */
  renewed(): void {
    this.#renewals++
    const held = this.#held ?? []
    this.#held = undefined
    for (const { go } of held) go()
  }

  /** Nothing is sent again any more. */
  close(): void {
    this.#closed = true
    this.renewed()
  }

  async #goOn(message: JsonRpcMessage): Promise<void> {
    await this.#renewal(message)
    if (!this.#closed) await this.send(message)
  }

  #renewal(message: JsonRpcMessage): Promise<void> {
    if (this.#closed) return Promise.resolve()
    return new Promise((go) => {
      this.#held ??= []
      this.#held.push({ message, go })
    })
  }
}
