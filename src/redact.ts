/**
 * Keeps secrets out of what is told of an exchange. Two nets: the very values that the request carried, and the shapes
 * that credentials have wherever they come from. Runs on failures and reports only, never on the hot path.
 */

/** Header values that everybody knows. */
const harmless = new Set(['accept', 'content-type', 'mcp-protocol-version', 'last-event-id', 'user-agent'])

/** Words that stand before a credential. Were they taken for a secret, what follows them would lose its shape. */
const schemes = /^(bearer|basic|dpop|digest|negotiate)$/i

/** What says of a name that its value is a secret. */
const naming =
  '(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|authorization|cookie|credential)'

/** The rest of a name. Bounded, or a long row of dashes would be gone through again from each of them. */
const some = String.raw`[\w-]{0,60}`

/** Keys that providers give out, by the beginning that tells whose they are. */
const keys = [
  String.raw`sk-[\w-]{16,}`,
  String.raw`[sr]k_(?:live|test)_\w{10,}`,
  String.raw`gh[pousr]_\w{16,}`,
  String.raw`github_pat_\w{16,}`,
  String.raw`glpat-[\w-]{16,}`,
  String.raw`xox[a-z]-[\w-]{10,}`,
  '(?:AKIA|ASIA)[0-9A-Z]{12,}',
  String.raw`AIza[\w-]{24,}`,
  String.raw`ya29\.[\w-]{10,}`,
  String.raw`npm_\w{24,}`,
  String.raw`pypi-[\w-]{24,}`,
  String.raw`hf_\w{20,}`,
  String.raw`lin_api_\w{20,}`,
  String.raw`SG\.[\w-]{12,}\.[\w-]{12,}`,
].join('|')

const gone = '[redacted]'

type Shape = readonly [RegExp, string | ((match: string) => string)]

const shapes: readonly Shape[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, gone],
  [/\b(Bearer|Basic|DPoP)\s+[\w.~+/=-]{6,}/gi, `$1 ${gone}`],
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, gone],
  [new RegExp(String.raw`\b(?:${keys})`, 'g'), gone],
  // "name": "value", also where the text is itself a JSON string within JSON
  [new RegExp(String.raw`(\\?"${some}${naming}s?${some}\\?"\s*:\s*\\?")[^"\\]+`, 'gi'), `$1${gone}`],
  // NAME=value, --name value, name: value; with a colon only what looks like a value, since sentences have colons too
  [
    new RegExp(String.raw`(\b${some}${naming}s?${some}\s?=\s?["']?)(?!\s*["']?\[redacted\])[^\s"'&;,<>]+`, 'gi'),
    `$1${gone}`,
  ],
  [
    new RegExp(String.raw`(--${some}(?:${naming}|key|auth)${some}[ =]["']?)(?!\s*["']?\[redacted\])[^\s"']+`, 'gi'),
    `$1${gone}`,
  ],
  [
    new RegExp(
      String.raw`(\b${some}${naming}s?${some}\s?:\s?["']?)(?!\s*["']?\[redacted\])(?=[^\s"']*\d)[^\s"'&;,<>]{6,}`,
      'gi',
    ),
    `$1${gone}`,
  ],
  [/\b((?:proxy-)?authorization|(?:set-)?cookie|x-api-key|x-auth-token)(\s*:\s*)[^\r\n"'}]+/gi, `$1$2${gone}`],
  [/([?&][\w-]{0,60}(?:token|secret|password|key|code|sig|signature)=)[^&\s"'<>]+/gi, `$1${gone}`],
  [/(:\/\/)[^/\s"'<>@]+@/g, `$1${gone}@`],
  [/\bhttps?:\/\/[^\s"'<>]+/gi, withoutOpaqueParts],
]

/** The text without what the request carried in `headers`, without `secrets` and without whatever looks like a credential. */
export function redact(
  text: string,
  headers: Readonly<Record<string, string>> = {},
  secrets: readonly string[] = [],
): string {
  let clean = redactKnown(text, headers, secrets)
  for (const [shape, replacement] of shapes) {
    clean = typeof replacement === 'string' ? clean.replace(shape, replacement) : clean.replace(shape, replacement)
  }
  return clean
}

/** Without the very values alone: for what is read by programs afterwards, as addresses and scopes are. */
export function redactKnown(
  text: string,
  headers: Readonly<Record<string, string>> = {},
  secrets: readonly string[] = [],
): string {
  let clean = text
  for (const secret of longestFirst([...secrets, ...secretsIn(headers)])) clean = clean.replaceAll(secret, gone)
  return clean
}

/** A string under such a name is a secret, whatever it looks like; what only describes one is none. */
const secretName = new RegExp(`${naming}s?(?:[_-]?value)?$`, 'i')

/** The same through a JSON value; keys stay. */
export function redactValue<T>(
  value: T,
  headers: Readonly<Record<string, string>> = {},
  secrets: readonly string[] = [],
): T {
  return clean(value) as T

  function clean(part: unknown): unknown {
    if (typeof part === 'string') return redact(part, headers, secrets)
    if (Array.isArray(part)) return part.map(clean)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(
      Object.entries(part).map(([key, one]) => [
        key,
        typeof one === 'string' && secretName.test(key) ? gone : clean(one),
      ]),
    )
  }
}

/** One that is a part of another would leave the rest of it. Too short a one would redact ordinary words. */
function longestFirst(secrets: readonly string[]): string[] {
  return secrets.filter(({ length }) => length > 0).sort((a, b) => b.length - a.length)
}

function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const secrets: string[] = []
  for (const [name, value] of Object.entries(headers)) {
    if (harmless.has(name)) continue
    // `Bearer abc`, `a=b; c=d`: the parts are secrets by themselves. Short ones would redact ordinary words.
    for (const part of [value, ...value.split(/[\s;=,]+/)]) {
      if (part.length >= 6 && !schemes.test(part)) secrets.push(part)
    }
  }
  return secrets
}

/** Some servers take their secret as a part of the path. */
function withoutOpaqueParts(url: string): string {
  return url.replace(/[\w~-]{20,}/g, (part) => (isOpaque(part) ? gone : part))
}

/** Letters and digits in turn, as no word and no version has them. */
const isOpaque = (part: string): boolean => (part.match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0) >= 4

/** What of an address may be a secret: its credentials, and the values of its query. Short ones would redact ordinary words. */
export function secretsInUrl({ username, password, searchParams, search }: URL): string[] {
  const written = search.split(/[?&]/).map((part) => part.slice(part.indexOf('=') + 1))
  const values = [username, password, ...written, ...searchParams.values()]
  return [...new Set(values.flatMap((value) => [value, decoded(value)]))].filter(({ length }) => length >= 6)
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
