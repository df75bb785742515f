/** Reads the `endpoint` event, by which a server says where messages are to be posted in the session it has begun. */
import type { WireEvidence } from '../../../machines/evidence.js'
import { type Target, targetOf } from '../web/index.js'

/**
 * The endpoint, resolved against the address of the stream; or evidence of why it cannot be used. One on another origin
 * is refused for good: every message would carry the credentials of this origin there. So is one that differs in the
 * scheme alone, which is what a server behind a proxy says when it takes its own address for the public one.
 */
export function readEndpoint(data: string, stream: Target): Target | WireEvidence {
  const text = data.trim()
  if (text === '' || !URL.canParse(text, stream.href)) {
    return { kind: 'malformed', wire: 'sse', summary: 'the endpoint event names no address', sent: true }
  }
  const url = new URL(text, stream.href)
  if (url.origin !== stream.origin) {
    const where = url.origin === 'null' ? `an address with the scheme ${url.protocol}` : url.origin
    const summary = `the server wants messages posted to ${where}; they may only go to ${stream.origin}, as the url has it`
    return { kind: 'config', wire: 'sse', subject: 'url', target: where, summary, sent: true }
  }
  return { ...targetOf(url), secrets: [...secretsOf(url, stream), ...(stream.secrets ?? [])] }
}

/** Whoever knows them can speak in the session: what looks like an id and was not in the configured url already. */
function secretsOf(url: URL, stream: Target): string[] {
  const parts = `${url.pathname}${url.search}`.split(/[/?&=]/)
  return parts.filter((part) => part.length >= 8 && /\d/.test(part) && !stream.path.includes(part))
}
