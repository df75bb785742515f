/** A line with nothing on it: not worth telling. */
export const BLANK = Symbol('blank')
/** A line that is not JSON: a log line on the wrong stream, a banner, a shell's greeting. */
export const NOT_JSON = Symbol('not-json')

const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b

/**
 * The JSON value on one line of stdout, or why there is none. A byte order mark before it is dropped (field report
 * 02.09), and so is a carriage return after it, which JSON counts as white space. Neither is touched inside strings.
 *
 * Log lines are told by their first byte, as a thrown SyntaxError would cost twenty times the look.
 */
export function parseLine(bytes: Buffer, start: number, end: number): unknown {
  let from = start
  if (end - from >= 3 && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf) from += 3
  while (from < end && isSpace(bytes[from])) from++
  if (from === end) return BLANK
  if (bytes[from] !== OPEN_BRACE && bytes[from] !== OPEN_BRACKET) return NOT_JSON
  try {
    return JSON.parse(bytes.toString('utf8', from, end))
  } catch {
    return NOT_JSON
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09
}
