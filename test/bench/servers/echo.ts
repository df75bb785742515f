/**
 * Servers for the benchmarks, each with one tool `echo`, in a process of its own. `json` and `sse` do next to nothing,
 * so that the figures are about clients; `sdk` is the official SDK's server, which takes most of a call for itself.
 *
 * The address says how much there is to list: `/mcp?tools=200&pages=10`.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { answerTo } from './answers.js'
import { echoServer } from './echo-server.js'
import { answerToEcho } from './lean-call.js'

/** The official server over HTTP, stateful. */
async function sdkOverHttp(): Promise<void> {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  await serve(async (req, res) => {
    const id = req.headers['mcp-session-id']
    const known = typeof id === 'string' ? transports.get(id) : undefined
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: true,
        onsessioninitialized: (session) => void transports.set(session, transport),
      })
    if (!known) await echoServer().connect(transport)
    await transport.handleRequest(req, res)
  })
}

/** As little of a server as a client will talk to. */
async function leanOverHttp(replies: 'json' | 'sse'): Promise<void> {
  const types = { json: 'application/json', sse: 'text/event-stream' }
  const [head, tail] = replies === 'sse' ? [eventHead, eventTail] : [nothing, nothing]
  const write = (res: ServerResponse, answer: Buffer, headers: Record<string, string> = {}) => {
    const length = head.length + answer.length + tail.length
    res.writeHead(200, { 'content-type': types[replies], 'content-length': length, ...headers })
    if (replies === 'json') res.end(answer)
    else res.end(Buffer.concat([head, answer, tail], length))
  }
  const reply = (req: IncomingMessage, res: ServerResponse, message: Buffer): void => {
    const echo = answerToEcho(message)
    if (echo) {
      write(res, echo)
      return
    }
    const { id, method, params } = JSON.parse(message.toString())
    if (id === undefined) {
      res.writeHead(202).end()
      return
    }
    const query = new URL(req.url ?? '/', 'http://localhost').searchParams
    const offer = { tools: Number(query.get('tools') ?? 1), pages: Number(query.get('pages') ?? 1) }
    const answer = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: answerTo(method, params, offer) }))
    write(res, answer, method === 'initialize' ? { 'mcp-session-id': randomUUID() } : {})
  }
  await serve((req, res) => {
    if (req.method !== 'POST') {
      res.writeHead(405).end()
      return
    }
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => reply(req, res, Buffer.concat(chunks)))
  })
}

const nothing = Buffer.alloc(0)
const eventHead = Buffer.from('event: message\ndata: ')
const eventTail = Buffer.from('\n\n')

/**
 * Tells its port to the parent process, and on `posts` how many there were since it was last asked. `GET /idle` ends the
 * sockets on which nothing is under way.
 */
async function serve(handler: RequestListener): Promise<void> {
  process.on('disconnect', () => process.exit())
  let posts = 0
  const http = createServer((req, res) => {
    if (req.url === '/idle') {
      res.writeHead(204, { connection: 'close' }).end()
      http.closeIdleConnections()
      return
    }
    if (req.method === 'POST') posts += 1
    return handler(req, res)
  })
  process.on('message', () => {
    process.send?.(posts)
    posts = 0
  })
  http.listen(0, '127.0.0.1', () => process.send?.((http.address() as AddressInfo).port))
}

switch (process.argv[2]) {
  case 'stdio':
    await echoServer().connect(new StdioServerTransport())
    break
  case 'json':
  case 'sse':
    await leanOverHttp(process.argv[2])
    break
  case 'sdk':
    await sdkOverHttp()
}
