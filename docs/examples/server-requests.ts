import { createConnection } from 'mcp-lifeline'

await using server = createConnection({
  name: 'everything',
  target: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] },
  client: {
    name: 'my-app',
    version: '1.0.0',
    // A handler that is given is a capability that is announced.
    handlers: {
      'roots/list': () => ({ roots: [{ uri: 'file:///projects/demo', name: 'demo' }] }),
      'elicitation/create': () => ({ action: 'decline' }),
    },
  },
})

const answer = await server.callTool({ name: 'get-roots-list' })
console.log(answer.content[0]?.text)
