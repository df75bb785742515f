import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/** Answers a handshake and an empty list of tools, and weighs next to nothing. */
export class StubTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: () => void

  async start(): Promise<void> {}
  async close(): Promise<void> {
    this.onclose?.()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('id' in message) || !('method' in message)) return
    const serverInfo = { name: 'stub', version: '1.0.0' }
    const result =
      message.method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }
        : { tools: [] }
    queueMicrotask(() => this.onmessage?.({ jsonrpc: '2.0', id: message.id, result }))
  }
}
