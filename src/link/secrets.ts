import { secretsInUrl } from '../redact.js'
import type { HttpTarget, StdioTarget, Target } from './target.js'

/** Variables whose values everybody knows; without them a report is hard to read. */
const openVariables =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|PWD|TMPDIR|NODE_ENV|NODE_OPTIONS|PYTHON\w+|LOG_LEVEL|DEBUG)$/

/** Values that say nothing, and that a text without them could not be read. */
const openValues = /^(?:.{0,3}|true|false|none|null|auto|\d{1,4})$/i

const secretName = /token|secret|passw|key|auth|credential|cookie/i

/** Values of a target that must not be shown wherever a server repeats them. Short ones would redact ordinary words. */
export function secretsOf(target: Target): string[] {
  if (!('command' in target || 'url' in target)) return []
  return [...(target.secrets ?? []), ...implied(target)]
}

function implied(target: StdioTarget | HttpTarget): string[] {
  if ('command' in target)
    return [...ofVariables(target.env ?? {}), ...ofArguments(target.args ?? [])].filter(
      (value) => !openValues.test(value),
    )
  const headers = typeof target.headers === 'object' ? Object.values(target.headers) : []
  const parts = headers.flatMap((value) => [value, ...value.split(/[\s;=,]+/)])
  const url = URL.canParse(String(target.url)) ? secretsInUrl(new URL(target.url)) : []
  return [...parts.filter(({ length }) => length >= 6), ...url]
}

/** What its name says to be secret is so however short; any other variable may hold a secret, too. */
function ofVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || openVariables.test(name)) return []
    return secretName.test(name) || value.length >= 8 ? [value] : []
  })
}

/** `--api-key VALUE` and `--api-key=VALUE`. */
function ofArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, i) => {
    const [, inline] = /^--?[\w-]*(?:token|secret|passw|key|auth|credential)[\w-]*=(.+)$/i.exec(arg) ?? []
    if (inline) return [inline]
    const before = args[i - 1]
    return before?.startsWith('-') && !before.includes('=') && secretName.test(before) && !arg.startsWith('-')
      ? [arg]
      : []
  })
}
