import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { createConnection } from 'mcp-lifeline'
import { firstValueFrom } from 'rxjs'

let breakIt = () => {}

function open() {
  const server = new McpServer({ name: 'clock', version: '1.0.0' })
  server.registerTool('day', {}, () => ({ content: [{ type: 'text', text: 'It is Monday.' }] }))
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  breakIt = () => void theirs.close()
  void server.connect(theirs)
  return ours
}

await using clock = createConnection({ name: 'clock', target: { open } })
await clock.connect()

// part: watching
clock.status$.subscribe((status) => console.log(`now ${status}`))
clock.catalog$.subscribe(({ tools }) => console.log(`tools: ${tools.map(({ name }) => name).join(', ')}`))
clock.notifications$.subscribe(({ method }) => console.log(`the server says ${method}`))
const incident = firstValueFrom(clock.incidents$)
// end

breakIt()
const { kind, reason, outcome, attempts } = await incident
console.log(`${kind} by ${reason.code}, ${outcome} after ${attempts.length} failed attempts`)
