import type { Writable } from 'node:stream'

/** What is told when a message has been handed to the pipe: from then on the server may have it. */
export interface Parcel {
  sent(): void
}

interface Waiting {
  readonly line: string | Uint8Array
  readonly bytes: number
  readonly parcel: Parcel
}

/**
 * What goes to the child's stdin.
 *
 * While the pipe takes everything, messages go straight through. Once it does not, they wait here and not in the
 * stream, so that it stays known which of them cannot have been seen by the server: those are safe to send again on
 * another wire. A child that stops reading thus costs nobody a hanging `send`, and at most `limit` bytes.
 */
export class Outbox {
  readonly #stdin: Writable
  readonly #limit: number
  #busy = false
  #waiting: Waiting[] = []
  #waitingBytes = 0

  constructor(stdin: Writable, limit: number) {
    this.#stdin = stdin
    this.#limit = limit
  }

  /** Bytes that the child has not taken yet. */
  get queuedBytes(): number {
    return this.#waitingBytes + this.#stdin.writableLength
  }

  /** Takes a line; `false` when it does not fit and was not taken. */
  post(line: string | Uint8Array, parcel: Parcel): boolean {
    const room = this.#limit - this.queuedBytes
    // A UTF-16 unit makes at most three bytes: counting exactly is needed only near the limit.
    if (line.length * 3 > room && Buffer.byteLength(line) > room) return false
    if (this.#busy || !this.#stdin.writable) {
      const bytes = Buffer.byteLength(line)
      this.#waiting.push({ line, bytes, parcel })
      this.#waitingBytes += bytes
    } else {
      parcel.sent()
      this.#write(line)
    }
    return true
  }

  #write(line: string | Uint8Array): void {
    this.#stdin.write(line, this.#written)
    // Nothing left in the stream means that the kernel took it all within the call, as it does almost always.
    this.#busy = this.#stdin.writableLength > 0
  }

  readonly #written = (error?: Error | null): void => {
    // An error is also emitted by the stream, and ends the wire there.
    if (error || this.#stdin.writableLength > 0 || !this.#stdin.writable) return
    this.#busy = false
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    for (const { parcel } of waiting) parcel.sent()
    this.#write(Buffer.concat(waiting.map(({ line }) => (typeof line === 'string' ? Buffer.from(line) : line))))
  }
}
