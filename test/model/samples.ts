import type { Delivery, Evidence, FaultClass, FaultScope } from '../../machines/index.js'

/** What a wire might see, and what it means. */
export interface Sample {
  readonly name: string
  readonly evidence: Evidence
  readonly rule: string
  readonly class: FaultClass
  readonly scope: FaultScope
  readonly code: string
  readonly delivery: Delivery
  readonly suspect?: true
}

type Verdict = readonly [
  rule: string,
  is: FaultClass,
  scope: FaultScope,
  code: string,
  delivery: Delivery,
  suspect?: true,
]

const sample = (
  name: string,
  seen: Partial<Evidence>,
  [rule, is, scope, code, delivery, suspect]: Verdict,
): Sample => ({
  name,
  evidence: { kind: 'closed', wire: 'http', phase: 'ready', summary: name, ...seen },
  rule,
  class: is,
  scope,
  code,
  delivery,
  ...(suspect && { suspect }),
})

interface Answer {
  readonly body?: string
  readonly rpc?: Evidence['rpc']
  readonly headers?: Record<string, string>
  readonly type?: string
  readonly exchange?: 'message' | 'listen' | 'end'
}

/** An HTTP answer to a request under a session, in ready, unless it says otherwise. */
const http = (
  status: number,
  { body, rpc, headers, type, exchange = 'message' }: Answer,
  more: Partial<Evidence> = {},
) => ({
  kind: 'http' as const,
  sent: true,
  sessionSent: true,
  method: 'tools/call',
  http: { status, exchange, ...(body !== undefined && { body }), ...(headers && { headers }), contentType: type },
  ...(rpc && { rpc }),
  ...more,
})

const atStart = { phase: 'initializing', method: 'initialize', sessionSent: false } as const
const rpc = (code: number, message: string, data?: unknown) => ({ code, message, ...(data !== undefined && { data }) })
const stdio = { wire: 'stdio', kind: 'exit' } as const
const spawn = (subject: 'command' | 'cwd', errno: string) =>
  ({ wire: 'stdio', kind: 'spawn', phase: 'connecting', subject, errno, target: '/x', sent: false }) as const

const lost: Verdict = ['session-unknown-otherwise', 'session-expired', 'link', 'session.unknown', 'refused']
const unknown404: Verdict = ['session-unknown', 'session-expired', 'link', 'session.unknown', 'refused']
const bare404: Verdict = ['session-unknown-bare', 'session-expired', 'link', 'session.not-found', 'unknown']
const expired: Verdict = ['expired-refused-otherwise', 'unauthorized', 'link', 'token.expired', 'refused']
const version: Verdict = ['version-offered', 'mismatch', 'link', 'version.unsupported', 'refused']

