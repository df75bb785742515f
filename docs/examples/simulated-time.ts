import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { createConnection } from 'mcp-lifeline'
import { filter, firstValueFrom } from 'rxjs'
import { SimulatedClock } from 'xstate'

let away = true

function open() {
  if (away) throw new Error('away')
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  void new McpServer({ name: 'notes', version: '1.0.0' }).connect(theirs)
  return ours
}

// part: clock
const clock = new SimulatedClock()
await using notes = createConnection({
  name: 'notes',
  target: { open },
  policy: { backoff: { baseMs: 1_000, capMs: 8_000 } },
  clock,
  random: () => 0.5,
})

notes.actor.send({ type: 'connect' })
await firstValueFrom(notes.status$.pipe(filter((status) => status === 'backoff')))

away = false
clock.increment(499)
console.log(`after 499 ms: ${notes.status}`)
clock.increment(1)
await notes.ready()
console.log(`after 500 ms: ${notes.status}`)
// end
