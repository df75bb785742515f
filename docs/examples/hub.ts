import { createHub } from 'mcp-lifeline'

await using hub = createHub({
  servers: {
    everything: { target: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
    // Cannot be started. It holds up nobody, and says why.
    typo: { target: { command: 'mcp-server-evrything' } },
    // Started by its first call, and stopped when it was not called for ten minutes.
    seldom: {
      target: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] },
      lazy: true,
      idleMs: 600_000,
      tools: { include: ['echo', 'get-*'], exclude: ['get-env'] },
    },
  },
})
hub.status$.subscribe(({ name, status, fault }) => console.log(`${name} is ${status}${fault ? `: ${fault.code}` : ''}`))

await hub.start()
console.log(`tools: ${hub.tools.some(({ name }) => name === 'everything__echo') ? 'everything__echo, …' : 'none'}`)

const sum = await hub.callTool({ name: 'everything__get-sum', arguments: { a: 2, b: 3 } })
console.log(sum.content[0]?.text)
const echo = await hub.callTool({ server: 'seldom', name: 'echo', arguments: { message: 'awake' } })
console.log(echo.content[0]?.text)