/** Rows of the design's table of faults, and bodies that real servers send (numbers: known server deviations). */
export const samples: readonly Sample[] = [
  sample('arguments that JSON cannot hold', { kind: 'thrown', subject: 'message', sent: false }, [
    'unsendable',
    'permanent',
    'call',
    'message.unsendable',
    'not-sent',
  ]),
  sample(
    'a session that is remembered nowhere',
    { kind: 'thrown', subject: 'session', sent: false, phase: 'resuming' },
    ['session-forgotten', 'session-expired', 'link', 'session.forgotten', 'not-sent'],
  ),
  // The older wire, remembered for an address
  sample(
    'an address that the older wire no longer serves',
    { kind: 'http', wire: 'sse', http: { status: 405, exchange: 'listen' }, legacyAllowed: true, phase: 'connecting' },
    ['streamable-wire', 'mismatch', 'link', 'wire.streamable', 'not-sent'],
  ),
  // A remembered session
  sample(
    'any refusal of the request that goes on with a session',
    {
      kind: 'http',
      http: { status: 422, exchange: 'message' },
      sessionSent: true,
      phase: 'resuming',
      method: 'tools/list',
    },
    ['resuming-refused', 'session-expired', 'link', 'session.refused', 'refused'],
  ),
  sample('503 to the request that goes on with a session', http(503, {}, { phase: 'resuming', refusedForMs: 9_000 }), [
    'overloaded-at-start',
    'transient',
    'link',
    'http.503',
    'refused',
  ]),
  sample('the same for long', http(503, {}, { phase: 'resuming', refusedForMs: 10_000 }), [
    'resuming-refused-for-long',
    'session-expired',
    'link',
    'session.refused',
    'refused',
  ]),
  sample(
    'an answer to that request that is none',
    { kind: 'malformed', sent: true, sessionSent: true, phase: 'resuming', method: 'tools/list' },
    ['resuming-refused', 'session-expired', 'link', 'session.refused', 'refused'],
  ),
  // Processes
  sample('a URL that cannot be read', { kind: 'config', subject: 'url', sent: false, phase: 'connecting' }, [
    'target-unusable',
    'permanent',
    'link',
    'config.url',
    'not-sent',
  ]),
  sample('a scheme that is none of ours', { kind: 'config', subject: 'scheme', sent: false, phase: 'connecting' }, [
    'target-unusable',
    'permanent',
    'link',
    'config.scheme',
    'not-sent',
  ]),
  sample('a working directory that is missing', spawn('cwd', 'ENOENT'), [
    'cwd-missing',
    'permanent',
    'link',
    'spawn.cwd',
    'not-sent',
  ]),
  sample('no process to be had', spawn('command', 'EAGAIN'), [
    'host-out-of-resources',
    'transient',
    'link',
    'spawn.EAGAIN',
    'not-sent',
  ]),
  sample('no descriptor to be had', spawn('command', 'EMFILE'), [
    'host-out-of-resources',
    'transient',
    'link',
    'spawn.EMFILE',
    'not-sent',
  ]),
  sample('a command that is missing', spawn('command', 'ENOENT'), [
    'command-unusable',
    'permanent',
    'link',
    'spawn.ENOENT',
    'not-sent',
  ]),
  sample('a command that may not be run', spawn('command', 'EACCES'), [
    'command-unusable',
    'permanent',
    'link',
    'spawn.EACCES',
    'not-sent',
  ]),
  sample('env: node: not found', { ...stdio, phase: 'initializing', exit: { code: 127 } }, [
    'interpreter-missing',
    'transient',
    'link',
    'process.interpreter',
    'not-sent',
  ]),
  sample('an interpreter that may not be run', { ...stdio, phase: 'connecting', exit: { code: 126 } }, [
    'interpreter-missing',
    'transient',
    'link',
    'process.interpreter',
    'not-sent',
  ]),
  sample('exit before initialize was answered', { ...stdio, phase: 'initializing', exit: { code: 1 } }, [
    'exited-before-ready',
    'transient',
    'link',
    'process.exited-early',
    'not-sent',
  ]),
  sample('exit while the lists were being read', { ...stdio, phase: 'discovering', method: 'tools/list' }, [
    'exited-before-ready',
    'transient',
    'link',
    'process.exited-early',
    'not-sent',
  ]),
  sample('killed while serving', { ...stdio, exit: { code: null, signal: 'SIGKILL' }, sent: true }, [
    'exited',
    'transient',
    'link',
    'process.exited',
    'unknown',
  ]),
  sample('stdout ended while a call was not yet written', { ...stdio, exit: {}, sent: false }, [
    'exited',
    'transient',
    'link',
    'process.exited',
    'not-sent',
  ]),

  // Network
  sample('connection refused', { kind: 'network', errno: 'ECONNREFUSED', sent: false, phase: 'connecting' }, [
    'unreachable',
    'transient',
    'link',
    'network.ECONNREFUSED',
    'not-sent',
  ]),
  sample('name not found', { kind: 'network', errno: 'ENOTFOUND', sent: false, phase: 'connecting' }, [
    'unreachable',
    'transient',
    'link',
    'network.ENOTFOUND',
    'not-sent',
  ]),
  sample('a fetch that failed without a reason', { kind: 'network', phase: 'connecting' }, [
    'fetch-failed',
    'transient',
    'link',
    'network.unnamed',
    'unknown',
  ]),
  sample('a call by fetch that failed without a reason', { kind: 'network', method: 'tools/call' }, [
    'reset-in-call',
    'transient',
    'call',
    'network.unnamed',
    'unknown',
    true,
  ]),
  sample('refused in ready', { kind: 'network', errno: 'ECONNREFUSED', sent: false, method: 'tools/call' }, [
    'unreachable',
    'transient',
    'link',
    'network.ECONNREFUSED',
    'not-sent',
  ]),
  sample(
    'reset before headers, before ready',
    { kind: 'network', errno: 'ECONNRESET', sent: true, phase: 'initializing' },
    ['unreachable', 'transient', 'link', 'network.ECONNRESET', 'unknown'],
  ),
  sample('reset before headers, in ready', { kind: 'network', errno: 'ECONNRESET', sent: true, method: 'tools/call' }, [
    'reset-in-call',
    'transient',
    'call',
    'network.ECONNRESET',
    'unknown',
    true,
  ]),
  sample(
    'a certificate that ran out',
    { kind: 'network', errno: 'CERT_HAS_EXPIRED', sent: false, phase: 'connecting' },
    ['certificate-untrusted', 'permanent', 'link', 'tls.CERT_HAS_EXPIRED', 'not-sent'],
  ),
  sample(
    'a certificate of nobody known',
    { kind: 'network', errno: 'DEPTH_ZERO_SELF_SIGNED_CERT', phase: 'connecting' },
    ['certificate-untrusted', 'permanent', 'link', 'tls.DEPTH_ZERO_SELF_SIGNED_CERT', 'not-sent'],
  ),

  // Time
  sample('no handshake within its deadline', { kind: 'deadline', phase: 'initializing', afterMs: 10_000 }, [
    'deadline',
    'transient',
    'link',
    'deadline.initializing',
    'not-sent',
  ]),
  sample('two probes refused', { kind: 'probe', http: { status: 502, exchange: 'message' } }, [
    'probe-failed',
    'transient',
    'link',
    'probe.failed',
    'unknown',
  ]),
  sample('two probes unanswered', { kind: 'probe', afterMs: 5_000 }, [
    'probe-unanswered',
    'transient',
    'link',
    'probe.unanswered',
    'unknown',
  ]),
  sample('one request without an answer', { kind: 'timeout', method: 'tools/call', afterMs: 60_000, sent: true }, [
    'call-timeout',
    'transient',
    'call',
    'call.timeout',
    'unknown',
    true,
  ]),

  // Access
  sample('401 without WWW-Authenticate (38)', http(401, {}, { tokenState: 'none' }), [
    'unauthorized',
    'unauthorized',
    'link',
    'http.401',
    'refused',
  ]),
  sample('401 naming the session, fresh token', http(401, { body: 'Session expired' }, { tokenState: 'fresh' }), [
    'unauthorized-names-session',
    'session-expired',
    'link',
    'session.unknown',
    'refused',
  ]),
  sample(
    '401 naming the session, token of unknown age',
    http(401, { body: 'unknown session' }, { tokenState: 'none' }),
    ['unauthorized-names-session', 'session-expired', 'link', 'session.unknown', 'refused'],
  ),
  sample('401 to the listening stream (14)', http(401, { exchange: 'listen' }), [
    'unauthorized-listening',
    'unauthorized',
    'call',
    'http.401',
    'refused',
    true,
  ]),
  sample(
    '401 to the stream of the older wire',
    http(401, { exchange: 'listen' }, { wire: 'sse', phase: 'connecting' }),
    ['unauthorized', 'unauthorized', 'link', 'http.401', 'refused'],
  ),
  sample('401 naming the session, token run out', http(401, { body: 'Session expired' }, { tokenState: 'expired' }), [
    'unauthorized',
    'unauthorized',
    'link',
    'http.401',
    'refused',
  ]),
  sample(
    '403 insufficient_scope to initialize',
    http(403, { headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' } }, atStart),
    ['scope-insufficient-at-start', 'unauthorized', 'link', 'scope.insufficient', 'refused'],
  ),
  sample(
    '403 insufficient_scope to a call',
    http(403, { headers: { 'www-authenticate': 'Bearer error=insufficient_scope, scope="a b"' } }),
    ['scope-insufficient', 'unauthorized', 'call', 'scope.insufficient', 'refused'],
  ),
  sample('403 to initialize', http(403, { body: 'Invalid Host header' }, atStart), [
    'forbidden-at-start',
    'permanent',
    'link',
    'http.403',
    'refused',
  ]),
  sample('403 to a call', http(403, {}), ['forbidden', 'permanent', 'call', 'http.403', 'refused']),
  sample(
    'invalid_grant',
    {
      kind: 'token',
      phase: 'reauthorizing',
      subject: 'login',
      http: { status: 400, exchange: 'message', body: '{"error":"invalid_grant"}' },
    },
    ['grant-refused', 'unauthorized', 'link', 'token.invalid-grant', 'not-sent'],
  ),
  sample('an API key that is refused (39)', { kind: 'token', phase: 'reauthorizing', subject: 'credential' }, [
    'credential-refused',
    'permanent',
    'link',
    'credential.refused',
    'not-sent',
  ]),
  sample('metadata of another resource', { kind: 'token', phase: 'reauthorizing', subject: 'authorization' }, [
    'authorization-unusable',
    'permanent',
    'link',
    'authorization.unusable',
    'not-sent',
  ]),
  sample('403 to a token that ran out (40)', http(403, {}, { tokenState: 'expired' }), expired),
  sample('400 to a token that ran out (40)', http(400, {}, { tokenState: 'expired' }), expired),
  sample('307 to a page to log in, by a token that ran out (40)', http(307, {}, { tokenState: 'expired' }), expired),
  sample('500 to a token that ran out (40)', http(500, {}, { tokenState: 'expired' }), [
    'expired-failed',
    'unauthorized',
    'link',
    'token.expired',
    'unknown',
  ]),
  sample('token endpoint away', { kind: 'token', phase: 'reauthorizing', http: { status: 503, exchange: 'message' } }, [
    'token-endpoint',
    'transient',
    'link',
    'token.unavailable',
    'not-sent',
  ]),

  // Sessions
  sample('404 to a session that was given out just now (12)', http(404, {}, { phase: 'discovering' }), [
    'session-lost-at-once',
    'session-expired',
    'link',
    'session.lost-at-once',
    'refused',
  ]),
  sample(
    'every further listening stream dead at birth',
    { kind: 'stream', stream: 'listen', sent: true, http: { status: 200, exchange: 'listen' } },
    ['listening-dead', 'session-expired', 'link', 'session.listening-dead', 'refused'],
  ),
  sample('404 for an unknown method', http(404, { rpc: rpc(-32601, 'Method not found') }), [
    'unknown-method-404',
    'permanent',
    'call',
    'rpc.-32601',
    'refused',
  ]),
  sample('404 as the specification has it (4)', http(404, { rpc: rpc(-32001, 'Session not found') }), unknown404),
  sample('404 of the Python SDK (3)', http(404, { rpc: rpc(-32600, 'Session not found') }), unknown404),
  sample('404 with an error that says nothing', http(404, { rpc: rpc(-32000, 'Error') }), unknown404),
  sample('404 plain text (9)', http(404, { body: 'Invalid session ID' }), unknown404),
  sample('404 without a body', http(404, {}), bare404),
  sample('404 with half an answer (9)', http(404, { body: '{"jsonrpc":"2.0","id":1}' }), bare404),
  sample('404 page of a proxy', http(404, { body: '<html>Not Found</html>', type: 'text/html' }), bare404),
  sample(
    '409 to the listening stream (17)',
    http(409, { body: 'Only one SSE stream is allowed', exchange: 'listen' }),
    ['listening-conflict', 'session-expired', 'link', 'session.listening-conflict', 'refused'],
  ),
  sample(
    '400 of copied examples (1)',
    http(400, { rpc: rpc(-32000, 'Bad Request: No valid session ID provided') }),
    lost,
  ),
  sample('400 after a restart (2)', http(400, { rpc: rpc(-32000, 'Bad Request: Server not initialized') }), lost),
  sample(
    '400 framed as SSE (2, 28)',
    http(400, { body: 'event: message\ndata: {"error":{"message":"Server not initialized"}}' }),
    lost,
  ),
  sample('400 plain text (9)', http(400, { body: 'Invalid session ID' }), lost),
  sample('400 with an unknown id (10)', http(400, { rpc: rpc(-32600, 'Unknown Mcp-Session-Id') }), lost),
  sample('500 around the text (5)', http(500, { body: 'Error: Bad Request: No valid session ID provided' }), lost),
  sample(
    '503 of one replica (6)',
    http(503, { rpc: rpc(-32001, 'Service Unavailable: MCP session is unknown on this API instance') }),
    lost,
  ),
  sample('409 for a stale session (7)', http(409, { body: 'session expired' }), lost),
  sample(
    '200 and -32002 (8)',
    { kind: 'rpc', sessionSent: true, method: 'tools/call', rpc: rpc(-32002, 'Server not initialized') },
    lost,
  ),
  sample(
    '200 and -32600 (8)',
    { kind: 'rpc', sessionSent: true, method: 'tools/call', rpc: rpc(-32600, 'missing or invalid Mcp-Session-Id') },
    lost,
  ),
  sample(
    '-32600 Client not initialized (10)',
    { kind: 'rpc', sessionSent: true, method: 'ping', rpc: rpc(-32600, 'Client not initialized.') },
    lost,
  ),
  sample(
    '-32602 before initialization',
    {
      kind: 'rpc',
      sessionSent: true,
      method: 'tools/list',
      rpc: rpc(-32602, 'Received request before initialization was complete'),
    },
    lost,
  ),
  sample(
    '400 already initialized (11)',
    http(400, { rpc: rpc(-32600, 'Invalid Request: Server already initialized') }, atStart),
    ['already-initialized', 'mismatch', 'link', 'session.occupied', 'refused'],
  ),
  sample(
    'already initialized, in other words (11)',
    { kind: 'rpc', ...atStart, rpc: rpc(-32600, 'Server is already initialized') },
    ['already-initialized', 'mismatch', 'link', 'session.occupied', 'refused'],
  ),
  sample(
    '400 already initialized, again (11)',
    http(400, { rpc: rpc(-32600, 'Server already initialized') }, { ...atStart, dialectsTried: ['end session'] }),
    ['already-initialized-still', 'transient', 'link', 'session.occupied', 'refused'],
  ),

  // Versions and wires
  sample(
    '-32602 with a list of versions (29)',
    {
      kind: 'rpc',
      ...atStart,
      rpc: rpc(-32602, 'Unsupported protocol version', { supported: ['2025-03-26'], requested: 'x' }),
    },
    version,
  ),
  sample(
    '-32022 to initialize (29)',
    { kind: 'rpc', ...atStart, rpc: rpc(-32022, 'no', { supported: ['2024-11-05'] }) },
    version,
  ),
  sample(
    '400 naming versions (30)',
    http(400, { body: 'Unsupported protocol version (supported versions: 2025-06-18, 2025-03-26)' }, atStart),
    version,
  ),
  sample(
    'the version that was asked for, and the one to ask for',
    {
      kind: 'rpc',
      ...atStart,
      askedVersion: '2025-11-25',
      rpc: rpc(-32602, 'Unsupported protocol version 2025-11-25, use 2025-03-26'),
    },
    version,
  ),
  sample(
    'a version refused, and none named (29)',
    { kind: 'rpc', ...atStart, askedVersion: '2025-11-25', rpc: rpc(-32602, 'Unsupported protocol version') },
    ['version-guessed', 'mismatch', 'link', 'version.unsupported', 'refused'],
  ),
  sample(
    'the oldest version refused, and none named',
    { kind: 'rpc', ...atStart, askedVersion: '2024-10-07', rpc: rpc(-32602, 'Unsupported protocol version') },
    ['version-unsupported', 'permanent', 'link', 'version.unsupported', 'refused'],
  ),
  sample(
    'no version in common',
    { kind: 'rpc', ...atStart, rpc: rpc(-32602, 'Unsupported protocol version: 1999-01-01') },
    ['version-unsupported', 'permanent', 'link', 'version.unsupported', 'refused'],
  ),
  sample('404 to initialize, auto', http(404, {}, { ...atStart, legacyAllowed: true }), [
    'legacy-wire',
    'mismatch',
    'link',
    'wire.legacy',
    'refused',
  ]),
  sample('405 to initialize, auto', http(405, {}, { ...atStart, legacyAllowed: true }), [
    'legacy-wire',
    'mismatch',
    'link',
    'wire.legacy',
    'refused',
  ]),

  // Other HTTP answers
  sample('a redirect elsewhere at the start (21)', http(307, {}, atStart), [
    'redirect-at-start',
    'permanent',
    'link',
    'http.307',
    'refused',
  ]),
  sample('a redirect into a sign-in page (21, 40)', http(302, {}), [
    'redirect',
    'permanent',
    'call',
    'http.302',
    'unknown',
    true,
  ]),
  sample('502 page to initialize (23)', http(502, { body: '<html>', type: 'text/html' }, atStart), [
    'overloaded-at-start',
    'transient',
    'link',
    'http.502',
    'refused',
  ]),
  sample('429 to initialize (24)', http(429, {}, { ...atStart, retryAfterMs: 3_000 }), [
    'overloaded-at-start',
    'transient',
    'link',
    'http.429',
    'refused',
  ]),
  sample('529 to initialize', http(529, {}, atStart), [
    'overloaded-at-start',
    'transient',
    'link',
    'http.529',
    'refused',
  ]),
  sample('429 to a call (24)', http(429, {}, { retryAfterMs: 3_000 }), [
    'rate-limited',
    'transient',
    'call',
    'http.429',
    'refused',
  ]),
  sample('503 to a call (23)', http(503, { body: '<html>', type: 'text/html' }), [
    'server-error',
    'transient',
    'call',
    'http.503',
    'unknown',
    true,
  ]),
  sample('408 to a call', http(408, {}), ['server-error', 'transient', 'call', 'http.408', 'unknown', true]),
  sample('500 without a word of the session (40)', http(500, { body: 'token expired' }), [
    'server-error',
    'transient',
    'call',
    'http.500',
    'unknown',
    true,
  ]),
  sample('404 to initialize, http only', http(404, {}, atStart), [
    'not-this-endpoint',
    'permanent',
    'link',
    'http.404',
    'refused',
  ]),
  sample(
    '404 to initialize, auto, the older wire tried',
    http(404, {}, { ...atStart, legacyAllowed: true, dialectsTried: ['wire sse'] }),
    ['not-this-endpoint', 'permanent', 'link', 'http.404', 'refused'],
  ),
  sample('404 to initialize during a redeploy', http(404, {}, { ...atStart, everReady: true }), [
    'not-this-endpoint',
    'transient',
    'link',
    'http.404',
    'refused',
  ]),
  sample('406 to initialize (20)', http(406, {}, atStart), [
    'not-this-endpoint',
    'permanent',
    'link',
    'http.406',
    'refused',
  ]),
  sample('421 Invalid Host header (22)', http(421, { body: 'Invalid Host header' }, atStart), [
    'not-this-endpoint',
    'permanent',
    'link',
    'http.421',
    'refused',
  ]),
  sample('415 to a call', http(415, {}), ['call-refused', 'permanent', 'call', 'http.415', 'refused', true]),
  sample('400 to a call, no word of the session', http(400, { body: 'bad arguments' }), [
    'call-refused',
    'permanent',
    'call',
    'http.400',
    'refused',
    true,
  ]),
  sample('404 to a call without a session', http(404, {}, { sessionSent: false }), [
    'call-refused',
    'permanent',
    'call',
    'http.404',
    'refused',
    true,
  ]),
  sample('404 to the listening stream (13, 14)', http(404, { exchange: 'listen' }), [
    'call-refused',
    'permanent',
    'call',
    'http.404',
    'refused',
    true,
  ]),
  sample('a page in place of the handshake', http(200, { type: 'text/html' }, atStart), [
    'not-mcp',
    'permanent',
    'link',
    'content.not-mcp',
    'unknown',
  ]),
  sample('noise in place of the handshake', { kind: 'malformed', ...atStart }, [
    'not-mcp',
    'permanent',
    'link',
    'content.not-mcp',
    'unknown',
  ]),
  sample('a page in place of an answer', http(200, { type: 'text/html' }), [
    'malformed',
    'transient',
    'call',
    'content.malformed',
    'unknown',
    true,
  ]),

  // Calls
  sample('an answer that cannot be read', { kind: 'malformed', method: 'tools/call' }, [
    'malformed',
    'transient',
    'call',
    'content.malformed',
    'unknown',
    true,
  ]),
  sample('the stream of the handshake broke off', { kind: 'stream', stream: 'reply', ...atStart }, [
    'stream-lost-at-start',
    'transient',
    'link',
    'stream.lost',
    'unknown',
  ]),
  sample('a reply stream without its answer (25)', { kind: 'stream', stream: 'reply', method: 'tools/call' }, [
    'stream-lost',
    'transient',
    'call',
    'stream.lost',
    'unknown',
    true,
  ]),
  sample('an answer over the limit', { kind: 'oversize', method: 'tools/call' }, [
    'oversize',
    'permanent',
    'call',
    'message.oversize',
    'unknown',
  ]),
  sample('-32601 to initialize', { kind: 'rpc', ...atStart, rpc: rpc(-32601, 'Method not found') }, [
    'initialize-refused',
    'permanent',
    'link',
    'rpc.-32601',
    'refused',
  ]),
  sample('-32603 to initialize', { kind: 'rpc', ...atStart, rpc: rpc(-32603, 'Internal error') }, [
    'error-at-start',
    'transient',
    'link',
    'rpc.-32603',
    'unknown',
  ]),
  sample(
    '-32602 of a tool about its session argument',
    { kind: 'rpc', sessionSent: true, method: 'tools/call', rpc: rpc(-32602, 'Invalid arguments: session not found') },
    ['rpc-error', 'permanent', 'call', 'rpc.-32602', 'unknown'],
  ),
  sample(
    'an error of the application by its own code',
    { kind: 'rpc', sessionSent: true, method: 'tools/call', rpc: rpc(404, 'Session not found') },
    ['rpc-error', 'permanent', 'call', 'rpc.404', 'unknown'],
  ),
  sample(
    'ping unsupported (34)',
    { kind: 'rpc', sessionSent: true, method: 'ping', rpc: rpc(-32601, 'Method not found') },
    ['rpc-error', 'permanent', 'call', 'rpc.-32601', 'unknown'],
  ),

  // The rest
  sample('the wire ended', {}, ['wire-closed', 'transient', 'link', 'wire.closed', 'unknown']),
  sample('something threw in a call', { kind: 'thrown', method: 'tools/call' }, [
    'unknown-in-call',
    'transient',
    'call',
    'unknown',
    'unknown',
    true,
  ]),
  sample('something threw', { kind: 'thrown', phase: 'connecting' }, [
    'unknown',
    'transient',
    'link',
    'unknown',
    'unknown',
  ]),
]
