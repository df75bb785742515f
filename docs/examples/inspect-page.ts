import { createConnection } from 'mcp-lifeline'
import { startInspector } from 'mcp-lifeline/inspect'

// part: start
const inspector = await startInspector()
console.log(`Open ${inspector.url}`)

const server = createConnection({
  name: 'everything',
  target: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] },
  inspect: inspector.inspect,
})
await server.connect()
// end
console.log(`${server.name} is ${server.status}`)

// part: end
await server.close()
await inspector.close()
// end
