import { setTimeout } from 'node:timers/promises'
import { createWebSocketInspector } from '@statelyai/inspect'
import { startInspector } from 'mcp-lifeline/inspect'
import { createActor, createMachine } from 'xstate'

const inspector = await startInspector()
const address = inspector.feedUrl
console.log(address.replace(/token=.*/, 'token=…').replace(/:\d+/, ':PORT'))

// part: other
// In another program, with the address that `inspector.feedUrl` gave.
const { inspect } = createWebSocketInspector({ url: address })
const door = createMachine({ id: 'door', initial: 'shut', states: { shut: { on: { open: 'ajar' } }, ajar: {} } })
createActor(door, { inspect }).start().send({ type: 'open' })
// end

// Stands for the life of the program: ended before it has connected, the stock inspector would try for ever.
await setTimeout(1_000)
await inspector.close()
