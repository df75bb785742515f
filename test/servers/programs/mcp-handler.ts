/** mcp-handler behind Node: no sessions for anybody. */
import { serve } from '@hono/node-server'
import { createMcpHandler } from 'mcp-handler'
import { z } from 'zod'
import { describe, echo, generation, port } from './shared.js'

const fetch = createMcpHandler((server) => {
  server.registerTool(
    'echo',
    { description: describe, inputSchema: z.object({ text: z.string() }) },
    async ({ text }) => ({ content: [{ type: 'text', text: await echo(text) }] }),
  )
  server.registerTool(generation, {}, () => ({ content: [] }))
})
serve({ port, hostname: '127.0.0.1', fetch })
