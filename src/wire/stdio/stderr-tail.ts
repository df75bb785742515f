import { StringDecoder } from 'node:string_decoder'

/** Kept beyond the tail, so that a secret that the cut would halve is still whole when it is redacted. */
const SLACK_BYTES = 1024
/** A line longer than this is passed on in pieces. */
const LONGEST_LINE = 8192

/**
 * The end of what a child wrote to stderr: bounded, whatever flows through. Text leaves only through `redact`, and
 * only in whole lines, so that no secret slips out in two halves.
 */
export class StderrTail {
  readonly #limit: number
  readonly #redact: (text: string) => string
  readonly #decoder = new StringDecoder('utf8')
  #tail: Buffer = Buffer.alloc(0)
  #cut = false
  #line = ''

  constructor(limit: number, redact: (text: string) => string) {
    this.#limit = limit
    this.#redact = redact
  }

  /** Keeps the chunk's share of the tail. */
  push(chunk: Buffer): void {
    const keep = this.#limit + SLACK_BYTES
    const before = this.#tail.subarray(Math.max(0, this.#tail.length + Math.min(chunk.length, keep) - keep))
    this.#cut ||= this.#tail.length + chunk.length > keep
    // concat copies, so the chunk (a slab of the stream's) is not kept alive
    this.#tail = Buffer.concat([before, chunk.subarray(Math.max(0, chunk.length - keep))])
  }

  /** The whole lines that the chunk completes, redacted; empty when it completes none. */
  lines(chunk: Buffer): string {
    const text = this.#line + this.#decoder.write(chunk)
    let cut = text.lastIndexOf('\n') + 1
    if (text.length - cut > LONGEST_LINE) cut = text.length
    this.#line = text.slice(cut)
    return cut === 0 ? '' : this.#redact(text.slice(0, cut))
  }

  /** The last line, when it has no newline. */
  rest(): string {
    const text = this.#line + this.#decoder.end()
    this.#line = ''
    return text === '' ? '' : this.#redact(text)
  }

  /** The last lines written, redacted, at most `limit` bytes of them; empty when nothing was written. */
  text(): string {
    let text = this.#tail.toString('utf8')
    if (this.#cut) {
      // The cut may have gone through a secret, whose rest no pattern knows: what it touched is not shown.
      const newline = text.indexOf('\n')
      text = newline !== -1 && newline < SLACK_BYTES ? text.slice(newline + 1) : text.replace(/^\S+/, '')
    }
    const redacted = Buffer.from(this.#redact(text).trimEnd())
    return redacted
      .subarray(Math.max(0, redacted.length - this.#limit))
      .toString('utf8')
      .replace(/^\uFFFD+/, '')
  }
}
