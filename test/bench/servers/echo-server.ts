import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'

/** The official SDK's server with one tool, `echo`. */
export function echoServer(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }))
  return server
}
