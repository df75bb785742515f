import { ConnectionFailedError, createConnection } from 'mcp-lifeline'

await using server = createConnection({ name: 'typo', target: { command: 'mcp-server-evrything' } })

try {
  await server.connect()
} catch (error) {
  if (!(error instanceof ConnectionFailedError)) throw error
  console.log(`${error.fault?.code}: ${error.fault?.advice}`)
}

// The handle stays good: a new target sets the failed connection going again.
server.configure({ target: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } })
await server.ready()
console.log(`${server.name} is ${server.status}`)
