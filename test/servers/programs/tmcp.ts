/** tmcp with its HTTP transport. */
import { serve } from '@hono/node-server'
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { HttpTransport } from '@tmcp/transport-http'
import { McpServer } from 'tmcp'
import { z } from 'zod'
import { describe, echo, generation, port } from './shared.js'

const server = new McpServer(
  { name: 'tmcp', version: '1.0.0', description: '' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
)
server.tool({ name: 'echo', description: describe, schema: z.object({ text: z.string() }) }, async ({ text }) => ({
  content: [{ type: 'text', text: await echo(text) }],
}))
server.tool({ name: generation, description: generation }, () => ({ content: [] }))

const transport = new HttpTransport(server, { path: '/mcp', allowedOrigins: [] })
serve({
  port,
  hostname: '127.0.0.1',
  fetch: async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 }),
})
