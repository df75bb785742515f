import { safeText, safeWord } from './text.js'

/** What may pass under a key: a number, a flag, a word, a text, or an object with keys of its own. */
type Allowed = 'number' | 'flag' | 'word' | 'text' | AllowList

/** Keys that may pass; all others stay. */
export interface AllowList {
  readonly [key: string]: Allowed
}

/** As much of a value as the list allows. What is of another type than the list says stays as well. */
export function pick(value: unknown, list: AllowList): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  if (typeof value !== 'object' || value === null) return picked
  for (const [key, allowed] of Object.entries(list)) {
    const one = passed(Reflect.get(value, key), allowed)
    if (one !== undefined) picked[key] = one
  }
  return picked
}

function passed(value: unknown, allowed: Allowed): unknown {
  switch (allowed) {
    case 'number':
      return typeof value === 'number' ? value : undefined
    case 'flag':
      return typeof value === 'boolean' ? value : undefined
    case 'word':
      return safeWord(value)
    case 'text':
      return safeText(value)
    default:
      return typeof value === 'object' && value !== null ? pick(value, allowed) : undefined
  }
}
