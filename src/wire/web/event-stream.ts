/** Server-sent events as MCP uses them: JSON-RPC in `data`, ids for resuming, `retry:`, comments as signs of life. */
import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser'
import { Decoder } from './decoding.js'

export interface EventStreamListener {
  /** The parsed JSON of one event, with its own id and its words. */
  message(value: unknown, id: string | undefined, data: string): void
  /** An event's data was no JSON. */
  garbage(): void
  /** A message is larger than the limit; the stream cannot be read on. */
  oversize(): void
  /** A whole event of another type than a message's. Default: skipped. */
  named?(event: string, data: string): void
}

export class EventStream {
  readonly #listener: EventStreamListener
  readonly #decoder = new Decoder()
  readonly #parser: EventSourceParser
  #flushing = false
  #dead = false
  /** Id of the last event that came whole, to resume after it. */
  lastEventId: string | undefined
  /** The last `retry:` of the stream, as sent. */
  retryMs: number | undefined

  constructor(listener: EventStreamListener, maxMessageBytes: number) {
    this.#listener = listener
    this.#parser = createParser({
      onEvent: (event) => this.#event(event),
      onRetry: (ms) => {
        this.retryMs = ms
      },
      onError: ({ type }) => {
        if (type !== 'max-buffer-size-exceeded') return
        this.#dead = true
        listener.oversize()
      },
      maxBufferSize: maxMessageBytes,
    })
  }

  feed(chunk: Uint8Array): void {
    if (!this.#dead) this.#parser.feed(this.#decoder.write(chunk))
  }

  /** The same for text, where the bytes are decoded elsewhere. */
  feedText(text: string): void {
    if (!this.#dead) this.#parser.feed(text)
  }

  /** The stream is over: a last frame that lacks its blank line is still taken when it is whole (report 03.11). */
  finish(): void {
    if (this.#dead) return
    this.#flushing = true
    this.#parser.feed(`${this.#decoder.end()}\n\n`)
  }

  #event({ id, event, data }: EventSourceMessage): void {
    const named = event !== undefined && event !== 'message' && event !== 'response'
    if (named || data === '') {
      if (this.#flushing) return
      this.#keep(id)
      if (named) this.#listener.named?.(event, data)
      return
    }
    let value: unknown
    try {
      value = JSON.parse(data)
    } catch {
      // A frame that the end of the stream cut in two: taking its id would make a resume skip the message.
      if (this.#flushing) return
      this.#keep(id)
      this.#listener.garbage()
      return
    }
    this.#keep(id)
    this.#listener.message(value, id, data)
  }

  /** An empty id takes back the last one (HTML standard, 9.2.6). */
  #keep(id: string | undefined): void {
    if (id !== undefined) this.lastEventId = id === '' ? undefined : id
  }
}
