/** FastMCP. Modes: `sessions`, `json` (sessions, answers in JSON), `stateless`, `stdio`. */
import { FastMCP } from 'fastmcp'
import { z } from 'zod'
import { describe, echo, generation, mode, port } from './shared.js'

const server = new FastMCP({ name: `fastmcp ${mode}`, version: '1.0.0' })
server.addTool({
  name: 'echo',
  description: describe,
  parameters: z.object({ text: z.string() }),
  execute: ({ text }) => echo(text),
})
server.addTool({ name: generation, description: generation, execute: async () => '' })

if (mode === 'stdio') {
  await server.start({ transportType: 'stdio' })
} else {
  const httpStream = {
    port,
    host: '127.0.0.1',
    stateless: mode === 'stateless',
    enableJsonResponse: mode === 'json',
  }
  await server.start({ transportType: 'httpStream', httpStream })
}
