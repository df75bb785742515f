/**
 * Servers of the official SDK v1, as its examples and most of its users write them. Modes: `sessions`, `events` (with an
 * event store), `single` (one transport for the life of the process), `stateless`, `stdio`; `sessions-json` and
 * `stateless-json` answer in JSON.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { type EventStore, StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { describe, echo, generation, mode, serve } from './shared.js'

const [kind, answers] = mode.split('-')
const enableJsonResponse = answers === 'json'

class MemoryEventStore implements EventStore {
  readonly #events: { id: string; stream: string; message: JSONRPCMessage }[] = []

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}_${this.#events.length}`
    this.#events.push({ id, stream, message })
    return id
  }

  async replayEventsAfter(
    lastId: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.#events.findIndex(({ id }) => id === lastId)
    const stream = this.#events[at]?.stream ?? ''
    for (const event of this.#events.slice(at + 1)) {
      // A priming event has an id and no message.
      if (event.stream === stream && 'jsonrpc' in event.message) await send(event.id, event.message)
    }
    return stream
  }
}

/** Cuts the reply that is open, once something of it has left. */
let cut = async (): Promise<void> => {}

function beCut(reply: ServerResponse): void {
  const begun = new Promise((resolve) => {
    const write: (chunk: Uint8Array) => boolean = reply.write.bind(reply)
    reply.write = (chunk: Uint8Array) => {
      setImmediate(resolve)
      return write(chunk)
    }
  })
  cut = async () => {
    await begun
    reply.destroy()
  }
}

function makeServer(): McpServer {
  const server = new McpServer({ name: `sdk-v1 ${mode}`, version: '1.0.0' })
  server.registerTool('echo', { description: describe, inputSchema: { text: z.string() } }, async ({ text }, extra) => {
    if (text === 'destroy') await cut()
    if (text === 'release') extra.closeSSEStream?.()
    return { content: [{ type: 'text', text: await echo(text) }] }
  })
  server.registerTool(generation, {}, () => ({ content: [] }))
  return server
}

const sessions = new Map<string, StreamableHTTPServerTransport>()

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse,
    ...(kind === 'events' && { eventStore: new MemoryEventStore(), retryInterval: 20 }),
    onsessioninitialized: (id) => {
      sessions.set(id, transport)
    },
    onsessionclosed: (id) => {
      sessions.delete(id)
    },
  })
  await makeServer().connect(transport)
  return transport
}

/** As in the examples of the SDK: what is not known is a bad request. */
async function bySession(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const id = req.headers['mcp-session-id']
  const known = typeof id === 'string' ? sessions.get(id) : undefined
  if (kind === 'events' && req.method === 'POST') beCut(res)
  if (known) return known.handleRequest(req, res)
  if (id === undefined && req.method === 'POST') return (await openSession()).handleRequest(req, res)
  const error = { code: -32000, message: 'Bad Request: No valid session ID provided' }
  res.writeHead(400, { 'content-type': 'application/json' })
  res.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }))
}

async function byRequest(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method !== 'POST') {
    const error = { code: -32000, message: 'Method not allowed.' }
    res.writeHead(405, { 'content-type': 'application/json' })
    res.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }))
    return
  }
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse })
  const server = makeServer()
  res.on('close', () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(req, res)
}

if (kind === 'stdio') {
  await makeServer().connect(new StdioServerTransport())
} else if (kind === 'single') {
  const only = await openSession()
  serve((req, res) => only.handleRequest(req, res))
} else {
  serve(kind === 'stateless' ? byRequest : bySession)
}
