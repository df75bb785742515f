/** @hono/mcp as its documentation writes it: one transport. Modes: `readme` (without sessions) and `sessions`. */
import { randomUUID } from 'node:crypto'
import { StreamableHTTPTransport } from '@hono/mcp'
import { serve } from '@hono/node-server'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { Hono } from 'hono'
import { z } from 'zod'
import { describe, echo, generation, mode, port } from './shared.js'

const server = new McpServer({ name: `hono-mcp ${mode}`, version: '1.0.0' })
server.registerTool('echo', { description: describe, inputSchema: { text: z.string() } }, async ({ text }) => ({
  content: [{ type: 'text', text: await echo(text) }],
}))
server.registerTool(generation, {}, () => ({ content: [] }))

const transport = new StreamableHTTPTransport(mode === 'sessions' ? { sessionIdGenerator: randomUUID } : {})
const app = new Hono()
app.all('/mcp', async (c) => {
  if (!server.isConnected()) await server.connect(transport)
  return (await transport.handleRequest(c)) ?? c.body(null)
})
serve({ port, hostname: '127.0.0.1', fetch: app.fetch })
