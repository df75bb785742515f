/** What is read out of response headers, and in which form it may be told. */
import type { ResponseHeaders } from './exchange.js'

/** The longest delay a timer takes; above it Node fires after 1 ms. */
const maxDelayMs = 2 ** 31 - 1

export function clampDelay(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), maxDelayMs)
}

/**
 * Retry-After as milliseconds from now, clamped to what a timer can take; `undefined` when absent or unreadable. A date
 * is measured against the answer's own `Date`, so that a clock that is off does no harm; `now` serves when there is none.
 * (RFC 9110, 10.2.3)
 */
export function retryAfterMs(headers: ResponseHeaders, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^-?\d+(\.\d+)?$/.test(value)) return clampDelay(Number(value) * 1000)
  const at = Date.parse(value)
  if (Number.isNaN(at)) return undefined
  const served = Date.parse(headers.get('date') ?? '')
  return clampDelay(at - (Number.isNaN(served) ? now : served))
}

/** `application/json` of `Application/JSON; charset=utf-8`; `undefined` when there is none. */
export function mediaType(headers: ResponseHeaders): string | undefined {
  const value = headers.get('content-type')
  if (value === undefined) return undefined
  const end = value.indexOf(';')
  const type = (end === -1 ? value : value.slice(0, end)).trim().toLowerCase()
  return type === '' ? undefined : type
}

/** Origin and path of a URL, which is all that may be told of it; `undefined` when it is none. */
export function safeUrl(value: string | undefined, base?: string): string | undefined {
  if (value === undefined) return undefined
  try {
    const url = new URL(value, base)
    return `${url.protocol}//${url.host}${url.pathname}`
  } catch {
    return undefined
  }
}

const toldParameters =
  /(?<![^\s,])(realm|scope|error|error_description|error_uri|resource_metadata|max_age|acr_values)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s,"]+)/gi

/** WWW-Authenticate with the schemes and those parameters that explain something; nonces and the like are left out. */
export function safeChallenge(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const [head = '', scheme = ''] = /^\s*([\w-]+)(?=\s|$)/.exec(value) ?? []
  const parameters = [...value.slice(head.length).matchAll(toldParameters)].map(([, name, one = '']) => {
    return `${name}=${one.replace(/(:\/\/)[^/\s"'<>@]+@/, '$1')}`
  })
  return `${scheme} ${parameters.join(', ')}`.trim()
}

/** The few headers that explain a failure. */
export function toldHeaders(headers: ResponseHeaders, base: string): Record<string, string> {
  const told: Record<string, string> = {}
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== '') told[name] = value.slice(0, 1024)
  }
  add('content-type', headers.get('content-type'))
  add('retry-after', headers.get('retry-after'))
  add('www-authenticate', safeChallenge(headers.get('www-authenticate')))
  add('location', safeUrl(headers.get('location'), base))
  return told
}
