/** Makes evidence of what went wrong with one exchange. Bounded, redacted, and never on the path of a call that works. */
import type { Exchange, HttpEvidence, RpcEvidence, WireEvidence } from '../../../machines/evidence.js'
import { redact, redactKnown, redactValue } from '../../redact.js'
import { evidenceOf } from '../failure.js'
import { errnoOf } from './errno.js'
import type { ResponseHeaders, Target } from './exchange.js'
import type { Outgoing } from './request-headers.js'
import { mediaType, retryAfterMs, safeUrl, toldHeaders } from './response-headers.js'

/** Which exchange it was, and what it went out with. */
export interface Sent {
  readonly wire: 'http' | 'sse'
  readonly exchange: Exchange
  readonly target: Target
  readonly method?: string
  /** Absent when it failed before its headers were known. */
  readonly outgoing?: Outgoing
}

/** A head that came. */
export interface Head {
  readonly status: number
  readonly headers: ResponseHeaders
}

const maxExcerpt = 2048
const maxData = 2048

/** An HTTP answer whose status is not what was due. */
export function httpEvidence(sent: Sent, head: Head, body: string, now: number): WireEvidence {
  const rpc = rpcError(body, sent)
  const retry = retryAfterMs(head.headers, now)
  const redirect = head.status >= 300 && head.status < 400
  return {
    ...base(sent, redirect ? 'redirected' : (rpc?.message ?? mediaType(head.headers)), `HTTP ${head.status}`),
    kind: 'http',
    http: httpPart(sent, head, body),
    ...(rpc && { rpc }),
    ...(retry !== undefined && { retryAfterMs: retry }),
    sent: true,
  }
}

/** A good status, but not an answer the protocol knows. */
export function malformedEvidence(sent: Sent, head: Head | undefined, body: string, what: string): WireEvidence {
  const http = head && httpPart(sent, head, body)
  return { ...base(sent, what, 'not MCP'), kind: 'malformed', ...(http && { http }), sent: true }
}

export function oversizeEvidence(sent: Sent, head: Head | undefined, maxBytes: number): WireEvidence {
  const what = `more than ${maxBytes} bytes in one message`
  const http = head && httpPart(sent, head, '')
  return { ...base(sent, what, 'too large'), kind: 'oversize', ...(http && { http }), sent: true }
}

/** The network failed before any answer. */
export function networkEvidence(sent: Sent, error: unknown, left: boolean | undefined): WireEvidence {
  const errno = errnoOf(error)
  return {
    ...base(sent, errno ?? nameOf(error), 'network error'),
    kind: 'network',
    target: sent.target.origin,
    ...(errno && { errno }),
    ...(left !== undefined && { sent: left }),
  }
}

/** How long a stream had been open, and nothing had come on it, when it ended. */
export type StreamTimes = Pick<WireEvidence, 'idleMs' | 'livedMs'>

/** A stream ended, or broke by `error`, without what was due on it. `stream`: as in the evidence. */
export function streamEvidence(
  sent: Sent,
  stream: WireEvidence['stream'],
  head: Head,
  error?: unknown,
  times: StreamTimes = {},
): WireEvidence {
  const errno = errnoOf(error)
  const what = error === undefined ? 'ended' : `broke (${errno ?? nameOf(error)})`
  return {
    ...base(sent, what, stream === 'reply' ? 'reply stream' : 'stream'),
    kind: 'stream',
    ...(stream && { stream }),
    ...times,
    http: httpPart(sent, head, ''),
    ...(errno && { errno }),
    sent: true,
  }
}

/** `sent`: the request it is told to, or only the wire. */
export function closedEvidence(sent: Sent | Pick<Sent, 'wire'>, left: boolean): WireEvidence {
  const told = 'exchange' in sent ? base(sent, undefined, 'wire closed') : { wire: sent.wire, summary: 'wire closed' }
  return { ...told, kind: 'closed', sent: left }
}

/**
 * A function of the caller's threw before anything was sent. Evidence that it brought along is kept; its words may hold
 * secrets and are left out.
 */
