/**
 * An event stream that outlives a message over the size limit: all answers of a session come on the one stream, so the
 * session must not be lost for one of them. The message is let go by, and only its two ends are kept, which tell whose
 * answer it was.
 */
import { EventStream, type EventStreamListener } from '../web/index.js'

export interface LastingStreamListener extends Omit<EventStreamListener, 'oversize' | 'named'> {
  named(event: string, data: string): void
  /** A message over the limit went by: what it began and ended with. */
  oversize(head: string, tail: string): void
}

const headChars = 4096
const tailChars = 512
const blankLine = /\r\n\r\n|\n\n|\r\r/

export class LastingStream {
  readonly #listener: LastingStreamListener
  readonly #maxMessageBytes: number
  readonly #decoder = new TextDecoder()
  #events: EventStream
  /** Events that came whole. */
  #count = 0
  /** The beginning of the event that is not whole yet. */
  #head = ''
  /** While a message is let go by: the last of it. */
  #tail: string | undefined

  constructor(listener: LastingStreamListener, maxMessageBytes: number) {
    this.#listener = listener
    this.#maxMessageBytes = maxMessageBytes
    this.#events = this.#read()
  }

  /** The last `retry:` of the server. */
  get retryMs(): number | undefined {
    return this.#events.retryMs
  }

  feed(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true })
    if (this.#tail === undefined) this.#take(text)
    else this.#skip(this.#tail + text)
  }

  /** The stream is over: a last event that lacks only its blank line is still taken (report 03.11). */
  finish(): void {
    this.#events.finish()
  }

  #take(text: string): void {
    const before = this.#count
    this.#events.feedText(text)
    this.#note(text, this.#count !== before)
  }

  /** Runs for every chunk, and costs next to nothing when the chunk ends with its event, as most do. */
  #note(text: string, isAfterEvent: boolean): void {
    if (text.endsWith('\n\n') || text.endsWith('\n\r\n')) {
      this.#head = ''
      return
    }
    const start = lastEventStart(text)
    if (this.#tail !== undefined) this.#tail = text.slice(Math.max(start, text.length - tailChars))
    if (start > 0 || isAfterEvent) this.#head = text.slice(start, start + headChars)
    else if (this.#head.length < headChars) this.#head += text.slice(0, headChars)
  }

  #skip(text: string): void {
    const end = blankLine.exec(text)
    if (end === null) {
      this.#tail = text.slice(-tailChars)
      return
    }
    const tail = text.slice(Math.max(0, end.index - tailChars), end.index)
    const { retryMs } = this.#events
    this.#tail = undefined
    this.#events = this.#read()
    this.#events.retryMs = retryMs
    const head = this.#head.slice(0, headChars)
    this.#head = ''
    this.#listener.oversize(head, tail)
    this.#take(text.slice(end.index + end[0].length))
  }

  #read(): EventStream {
    const listener = this.#listener
    return new EventStream(
      {
        message: (value) => {
          this.#count += 1
          listener.message(value)
        },
        garbage: () => {
          this.#count += 1
          listener.garbage()
        },
        named: (event, data) => {
          this.#count += 1
          listener.named(event, data)
        },
        oversize: () => {
          this.#tail = ''
        },
      },
      this.#maxMessageBytes,
    )
  }
}

/** Where the event begins that `text` leaves unfinished; 0 when it began before. */
function lastEventStart(text: string): number {
  let start = 0
  for (const blank of ['\n\n', '\r\n\r\n', '\r\r']) {
    const at = text.lastIndexOf(blank)
    if (at !== -1) start = Math.max(start, at + blank.length)
  }
  return start
}
