/**
 * Evidence: the raw facts of one failure, as our own wires saw them. It is what faults are judged by; no decision is
 * ever taken from an SDK's error text. Plain data, bounded and free of secrets: it is shown in inspectors and reports.
 */

/** What carries the messages. `custom` is a transport brought by the user. */
export type WireKind = 'stdio' | 'http' | 'sse' | 'custom'

/** How far the connection had come when the failure was seen. */
export type Phase = 'connecting' | 'initializing' | 'resuming' | 'discovering' | 'ready' | 'reauthorizing' | 'closing'

/**
 * The sign by which the failure showed itself.
 *
 * - `deadline`: one of the chart's deadlines passed
 * - `timeout`: one request had no answer by its own deadline; the wire may be well
 * - `config`: the target cannot be used as written (bad URL, unsupported scheme)
 * - `spawn`: the child process could not be started
 * - `exit`: the child process ended, or its stdout did
 * - `http`: an HTTP answer whose status or content is not what was due
 * - `network`: the socket or name lookup failed before an answer
 * - `stream`: a stream ended or broke without what was due on it
 * - `rpc`: a JSON-RPC error from the server
 * - `malformed`: an answer that is not what the protocol demands
 * - `oversize`: a message over the size limit
 * - `probe`: probes were not answered
 * - `closed`: the wire ended and said no more
 * - `token`: the authorization server's answer
 * - `thrown`: something threw that should not have
 */
export type EvidenceKind =
  | 'deadline'
  | 'timeout'
  | 'config'
  | 'spawn'
  | 'exit'
  | 'http'
  | 'network'
  | 'stream'
  | 'rpc'
  | 'malformed'
  | 'oversize'
  | 'probe'
  | 'closed'
  | 'token'
  | 'thrown'

/** One of the three HTTP exchanges of Streamable HTTP; `message` is any POST. `open`: the one GET of HTTP+SSE. */
export type Exchange = 'message' | 'listen' | 'end' | 'open'

export interface HttpEvidence {
  readonly status: number
  readonly exchange: Exchange
  /** Lower-case names; only the few that explain something, never credentials. */
  readonly headers?: Readonly<Record<string, string>>
  readonly contentType?: string
  /** First 2 KiB of the body, secrets redacted. */
  readonly body?: string
  /** A redirect's target when it was not followed: origin and path only. */
  readonly location?: string
}

export interface ExitEvidence {
  /** `null` when a signal ended it, absent when the process is not known to have ended (EOF only). */
  readonly code?: number | null
  readonly signal?: string | null
  /** Last 4 KiB of stderr, secrets redacted. */
  readonly stderrTail?: string
}

export interface RpcEvidence {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** What a wire knows of a failure. The link adds where the connection stood ({@link Evidence}). */
export interface WireEvidence {
  readonly kind: EvidenceKind
  readonly wire: WireKind
  /** JSON-RPC method of the request that failed, when one did. */
  readonly method?: string
  /** One short sentence for a person; never judged. */
  readonly summary: string
  readonly http?: HttpEvidence
  readonly exit?: ExitEvidence
  /** The JSON-RPC error, also when it came inside an HTTP error body or an SSE frame. */
  readonly rpc?: RpcEvidence
  /** `ECONNREFUSED`, `ENOENT`, `UND_ERR_SOCKET`, `CERT_HAS_EXPIRED`, … */
  readonly errno?: string
  /** What exactly could not be used: for `spawn`, `config` and `token`. */
  readonly subject?:
    | 'command'
    | 'cwd'
    | 'url'
    | 'scheme'
    | 'message'
    | 'session'
    | 'login'
    | 'credential'
    | 'authorization'
  /** The command or path in question, for `spawn`; the origin, for `network`. */
  readonly target?: string
  /** Whether bytes of the request had left when it failed. `false` is a proof that the server cannot have run it. */
  readonly sent?: boolean
  /** Whether the request carried a session id. */
  readonly sessionSent?: boolean
  /** State of the access token that the request carried. */
  readonly tokenState?: 'none' | 'fresh' | 'expired'
  /** The credential generation the request was sent under: an answer to an old token moves nothing. */
  readonly credentialEpoch?: number
  /** How long that credential had been held when the request was made, in milliseconds. */
  readonly credentialAgeMs?: number
  /** The protocol version that the server insists on, when it is not one of ours. */
  readonly protocolVersion?: string
  /** Which stream ended, for `stream`: a reply to a POST, or the listening stream. */
  readonly stream?: 'reply' | 'listen'
  /** Retry-After or SSE `retry:`, as milliseconds from the moment it was seen. */
  readonly retryAfterMs?: number
  /** For `exit`: how often in a row the command has ended before it was ready, for whichever connection of the process. */
  readonly earlyExits?: number
  /** For a stream that ended: how long nothing had come on it, in milliseconds; proxies cut what idles. */
  readonly idleMs?: number
  /** For a stream that ended: how long it had been open, in milliseconds. */
  readonly livedMs?: number
  /** For `deadline`, `timeout` and `probe`: how long was waited. */
  readonly afterMs?: number
}

export interface Evidence extends WireEvidence {
  readonly phase: Phase
  /** Whether this connection has ever been ready on this target. What looks permanent may be a redeploy if so. */
  readonly everReady?: boolean
  /** The protocol version that this link asks for. */
  readonly askedVersion?: string
  /** For how long, in milliseconds, the server has answered every attempt to go on with the session otherwise. */
  readonly refusedForMs?: number
  /** Whether the legacy wire may still be tried: the user asked for `auto`. */
  readonly legacyAllowed?: boolean
  /** Other ways to speak that were tried since the connection was last stable. */
  readonly dialectsTried?: readonly string[]
}
