import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js'
import { createConnection } from 'mcp-lifeline'
import { quotaRule } from './limits.js'
import { machine } from './machine.js'

let asked = 0

/** A provider whose quota is used up at the second call. */
function open() {
  const server = new Server({ name: 'provider', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(CallToolRequestSchema, () => {
    if (++asked === 2) throw new McpError(-32029, 'quota exceeded')
    return { content: [{ type: 'text', text: `answer ${asked}` }] }
  })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  void server.connect(theirs)
  return ours
}

// part: run
const provider = createConnection({
  name: 'provider',
  target: { open },
  machine,
  rules: [quotaRule],
  input: { quotaMs: 200 },
})

provider.actor.on('connection.lost', ({ fault }) => console.log(`${fault.code}: ${fault.advice}`))

const ask = async () => (await provider.callTool({ name: 'ask' })).content[0]?.text
console.log(await ask())
// The second call meets the quota. It was refused, so it waits for the new quota and is sent again.
console.log(await ask())

provider.actor.send({ type: 'maintenance.begin' })
console.log(`in maintenance: ${provider.actor.getSnapshot().hasTag('maintenance')}, ${provider.status}`)
const waiting = ask()
provider.actor.send({ type: 'maintenance.end' })
console.log(await waiting)
await provider.close()
// end
