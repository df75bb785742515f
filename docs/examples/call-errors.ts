import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  CallRefusedError,
  CallTimeoutError,
  ConnectionFailedError,
  createConnection,
  OutcomeUnknownError,
  RpcError,
} from 'mcp-lifeline'

let orders = 0

/** A shop that takes the order and breaks the connection before it has said so. */
function open() {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  server.registerTool('order', { description: 'Orders one' }, async () => {
    orders++
    await theirs.close()
    return { content: [] }
  })
  void server.connect(theirs)
  return ours
}

await using shop = createConnection({ name: 'shop', target: { open } })

// part: handling
async function attempt(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'done'
  } catch (error) {
    // It may have run. Find out before it is asked for again.
    if (error instanceof OutcomeUnknownError) return `unknown: ${error.fault?.advice}`
    // It certainly did not run. It can be asked for again when the reason is gone.
    if (error instanceof CallRefusedError) return `refused: ${error.fault?.advice}`
    // The server answered, with an error.
    if (error instanceof RpcError) return `error ${error.rpcCode}`
    // If it was sent, it may still run.
    if (error instanceof CallTimeoutError) return error.sent ? 'no answer in time' : 'no connection in time'
    // No waiting helps: show a person what to change.
    if (error instanceof ConnectionFailedError) return `failed: ${error.fault?.advice}`
    throw error
  }
}
// end

console.log(await attempt(() => shop.callTool({ name: 'order' })))
console.log(await attempt(() => shop.request('no/such/method')))
console.log(`ordered ${orders} time, the shop is ${shop.status} again`)
