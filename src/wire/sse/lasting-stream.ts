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
const blankLine = /\n\r?\n|\r\r/

export class LastingStream {
  readonly #listener: LastingStreamListener
  readonly #maxMessageBytes: number
  readonly #decoder = new TextDecoder()
  #events: EventStream
  /** The beginning of the event that is not whole yet. */
  #head = ''
  /** The last characters before what comes next. */
  #edge = ''
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
    this.#events.feedText(text)
    this.#note(text)
  }

  /** Runs for every chunk, and costs next to nothing when the chunk ends with its event, as most do. */
  #note(text: string): void {
    if (text.endsWith('\n\n') || text.endsWith('\n\r\n')) {
      this.#head = ''
      this.#edge = ''
      return
    }
    // A blank line can itself be cut in two.
    const joined = this.#edge + text
    const before = joined.length - text.length
    this.#edge = joined.slice(-2)
    const start = Math.max(0, lastEventStart(joined) - before)
    if (this.#tail !== undefined) this.#tail = text.slice(Math.max(start, text.length - tailChars))
    if (start > 0) this.#head = text.slice(start, start + headChars)
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
    this.#edge = ''
    this.#listener.oversize(head, tail)
    this.#take(text.slice(end.index + end[0].length))
  }

  #read(): EventStream {
    const listener = this.#listener
    return new EventStream(
      {
        message: (...event) => listener.message(...event),
        garbage: () => listener.garbage(),
        named: (event, data) => listener.named(event, data),
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
  for (const blank of ['\n\n', '\n\r\n', '\r\r']) {
    const at = text.lastIndexOf(blank)
    if (at !== -1) start = Math.max(start, at + blank.length)
  }
  return start
}
