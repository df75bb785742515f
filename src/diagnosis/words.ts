/** How things are said in explanations. Servers' words pass through here, and must not steer a terminal or a page. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const sequences = /[\u001b\u009b](?:\[|(?<=\u009b))[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above; line breaks stay
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g

/** Without control characters; line breaks stay. */
export const plainLines = (text: string): string => text.replace(sequences, '').replace(controls, ' ')

/** On one line, and not longer than `most` characters. */
export function plain(text: string, most = 200): string {
  const line = plainLines(text).replace(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/** `340 ms`, `3.2 s`, `12 s`, `4 min 5 s`, `2 h 4 min`, `3 d`. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 9_950) return `${trimmed(ms / 1_000)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return pair(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 48 * 60) return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  return `${Math.round(minutes / 60 / 24)} d`
}

const trimmed = (value: number): string => value.toFixed(1).replace(/\.0$/, '')

const pair = (large: number, unit: string, small: number, smaller: string): string =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smaller}`

/** `1 tool`, `3 tools`. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** `once`, `twice`, `3 times`. */
export const times = (n: number): string => (n === 1 ? 'once' : n === 2 ? 'twice' : `${n} times`)

/** `a, b and 3 more`. */
export function names(all: readonly string[], most = 5): string {
  const shown = all.slice(0, most).map((name) => plain(name, 60))
  const rest = all.length - shown.length
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ')
}

/** The last line that says something. */
export function lastLine(text: string | undefined): string | undefined {
  const lines = (text ?? '').split(/\r?\n/).filter((line) => line.trim() !== '')
  const last = lines.at(-1)
  return last === undefined ? undefined : plain(last)
}

/** The middle one; 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]]
  return low === undefined || high === undefined ? 0 : (low + high) / 2
}
