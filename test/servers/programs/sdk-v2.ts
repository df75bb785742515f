/** A server of the official SDK v2 that keeps sessions of the 2025 revisions. */
import { randomUUID } from 'node:crypto'
import { serve } from '@hono/node-server'
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { describe, echo, generation, port } from './shared.js'

const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

async function openSession(): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => {
      sessions.set(id, transport)
    },
    onsessionclosed: (id) => {
      sessions.delete(id)
    },
  })
  const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' })
  server.registerTool(
    'echo',
    { description: describe, inputSchema: z.object({ text: z.string() }) },
    async ({ text }) => ({ content: [{ type: 'text', text: await echo(text) }] }),
  )
  server.registerTool(generation, {}, () => ({ content: [] }))
  await server.connect(transport)
  return transport
}

serve({
  port,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
    return (known ?? (await openSession())).handleRequest(request)
  },
})
