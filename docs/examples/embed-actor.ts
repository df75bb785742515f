import { connectionInput, connectionMachine, connectionOf } from 'mcp-lifeline'
import { createActor, waitFor } from 'xstate'

const input = connectionInput({
  name: 'everything',
  target: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] },
})
const actor = createActor(connectionMachine, { input })
// The handle of this actor: made before the start, it misses nothing, and an error in the actor cannot go unheard.
const server = connectionOf(actor)

actor.on('connection.ready', ({ generation }) => console.log(`ready on link ${generation}`))
actor.on('connection.closed', () => console.log('closed'))
actor.start()
actor.send({ type: 'connect' })
await waitFor(actor, (snapshot) => snapshot.hasTag('usable'))

const answer = await server.callTool({ name: 'echo', arguments: { message: 'hello' } })
console.log(answer.content[0]?.text)

// Not actor.stop(): close() also waits until the child process is gone.
await server.close()
