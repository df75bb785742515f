import { redact } from '../../redact.js'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g

/** Names and codes: what the library or a chart calls something. Anything else under their key is not shown. */
const wordShape = /^[\w.,:/@+#~-]{1,100}$/

/** A text for a person, of any origin: without what looks like a credential, printable, bounded. */
export function safeText(value: unknown, most = 300): string | undefined {
  if (typeof value !== 'string') return undefined
  // Cut first by much, so that a huge text costs little; and at the end by the bound, when nothing is left to find.
  const clean = redact(value.slice(0, most * 8)).replace(unprintable, ' ')
  return clean.length > most ? `${clean.slice(0, most - 1)}…` : clean
}

/** A delay as a chart names it; one without a name is its time. */
export const delayName = (delay: string): string => (/^\d+$/.test(delay) ? `${delay} ms` : delay)

/** A name or code. */
export function safeWord(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const clean = redact(value)
  return clean === value && wordShape.test(value) ? value : '[redacted]'
}
