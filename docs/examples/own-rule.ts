import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js'
import { createConnection, type Rule } from 'mcp-lifeline'

let opened = 0

/** The first server is about to leave and says so, with an error code of its own. The second works. */
function open() {
  const number = ++opened
  const server = new Server({ name: 'pool', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(CallToolRequestSchema, () => {
    if (number === 1) throw new McpError(-32050, 'draining')
    return { content: [{ type: 'text', text: `server ${number} did it` }] }
  })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  void server.connect(theirs)
  return ours
}

// part: rule
const draining: Rule = {
  id: 'draining',
  because: 'our pool answers -32050 before it takes a server away; the request did not run',
  when: (evidence) => evidence.rpc?.code === -32050,
  ruling: {
    class: 'transient',
    scope: 'link',
    code: 'pool.draining',
    delivery: 'refused',
    advice: 'The server is being replaced; the call goes to the next one.',
  },
}

await using pool = createConnection({ name: 'pool', target: { open }, rules: [draining] })
// end

const answer = await pool.callTool({ name: 'work' })
console.log(answer.content[0]?.text)
