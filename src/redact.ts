/**
 * Keeps secrets out of what is told of an exchange. Two nets: the very values that the request carried, and the shapes
 * that credentials have wherever they come from. Runs on failures only, never on the hot path.
 */

/** Header values that everybody knows. */
const harmless = new Set(['accept', 'content-type', 'mcp-protocol-version', 'last-event-id', 'user-agent'])

const shapes: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic|DPoP)\s+[\w.~+/=-]{6,}/gi, '$1 [redacted]'],
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, '[redacted]'],
  [/("[\w-]*(?:token|secret|password|api[_-]?key|authorization|cookie)[\w-]*"\s*:\s*")[^"]+/gi, '$1[redacted]'],
  [/([?&][\w-]*(?:token|secret|password|key|code|sig|signature)=)[^&\s"'<>]+/gi, '$1[redacted]'],
  [/(:\/\/)[^/\s"'<>@]+@/g, '$1[redacted]@'],
]

/** The text without what the request carried in `headers`, without `secrets` and without whatever looks like a credential. */
export function redact(
  text: string,
  headers: Readonly<Record<string, string>> = {},
  secrets: readonly string[] = [],
): string {
  let clean = text
  for (const secret of [...secrets, ...secretsIn(headers)]) clean = clean.replaceAll(secret, '[redacted]')
  for (const [shape, replacement] of shapes) clean = clean.replace(shape, replacement)
  return clean
}

/** The same through a JSON value; keys stay. */
export function redactValue(
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
  secrets: readonly string[] = [],
): unknown {
  if (typeof value === 'string') return redact(value, headers, secrets)
  if (Array.isArray(value)) return value.map((one) => redactValue(one, headers, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const named = typeof one === 'string' && /token|secret|password|api[_-]?key|authorization|cookie/i.test(key)
      return [key, named ? '[redacted]' : redactValue(one, headers, secrets)]
    }),
  )
}

function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const secrets: string[] = []
  for (const [name, value] of Object.entries(headers)) {
    if (harmless.has(name)) continue
    // `Bearer abc`, `a=b; c=d`: the parts are secrets by themselves. Short ones would redact ordinary words.
    for (const part of [value, ...value.split(/[\s;=,]+/)]) if (part.length >= 6) secrets.push(part)
  }
  return secrets.sort((a, b) => b.length - a.length)
}
