/**
 * One replica of a server, of the official SDK, in a process of its own: `replica.ts PORT HOST LOG NAME [MODE]`. Each run
 * of the tool `work` is written to LOG before it is answered. `stdio` as PORT: over stdin and stdout.
 */
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'

const [port = '', host = '', log = '', name = ''] = process.argv.slice(2)

function mcpServer(): McpServer {
  const server = new McpServer({ name, version: '1.0.0' })
  const inputSchema = { id: z.string(), takesMs: z.number().optional(), steps: z.number().optional() }
  server.registerTool('work', { inputSchema }, async ({ id, takesMs = 0, steps = 0 }, { sendNotification, _meta }) => {
    appendFileSync(log, `${id}\n`)
    for (let step = 1; step <= steps; step++) {
      await pause(takesMs / steps)
      if (_meta?.progressToken === undefined) continue
      const params = { progressToken: _meta.progressToken, progress: step, total: steps }
      await sendNotification({ method: 'notifications/progress', params })
    }
    if (steps === 0 && takesMs > 0) await pause(takesMs)
    return { content: [{ type: 'text', text: `${name}: ${id}` }] }
  })
  return server
}

if (port === 'stdio') {
  await mcpServer().connect(new StdioServerTransport())
} else {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  const http = createServer(async (req, res) => {
    if (req.url === '/health') return res.writeHead(200).end()
    const id = req.headers['mcp-session-id']
    if (typeof id === 'string') {
      const known = transports.get(id)
      if (known) return known.handleRequest(req, res)
      const error = { code: -32001, message: 'Session not found' }
      return res
        .writeHead(404, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', error, id: null }))
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void transports.set(session, transport),
    })
    await mcpServer().connect(transport)
    return transport.handleRequest(req, res)
  })
  // As a server does that is asked to end by its supervisor: no new connections, and what runs may end.
  process.on('SIGTERM', () => {
    http.close(() => process.exit(0))
    http.closeIdleConnections()
    setTimeout(() => process.exit(0), 1_500)
  })
  http.keepAliveTimeout = 60_000
  http.listen(Number(port), host, () => process.stdout.write('listening\n'))
}
