import type { JsonRpcMessage } from '../../wire/messages.js'
import type { SimulatedExchange } from './exchange.js'

/** How long a server takes to notice that whoever listened is gone without a word, in milliseconds. */
const NOTICE_MS = 20_000

/** One stream of events of a session, and whoever reads it just now. With ids, it can be gone on with. */
export class EventLog {
  readonly numbered: boolean
  readonly #name: string
  readonly #plan: (ms: number, fn: () => void) => void
  readonly #events: string[] = []
  #reader: SimulatedExchange | undefined
  #closed = false

  constructor(name: string, numbered: boolean, plan: (ms: number, fn: () => void) => void) {
    this.#name = name
    this.numbered = numbered
    this.#plan = plan
  }

  /** Somebody reads already, as far as the server can tell. */
  get taken(): boolean {
    const reader = this.#reader
    if (reader && (reader.silent || reader.over)) {
      this.#plan(NOTICE_MS, () => {
        if (this.#reader === reader) this.#reader = undefined
      })
    }
    return reader !== undefined
  }

  /** Somebody reads who is there. */
  get isRead(): boolean {
    return this.#reader !== undefined && !this.#reader.silent && !this.#reader.over && this.#reader.status !== undefined
  }

  /** @param after the number of the last event that came */
  join(reader: SimulatedExchange, after?: number): void {
    this.#reader = reader
    reader.onGone = () => {
      if (this.#reader === reader) this.#reader = undefined
    }
    if (after !== undefined) for (const event of this.#events.slice(after + 1)) reader.chunk(event)
    if (this.#closed) this.leave()
  }

  /** Without a message: an event that only gives an id to go on from. */
  push(message: JsonRpcMessage | undefined): void {
    const data = message === undefined ? 'data: \n\n' : `event: message\ndata: ${JSON.stringify(message)}\n\n`
    const event = this.numbered ? `id: ${this.#name}:${this.#events.length}\n${data}` : data
    // Without ids, what nobody reads now nobody will ever read.
    if (this.numbered) this.#events.push(event)
    this.#reader?.chunk(event)
  }

  close(): void {
    this.#closed = true
    this.leave()
  }

  /** Whoever reads is sent away. */
  leave(): void {
    const reader = this.#reader
    this.#reader = undefined
    reader?.end()
  }
}
