const NEWLINE = 0x0a
/** How much of a line over the limit is kept, to find out whose answer it was. */
const HEAD_BYTES = 4096
const TAIL_BYTES = 256
const FIRST_CAPACITY = 64 * 1024
/** A buffer grown beyond this is let go after its line, so that one big answer does not cost memory for ever. */
const KEPT_CAPACITY = 256 * 1024

/** A line over the limit: its two ends and its size. The middle was never kept. */
export interface OversizeLine {
  readonly head: Buffer
  readonly tail: Buffer
  readonly bytes: number
}

export interface LineSink {
  /** One line without its newline, as a range of a buffer that is only valid during the call. Must not throw. */
  line(bytes: Buffer, start: number, end: number): void
  /** A line longer than the limit has ended. Must not throw. */
  oversize(line: OversizeLine): void
}

/**
 * Cuts a byte stream into lines. What a line is does not depend on how the stream was chunked: neither its content
 * (cut as bytes, so no character is ever split) nor whether it is over the limit.
 *
 * A line that lies within one chunk is passed on without being copied. One spread over many is gathered in a buffer
 * that doubles, so the work stays linear however small the chunks; memory stays below twice the limit.
 */
export class LineReader {
  readonly #limit: number
  readonly #sink: LineSink
  #held = Buffer.alloc(0)
  #length = 0
  #skipping: { head: Buffer; tail: Buffer; bytes: number } | undefined

  constructor(limit: number, sink: LineSink) {
    this.#limit = limit
    this.#sink = sink
  }

  /** Whether a line has begun and not ended: bytes of it are proof that somebody is writing it. */
  get midLine(): boolean {
    return this.#length > 0 || this.#skipping !== undefined
  }

  push(chunk: Buffer): void {
    let start = 0
    while (start < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, start)
      if (newline === -1) {
        this.#hold(chunk, start, chunk.length)
        return
      }
      this.#finish(chunk, start, newline)
      start = newline + 1
    }
  }

  /** The stream ended: a last line without its newline counts. */
  end(): void {
    if (this.midLine) this.#finish(this.#held, 0, 0)
  }

  #finish(chunk: Buffer, start: number, end: number): void {
    if (!this.midLine && end - start <= this.#limit) {
      this.#sink.line(chunk, start, end)
      return
    }
    this.#hold(chunk, start, end)
    const skipped = this.#skipping
    if (skipped) {
      this.#skipping = undefined
      this.#sink.oversize(skipped)
      return
    }
    const held = this.#held
    const length = this.#length
    this.#length = 0
    this.#sink.line(held, 0, length)
    if (held.length > KEPT_CAPACITY) this.#held = Buffer.alloc(0)
  }

  #hold(chunk: Buffer, start: number, end: number): void {
    const size = end - start
    if (this.#skipping) {
      const missing = HEAD_BYTES - this.#skipping.head.length
      if (missing > 0) {
        const more = chunk.subarray(start, Math.min(end, start + missing))
        this.#skipping.head = Buffer.concat([this.#skipping.head, more])
      }
      this.#skipping.bytes += size
      this.#skipping.tail = lastBytes(this.#skipping.tail, chunk, start, end)
      return
    }
    const length = this.#length + size
    if (length > this.#limit) {
      const begun = this.#held.subarray(0, this.#length)
      const missing = Math.max(0, HEAD_BYTES - begun.length)
      this.#skipping = {
        head: Buffer.concat([begun.subarray(0, HEAD_BYTES), chunk.subarray(start, Math.min(end, start + missing))]),
        tail: lastBytes(begun, chunk, start, end),
        bytes: length,
      }
      this.#held = Buffer.alloc(0)
      this.#length = 0
      return
    }
    if (length > this.#held.length) this.#grow(length)
    chunk.copy(this.#held, this.#length, start, end)
    this.#length = length
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafe(Math.max(FIRST_CAPACITY, needed, Math.min(this.#limit, this.#held.length * 2)))
    this.#held.copy(grown, 0, 0, this.#length)
    this.#held = grown
  }
}

function lastBytes(before: Buffer, chunk: Buffer, start: number, end: number): Buffer {
  const piece = chunk.subarray(Math.max(start, end - TAIL_BYTES), end)
  // concat copies, so the chunk itself (a slab of the stream's) is not kept alive
  return Buffer.concat([before.subarray(Math.max(0, before.length - (TAIL_BYTES - piece.length))), piece])
}
