import { createConnection } from 'mcp-lifeline'

const server = createConnection({
  name: 'everything',
  target: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] },
})
server.status$.subscribe((status) => console.log(`everything is ${status}`))

await server.connect()
const answer = await server.callTool({ name: 'get-sum', arguments: { a: 2, b: 3 } })
console.log(answer.content[0]?.text)
await server.close()
