/** What we tell a server without asking: answers to its requests, and notifications. */
import type { JsonRpcMessage } from '../wire/messages.js'
import type { SendOptions, Wire } from '../wire/wire.js'
import type { LinkListener } from './port.js'

/** So often is one sent again: a server that refuses every credential is the chart's affair. */
const RESENDS = 2

/** While a person logs in a server may ask again and again, and gives up what was not answered: the last ones are held. */
const MOST_HELD = 16

/** The link of which they go out. */
export interface LettersHost {
  readonly wire: Wire
  readonly listener: Pick<LinkListener, 'onRefused'> | undefined
}

/** It waits for a new credential. */
interface Held {
  readonly letter: JsonRpcMessage
  /** Goes on, or is given up. */
  readonly settle: (goesOn: boolean) => void
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
    return this.#held?.map(({ letter }) => letter)
  }

  /** Settles as {@link Wire.send} does, later where a credential was refused. */
  async send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    for (let left = RESENDS; ; left--) {
      const under = this.#renewals
      try {
        return await this.#host.wire.send(message, options)
      } catch (error) {
        if (!(await this.#helped(message, error, under, left))) throw error
      }
    }
  }

  /** What was held on an earlier link of this session waits here. */
  take(messages: readonly JsonRpcMessage[]): void {
    for (const message of messages) void this.#goOn(message).catch(() => {})
  }

  /** There is another credential. */
  renewed(): void {
    this.#settleAll(true)
  }

  /** Nothing is sent again any more. */
  close(): void {
    this.#closed = true
    this.#settleAll(false)
  }

  /** It was refused; resolves with `true` once there is another credential than the one under which it was sent. */
  #helped(message: JsonRpcMessage, error: unknown, under: number, left: number): Promise<boolean> | boolean {
    if (left === 0) {
      this.#host.listener?.onRefused(error)
      return false
    }
    // Held before anybody hears of it: the refusal can be the end of this link, and a later one takes along what is held.
    const renewal = this.#hold(message)
    const mayHelp = this.#host.listener?.onRefused(error) === true
    if (mayHelp && under === this.#renewals) return renewal
    this.#drop(message)
    return mayHelp && !this.#closed
  }

  async #goOn(message: JsonRpcMessage): Promise<void> {
    if (await this.#hold(message)) await this.send(message)
  }

  #hold(message: JsonRpcMessage): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false)
    return new Promise((settle) => {
      this.#held ??= []
      this.#held.push({ letter: message, settle })
      if (this.#held.length > MOST_HELD) this.#held.shift()?.settle(false)
    })
  }

  #drop(message: JsonRpcMessage): void {
    this.#held = this.#held?.filter((one) => one.letter !== message)
  }

  #settleAll(goOn: boolean): void {
    this.#renewals++
    const held = this.#held ?? []
    this.#held = undefined
    for (const { settle } of held) settle(goOn)
  }
}
