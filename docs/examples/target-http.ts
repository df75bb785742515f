import { createConnection } from 'mcp-lifeline'

await using server = createConnection({
  name: 'everything',
  target: {
    url: process.env.MCP_URL ?? 'http://localhost:3001/mcp',
    // Asked anew for every request, so that a token may change.
    headers: () => ({ 'x-request-source': 'example' }),
  },
})

const tools = await server.listTools()
console.log(`${tools.length > 0 ? 'tools' : 'no tools'}, protocol ${server.session?.protocolVersion}`)
