/** Reads the URL of an endpoint. */
import type { WireEvidence } from '../../../machines/evidence.js'
import { secretsInUrl } from '../../redact.js'
import { WireError } from '../failure.js'
import type { Sent } from './evidence.js'
import { type Target, targetOf } from './exchange.js'

export interface Address {
  readonly target: Target
  /** Credentials that stood in the URL, as an Authorization value. */
  readonly basic?: string
}

/** @throws {WireError} with evidence `config` when it is no URL, or neither `http:` nor `https:`. */
export function readAddress(wire: Sent['wire'], url: string | URL): Address {
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined
  if (parsed === undefined)
    throw unusable(wire, 'url', 'the url is not a URL; write it with its scheme, as in https://host/mcp')
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    throw unusable(wire, 'scheme', `the url has the scheme ${parsed.protocol} where http: or https: is needed`)
  }
  const { username, password } = parsed
  const target = { ...targetOf(parsed), secrets: secretsInUrl(parsed) }
  if (username === '' && password === '') return { target }
  const bytes = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  return { target, basic: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

function unusable(wire: Sent['wire'], subject: NonNullable<WireEvidence['subject']>, summary: string): WireError {
  return new WireError({ kind: 'config', wire, subject, summary, sent: false })
}
