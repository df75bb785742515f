/**
 * JSON that is written without ever being one long string. `JSON.stringify` gives a text of many parts, which every way to
 * bytes first puts together: for a file of a megabyte in the arguments of a call that is a megabyte of fresh memory, and
 * takes longer than all the rest of writing it.
 */

/** From this length on, in UTF-16 units, a string is written in pieces. */
const LONG = 65_536
const PIECE = 8_192
/** Long strings are looked for among so many values, and no deeper: a message of many small ones gains nothing. */
const VALUES = 256
const DEPTH = 8

/** What `JSON.stringify` writes, in pieces: one, unless there is a long string in it. Throws as it does. */
export function jsonPieces(value: object): string[] {
  if (!holdsLong(value)) return [JSON.stringify(value)]
  const pieces = new Pieces()
  write(value, DEPTH, pieces)
  return pieces.all()
}

/** The pieces as UTF-8. On Node only. */
export function bytesOf(pieces: readonly string[]): Buffer<ArrayBuffer> {
  const [first = ''] = pieces
  if (pieces.length < 2) return Buffer.from(first)
  const bytes = Buffer.allocUnsafe(pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0))
  let at = 0
  for (const piece of pieces) at += bytes.write(piece, at)
  return bytes
}

function holdsLong(value: unknown, depth = DEPTH, search = { left: VALUES }): boolean {
  if (typeof value === 'string') return value.length >= LONG
  if (depth === 0 || !isPlain(value)) return false
  for (const key in value) {
    if (--search.left < 0) return false
    if (holdsLong(value[key], depth - 1, search)) return true
  }
  return false
}

/** A value that holds something long. */
function write(value: unknown, depth: number, pieces: Pieces): void {
  if (typeof value === 'string') {
    writeLong(value, pieces)
    return
  }
  const list = Array.isArray(value)
  let between = ''
  pieces.add(list ? '[' : '{')
  for (const key of list ? value.keys() : Object.keys(value as object)) {
    const member = (value as Record<string | number, unknown>)[key]
    if (holdsLong(member, depth - 1)) {
      pieces.add(list ? between : `${between}${JSON.stringify(key)}:`)
      write(member, depth - 1, pieces)
    } else {
      // In a whole of its own, without the brackets: nothing is left of a member that JSON leaves out.
      const text = JSON.stringify(list ? [member] : { [key]: member }).slice(1, -1)
      if (text === '') continue
      pieces.add(between + text)
    }
    between = ','
  }
  pieces.add(list ? ']' : '}')
}

function writeLong(text: string, pieces: Pieces): void {
  pieces.add('"')
  for (let from = 0, to: number; from < text.length; from = to) {
    to = from + PIECE
    // Halves of a character would each be written as an escape.
    if (isHighSurrogate(text.charCodeAt(to - 1))) to++
    pieces.add(JSON.stringify(text.slice(from, to)).slice(1, -1))
  }
  pieces.add('"')
}

/** Short texts are gathered, as each piece has its price. */
class Pieces {
  readonly #full: string[] = []
  #last = ''

  add(text: string): void {
    this.#last += text
    if (this.#last.length < PIECE) return
    this.#full.push(this.#last)
    this.#last = ''
  }

  all(): string[] {
    return [...this.#full, this.#last]
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** What JSON writes member by member: no class, and nothing that says itself how it is written. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || typeof (value as { toJSON?: unknown }).toJSON === 'function')
    return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || prototype === Array.prototype
}