export function thrownEvidence(sent: Sent, error: unknown): WireEvidence {
  const brought = evidenceOf(error)
  return { ...base(sent, nameOf(error), 'no headers for the request'), kind: 'thrown', ...brought, sent: false }
}

const names: Readonly<Record<Exchange, string>> = {
  message: 'a message',
  listen: 'the listening stream',
  end: 'the end of the session',
  open: 'the event stream',
}

/** `HTTP 404 to tools/call: Session not found`, kept short for people. */
function base(sent: Sent, what: string | undefined, sign: string) {
  const { outgoing, method, exchange } = sent
  const asked = method ?? names[exchange]
  const words = what === undefined ? '' : `: ${clean(what, sent).slice(0, 160)}`
  return {
    wire: sent.wire,
    summary: `${sign} to ${asked}${words}`,
    ...(method !== undefined && { method }),
    ...(outgoing && { sessionSent: outgoing.sessionSent, tokenState: outgoing.tokenState }),
    ...(outgoing?.credentialEpoch !== undefined && { credentialEpoch: outgoing.credentialEpoch }),
    ...(outgoing?.credentialAgeMs !== undefined && { credentialAgeMs: outgoing.credentialAgeMs }),
  }
}

function httpPart(sent: Sent, { status, headers }: Head, body: string): HttpEvidence {
  // Challenges are read by whoever gets the next credential; the one that was refused may be repeated in them.
  const known = (text: string | undefined) =>
    text === undefined ? undefined : redactKnown(text, sent.outgoing?.headers, sent.target.secrets)
  const contentType = known(headers.get('content-type'))
  const location = status >= 300 && status < 400 ? known(safeUrl(headers.get('location'), sent.target.href)) : undefined
  const told = Object.entries(toldHeaders(headers, sent.target.href))
  // Redacted before it is cut: a secret cut in two would no longer be found.
  const excerpt = clean(body.slice(0, 4 * maxExcerpt), sent).slice(0, maxExcerpt)
  return {
    status,
    exchange: sent.exchange,
    headers: Object.fromEntries(told.map(([name, value]) => [name, known(value) ?? ''])),
    ...(contentType !== undefined && { contentType }),
    ...(excerpt !== '' && { body: excerpt }),
    ...(location !== undefined && { location }),
  }
}

/** The JSON-RPC error of a body, plain or framed as SSE (deviation 28). */
function rpcError(body: string, sent: Sent): RpcEvidence | undefined {
  return toRpc(parsed(body), sent) ?? toRpc(parsed(firstData(body)), sent)
}

function toRpc(value: unknown, sent: Sent): RpcEvidence | undefined {
  if (Array.isArray(value)) return toRpc(value[0], sent)
  if (typeof value !== 'object' || value === null || !('error' in value)) return undefined
  const { error } = value
  if (typeof error !== 'object' || error === null || !('code' in error) || typeof error.code !== 'number') return
  const message = 'message' in error && typeof error.message === 'string' ? error.message : ''
  const data = 'data' in error && JSON.stringify(error.data)?.length <= maxData ? error.data : undefined
  return {
    code: error.code,
    message: clean(message, sent).slice(0, 500),
    ...(data !== undefined && { data: redactValue(data, sent.outgoing?.headers, sent.target.secrets) }),
  }
}

/** The text without any secret that the exchange knew of. */
function clean(text: string, { outgoing, target }: Sent): string {
  return redact(text, outgoing?.headers, target.secrets)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function firstData(body: string): string {
  const lines = body.split(/\r\n|\n|\r/)
  const first = lines.findIndex((line) => line.startsWith('data:'))
  if (first === -1) return ''
  const rest = lines.slice(first)
  const end = rest.findIndex((line) => !line.startsWith('data:'))
  return rest
    .slice(0, end === -1 ? undefined : end)
    .map((line) => line.slice(5))
    .join('\n')
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

/** A message that JSON cannot hold: a BigInt, a cycle. */
export function unsendableEvidence(sent: Sent, error: unknown): WireEvidence {
  const summary = `${sent.method ?? 'the message'} cannot be written as JSON`
  return { ...thrownEvidence(sent, error), subject: 'message', sent: false, summary }
}
