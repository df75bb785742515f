/** Heap per connection at 1,000 connections: run as a process of its own with `--expose-gc`. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { createConnection } from '../../src/index.js'

const COUNT = 1_000

/** Answers a handshake and an empty list of tools, and weighs next to nothing. */
class StubTransport implements Transport {
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

const kinds = {
  async stock() {
    const client = new Client({ name: 'bench', version: '1.0.0' })
    await client.connect(new StubTransport())
    return client
  },
  async ours() {
    const connection = createConnection({ name: 'bench', target: { open: () => new StubTransport() } })
    await connection.connect()
    return connection
  },
}

function heap(): number {
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const make = process.argv[2] === 'ours' ? kinds.ours : kinds.stock
const kept: unknown[] = []
for (let i = 0; i < 50; i++) kept.push(await make())
const before = heap()
for (let i = 0; i < COUNT; i++) kept.push(await make())
console.log(JSON.stringify({ bytes: (heap() - before) / COUNT, kept: kept.length }))
process.exit(0)
