/** Small servers of the official SDK for the benchmarks: `echo` over stdio or HTTP, in a process of their own. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
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

async function overHttp(enableJsonResponse: boolean): Promise<void> {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  const http = createServer(async (req, res) => {
    const id = req.headers['mcp-session-id']
    const known = typeof id === 'string' ? transports.get(id) : undefined
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse,
        onsessioninitialized: (session) => void transports.set(session, transport),
      })
    if (!known) await echoServer().connect(transport)
    await transport.handleRequest(req, res)
  })
  http.listen(0, '127.0.0.1', () => process.send?.((http.address() as AddressInfo).port))
}

switch (process.argv[2]) {
  case 'stdio':
    await echoServer().connect(new StdioServerTransport())
    break
  case 'json':
    await overHttp(true)
    break
  case 'sse':
    await overHttp(false)
}
