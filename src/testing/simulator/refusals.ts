/** Ways in which servers say that they do not know a session (known server deviations 1–10). */
export const lossDialects = [
  '404 json-rpc',
  '404 string id',
  '404 text',
  '404 bare',
  '400 no valid session',
  '400 not initialized, as an event',
  '400 text',
  '409',
  '500 wrapped',
  '503 this instance',
  '200 error',
] as const
export type LossDialect = (typeof lossDialects)[number]

/** An HTTP answer that is no stream. */
export interface Whole {
  readonly status: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const rpc = (code: number, message: string, id: unknown = null) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })

/** How a server of this kind says that it does not know the session of a request. */
export function lossOf(dialect: LossDialect, id: unknown): Whole {
  switch (dialect) {
    case '404 json-rpc':
      return json(404, rpc(-32001, 'Session not found'))
    case '404 string id':
      return json(404, rpc(-32600, 'Session not found', 'server-error'))
    case '404 text':
      return { status: 404, type: 'text/plain', body: 'Invalid session ID' }
    case '404 bare':
      return { status: 404 }
    case '400 no valid session':
      return json(400, rpc(-32000, 'Bad Request: No valid session ID provided'))
    case '400 not initialized, as an event': {
      const body = `event: message\ndata: ${rpc(-32000, 'Bad Request: Server not initialized')}\n\n`
      return { status: 400, type: 'text/event-stream', body }
    }
    case '400 text':
      return { status: 400, type: 'text/plain', body: 'Invalid session ID' }
    case '409':
      return json(409, rpc(-32000, 'Conflict: session expired'))
    case '500 wrapped':
      return json(500, rpc(-32603, 'Error 400: Bad Request: No valid session ID provided'))
    case '503 this instance':
      return json(503, rpc(-32001, 'Service Unavailable: MCP session is unknown on this API instance'))
    case '200 error':
      return json(200, rpc(-32600, 'missing or invalid Mcp-Session-Id', id ?? null))
  }
}

/** Answers in the place of the server's own: before it has seen the request, or after it has run it. */
export const statuses = {
  '429': { status: 429, type: 'text/plain', body: 'slow down' },
  '500': { status: 500, type: 'text/plain', body: 'oops' },
  '502': { status: 502, type: 'text/html', body: '<html>Bad Gateway</html>' },
  '503': { status: 503, type: 'text/html', body: '<html>Service Unavailable</html>' },
  '504': { status: 504, type: 'text/html', body: '<html>Gateway Time-out</html>' },
  /** What no waiting cures, where it is the first thing that a target says. */
  page: { status: 200, type: 'text/html', body: '<html>Welcome</html>' },
  /** Another version is tried, once; after that, nothing is left to try. */
  version: {
    status: 400,
    type: 'application/json',
    body: rpc(-32000, 'Bad Request: Unsupported protocol version (supported versions: 2025-06-18, 2025-03-26)'),
  },
  '403': { status: 403, type: 'text/plain', body: 'forbidden' },
} as const satisfies Record<string, Whole>
export type StatusName = keyof typeof statuses

/** What no waiting cures, at least where it comes first. */
export const isForGood = (status: StatusName): boolean => ['page', '403', 'version'].includes(status)

/** What may come although the request has run: a proxy gives up on a server that is still at work. */
export const afterRunning = ['500', '502', '504'] as const satisfies readonly StatusName[]

const json = (status: number, body: string): Whole => ({ status, type: 'application/json', body })
