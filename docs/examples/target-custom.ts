import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { createConnection } from 'mcp-lifeline'

/** A server in this process, and the client's end of a transport to it; fresh for every link. */
function open() {
  const server = new McpServer({ name: 'clock', version: '1.0.0' })
  server.registerTool('day', { description: 'Day of the week' }, () => ({
    content: [{ type: 'text', text: 'It is Monday.' }],
  }))
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  void server.connect(theirs)
  return ours
}

await using clock = createConnection({ name: 'clock', target: { open } })

// Nobody called connect(): the first call starts the connection and waits for it.
const answer = await clock.callTool({ name: 'day' })
console.log(answer.content[0]?.text)
