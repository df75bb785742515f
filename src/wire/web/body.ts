/** Bodies that are read as a whole. */
import type { Clock } from '../../clock.js'
import type { Exchange } from './exchange.js'

const decoder = new TextDecoder()

/** Node's own decoding takes half the time of TextDecoder, which browsers have; both leave a byte order mark out. */
function textOf(bytes: Uint8Array): string {
  if (typeof Buffer === 'undefined') return decoder.decode(bytes)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

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
  #decoder: InstanceType<typeof TextDecoder> | undefined
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
    if (this.#decoder === undefined) {
      this.#decoder = new TextDecoder()
      this.#text = this.#decoder.decode(this.#first, { stream: true })
      this.#first = undefined
    }
    this.#text += this.#decoder.decode(chunk, { stream: true })
  }

  /** What there is when nothing more comes. */
  text(): string {
    if (this.#decoder) return this.#text + this.#decoder.decode()
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
