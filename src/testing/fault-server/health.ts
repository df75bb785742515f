/** The healthy MCP server beneath the faults: small, stateful, revision 2025-11-25 unless told otherwise. */
import type { Visit } from './visit.js'

export interface Tool {
  name: string
  description?: string
  inputSchema?: unknown
  [more: string]: unknown
}

export interface HealthOptions {
  /** Form of the answers to requests. Default `json`. */
  replies?: 'json' | 'sse'
  /** Whether `initialize` gives out session ids and every other request must carry one. Default `true`. */
  sessions?: boolean
  /** Whether GET opens a listening stream; otherwise 405. Default `true`. */
  listening?: boolean
  /** Default: whatever the client asks for. */
  protocolVersion?: string
  tools?: Tool[]
  capabilities?: Record<string, unknown>
  /** Runs `tools/call`. Default: returns the arguments as text. */
  call?: (name: string, args: Record<string, unknown>) => Record<string, unknown> | Promise<Record<string, unknown>>
}

const defaultTools: Tool[] = [
  { name: 'echo', description: 'returns what it is given', inputSchema: { type: 'object' } },
]

export async function serveHealthy(visit: Visit, options: HealthOptions): Promise<void> {
  const { request, res, server } = visit
  const needsSession = options.sessions !== false && request.method !== 'initialize'
  if (needsSession && !(request.session !== undefined && server.sessions.has(request.session)))
    return refuseSession(visit)
  switch (request.http) {
    case 'GET':
      return listen(visit, options)
    case 'DELETE':
      if (request.session !== undefined) server.sessions.delete(request.session)
      res.writeHead(200).end()
      return
    case 'POST':
      return serveMessage(visit, options)
    default:
      res.writeHead(405).end()
  }
}

/** As the specification has it: 400 without an id, 404 for one that is not known. */
function refuseSession({ request, res }: Visit): void {
  const missing = request.session === undefined
  const error = missing
    ? { code: -32000, message: 'Bad Request: Mcp-Session-Id header is required' }
    : { code: -32001, message: 'Session not found' }
  res.writeHead(missing ? 400 : 404, { 'content-type': 'application/json' })
  res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
}

function listen({ request, res, server }: Visit, options: HealthOptions): void {
  if (options.listening === false) {
    res.writeHead(405, { allow: 'POST, DELETE' }).end()
    return
  }
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  res.flushHeaders()
  server.streams.add(res, request.session)
}

async function serveMessage({ request, res, server }: Visit, options: HealthOptions): Promise<void> {
  if (request.method === undefined || request.id === undefined) {
    res.writeHead(202).end()
    return
  }
  const headers: Record<string, string> = {}
  if (request.method === 'initialize' && options.sessions !== false) headers['mcp-session-id'] = server.openSession()
  const outcome = await outcomeOf(request.method, paramsOf(request.body), options)
  const text = JSON.stringify({ jsonrpc: '2.0', id: request.id, ...outcome })
  if (res.destroyed) return
  if (options.replies === 'sse') {
    res.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).end(`event: message\ndata: ${text}\n\n`)
  } else res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text)
}

/** What a request is answered with. */
export async function outcomeOf(
  method: string,
  params: Record<string, unknown>,
  options: HealthOptions,
): Promise<{ result: unknown } | { error: { code: number; message: string } }> {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: options.protocolVersion ?? params.protocolVersion ?? '2025-11-25',
          capabilities: options.capabilities ?? { tools: { listChanged: true } },
          serverInfo: { name: 'fault-server', version: '1.0.0' },
        },
      }
    case 'ping':
      return { result: {} }
    case 'tools/list':
      return { result: { tools: options.tools ?? defaultTools } }
    case 'tools/call': {
      const args = isRecord(params.arguments) ? params.arguments : {}
      const call = options.call ?? ((_name, given) => ({ content: [{ type: 'text', text: JSON.stringify(given) }] }))
      return { result: await call(String(params.name), args) }
    }
    default:
      return { error: { code: -32601, message: `Method not found: ${method}` } }
  }
}

export function paramsOf(body: unknown): Record<string, unknown> {
  return isRecord(body) && isRecord(body.params) ? body.params : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
