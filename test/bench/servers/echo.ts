/**
 * Servers for the benchmarks, each with one tool `echo`, in a process of its own. `json` and `sse` do next to nothing,
 * so that the figures are about clients; `sdk` is the official SDK's server, which takes most of a call for itself.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'

export function echoServer(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }))
  return server
}

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
  await serve(async (req, res) => {
    if (req.method !== 'POST') {
      res.writeHead(405).end()
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    if (id === undefined) {
      res.writeHead(202).end()
      return
    }
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) })
    const session = method === 'initialize' ? { 'mcp-session-id': randomUUID() } : {}
    if (replies === 'json') res.writeHead(200, { 'content-type': 'application/json', ...session }).end(text)
    else
      res.writeHead(200, { 'content-type': 'text/event-stream', ...session }).end(`event: message\ndata: ${text}\n\n`)
  })
}

function resultOf(method: string, params: { protocolVersion?: string; arguments?: { text?: string } }): object {
  if (method === 'initialize') {
    const { protocolVersion } = params
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bench', version: '1.0.0' } }
  }
  if (method === 'tools/call') return { content: [{ type: 'text', text: params.arguments?.text }] }
  return method === 'tools/list' ? { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } : {}
}

async function serve(handler: RequestListener): Promise<void> {
  const http = createServer(handler)
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
