/** Bodies that are read as a whole. */
import type { Clock } from '../../clock.js'
import { Decoder, textOf } from './decoding.js'
import type { Exchange } from './exchange.js'

/** What hears a body once the head has been judged. */
export interface BodySink {
  data(chunk: Uint8Array): void
  end(): void
  fail(error: unknown): void
}

/**
 * The text of a body that comes in chunks. Nearly every answer is one chunk. A longer one is decoded as it comes: to put
 * a megabyte together first would take the memory, and the time, of another one.
 */
export class Collected {
  #first: Uint8Array | undefined
  #decoder: Decoder | undefined
  #text = ''
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength
    if (this.#bytes === chunk.byteLength) {
      this.#first = chunk
      return
    }
    if (this.#first) {
      this.#decoder = new Decoder()
      this.#text = this.#decoder.write(this.#first)
      this.#first = undefined
    }
    if (this.#decoder) this.#text += this.#decoder.write(chunk)
  }

  /** What there is when nothing more comes. */
  text(): string {
    if (this.#decoder) return this.#text + this.#decoder.end()
    return this.#first ? textOf(this.#first) : ''
  }
}

const maxRefusalBytes = 64 * 1024
/** Also an error body can stall (report 03.09); what came of it by then is told. */
const refusalPatienceMs = 2_000

/** The body of an answer that is a failure already: as much of it as comes soon, told once. */
export class Refusal implements BodySink {
  readonly #collected = new Collected()
  readonly #clock: Clock
  readonly #timer: unknown
  readonly #exchange: () => Exchange | undefined
  readonly #told: (body: string) => void
  #over = false

  constructor(clock: Clock, exchange: () => Exchange | undefined, told: (body: string) => void) {
    this.#clock = clock
    this.#exchange = exchange
    this.#told = told
    this.#timer = clock.setTimeout(() => this.#cut(), refusalPatienceMs)
  }

  data(chunk: Uint8Array): void {
    this.#collected.add(chunk)
    if (this.#collected.bytes > maxRefusalBytes) this.#cut()
  }

  end(): void {
    this.#tell()
  }

  fail(): void {
    this.#tell()
  }

  /** Nobody is interested any more. */
  drop(): void {
    this.#over = true
    this.#clock.clearTimeout(this.#timer)
  }

  #cut(): void {
    this.#exchange()?.abort()
    this.#tell()
  }

  #tell(): void {
    if (this.#over) return
    this.drop()
    this.#told(this.#collected.text())
  }
}
