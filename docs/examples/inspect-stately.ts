import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { createInspector } from '@statelyai/inspect'
import { createConnection } from 'mcp-lifeline'
import { redacted } from 'mcp-lifeline/inspect'

function open() {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  void new McpServer({ name: 'clock', version: '1.0.0' }).connect(theirs)
  return ours
}

// part: redacted
// Any inspector of the package will do: createWebSocketInspector, createBrowserInspector, or an adapter of your own.
const inspector = createInspector({
  send: (frame) => console.log(frame.type, frame.type === '@xstate.event' ? frame.event.type : ''),
})
const server = createConnection({ name: 'clock', target: { open }, inspect: redacted(inspector) })
// end
await server.connect()
await server.close()
