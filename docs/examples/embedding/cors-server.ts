import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

// part: cors
/** What a page needs to be told, or its browser keeps it from the connection. */
const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST, GET, DELETE',
  'access-control-allow-headers':
    'content-type, accept, authorization, mcp-session-id, mcp-protocol-version, last-event-id',
  // Without these the page cannot go on with its session, wait as long as it is told, or learn where to log in.
  'access-control-expose-headers': 'mcp-session-id, retry-after, www-authenticate',
}

function answer(request: IncomingMessage, response: ServerResponse, sessions: Sessions): void {
  for (const [name, value] of Object.entries(cors)) response.setHeader(name, value)
  if (request.method === 'OPTIONS') response.writeHead(204).end()
  else void sessions.handle(request, response)
}
// end

/** Sessions in memory: they are gone when the server is. */
class Sessions {
  readonly #transports = new Map<string, StreamableHTTPServerTransport>()

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? this.#transports.get(id) : undefined
    if (id !== undefined && !known) response.writeHead(404).end('session not found')
    else await (known ?? (await this.#begin())).handleRequest(request, response)
  }

  async #begin(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#transports.set(id, transport),
      onsessionclosed: (id) => void this.#transports.delete(id),
    })
    const server = new McpServer({ name: 'clock', version: '1.0.0' })
    server.registerTool('weekday', { description: 'The present day of the week.' }, () => ({
      content: [{ type: 'text', text: new Date().toLocaleDateString('en', { weekday: 'long' }) }],
    }))
    await server.connect(transport)
    return transport
  }
}

/** @returns its address, and what ends it */
export async function startServer(port = 0) {
  const sessions = new Sessions()
  const server = createServer((request, response) => answer(request, response, sessions))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${taken}/mcp`,
    port: taken,
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
