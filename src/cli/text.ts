/** Text for people in a terminal: what may be shown, how wide it is, how times are said. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const sequence = /[\u001b\u009b](?:\[|(?<=\u009b))[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g
const zeroWide = /^(?:\p{Mn}|\p{Me}|[\u200b-\u200f]|[\ufe00-\ufe0f])$/u
const twoWide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u

/** On one line and harmless: what servers and files say must not steer the terminal. */
export function printable(text: string): string {
  return text.replace(sequence, '').replace(control, ' ').replace(/ {2,}/g, ' ').trim()
}

/** Columns that the text takes. */
export function widthOf(text: string): number {
  let width = 0
  for (const char of text) width += charWidth(char)
  return width
}

function charWidth(char: string): number {
  if (zeroWide.test(char)) return 0
  return twoWide.test(char) ? 2 : 1
}

/** The text, cut to so many columns; the cut is shown. */
export function clip(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let left = columns - 1
  for (const char of text) {
    left -= charWidth(char)
    if (left < 0) break
    kept += char
  }
  return columns > 0 ? `${kept}…` : ''
}

/** The text on exactly so many lines; what does not fit is cut from the last. */
export function wrap(text: string, columns: number, lines: number): string[] {
  const wrapped: string[] = []
  let rest = text
  while (wrapped.length < lines - 1 && widthOf(rest) > columns) {
    const head = clip(rest, columns + 1).slice(0, -1)
    const breakAt = head.lastIndexOf(' ')
    const cut = breakAt > 0 ? breakAt : head.length
    wrapped.push(rest.slice(0, cut))
    rest = rest.slice(cut).trimStart()
  }
  wrapped.push(clip(rest, columns))
  while (wrapped.length < lines) wrapped.push('')
  return wrapped
}

/** The text on as many lines as it needs; those after the first stand as far to the right as the first begins. */
export function fold(text: string, columns: number): string[] {
  const indent = ' '.repeat(Math.min(text.search(/\S|$/), Math.floor(columns / 2)))
  const lines: string[] = []
  let rest = text
  while (widthOf(rest) > columns) {
    const head = clip(rest, columns + 1).slice(0, -1)
    const breakAt = head.lastIndexOf(' ')
    const cut = breakAt > indent.length ? breakAt : head.length
    lines.push(rest.slice(0, cut))
    rest = indent + rest.slice(cut).trimStart()
  }
  return [...lines, rest]
}

/** The text, filled up to so many columns, with two of air at least. */
export function column(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(2, columns - widthOf(text)))
}

/** Columns that line up texts under each other. */
export const columnsFor = (texts: readonly string[]): number => Math.max(0, ...texts.map(widthOf)) + 2

/** `340 ms`, `3.2 s`, `12 s`, `4 min 05 s`, `2 h 04 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`
  const minutes = Math.floor(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`
}

/** How long something lasts already, in steps of a second: `0 s`, `12 s`, `4 min 05 s`. */
export const age = (ms: number): string => (ms < 10_000 ? `${Math.max(0, Math.floor(ms / 1_000))} s` : duration(ms))

/** The time until something, in steps that do not make a countdown restless: `3.2 s`, `12 s`, `4 min 05 s`. */
export function countdown(ms: number): string {
  return ms < 10_000 ? `${(Math.max(0, ms) / 1_000).toFixed(1)} s` : duration(ms)
}

/** `02:13:55`, in local time. */
export function timeOfDay(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
}

/** `1 tool`, `13 tools`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

const two = (n: number) => String(n).padStart(2, '0')
