import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'
import type { AuthorizationServer } from './authorization-server.js'
import { type Listening, listen } from './listen.js'

export interface ProtectedServerOptions {
  /** Needed for everything. Default `mcp:read`. */
  readScope?: string
  /** Needed to call the tool `write`; without it a 403 asks for it. Default `mcp:write`. */
  writeScope?: string
}

const metadataPath = '/.well-known/oauth-protected-resource/mcp'

/**
 * An MCP server of the official SDK that lets nobody in without a token of its authorization server: it publishes its
 * metadata (RFC 9728), answers 401 and 403 with WWW-Authenticate, and has two tools, `read` and `write`, that tell what
 * they were given.
 */
export class ProtectedServer implements AsyncDisposable {
  /** Requests that were let in, and those refused. */
  readonly counts = { accepted: 0, unauthorized: 0, forbidden: 0, metadata: 0 }
  /** Runs of each tool. */
  readonly runs: Record<string, number> = {}
  readonly #authority: AuthorizationServer
  readonly #options: Required<ProtectedServerOptions>
  readonly #sessions = new Map<string, StreamableHTTPServerTransport>()
  #listening: Listening | undefined

  constructor(authority: AuthorizationServer, { readScope = 'mcp:read', writeScope = 'mcp:write' }) {
    this.#authority = authority
    this.#options = { readScope, writeScope }
  }

  /** The address of the server, which is also its resource identifier. */
  get url(): string {
    return `${this.#listening?.origin}/mcp`
  }

  async start(): Promise<this> {
    this.#listening = await listen(() => (request, response) => void this.#serve(request, response))
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((transport) => transport.close()))
    await this.#listening?.[Symbol.asyncDispose]()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === metadataPath) {
      this.counts.metadata += 1
      const { readScope, writeScope } = this.#options
      respond(response, 200, {
        resource: this.url,
        authorization_servers: [this.#authority.issuer],
        scopes_supported: [readScope, writeScope],
        bearer_methods_supported: ['header'],
      })
      return
    }
    if (request.url !== '/mcp') return respond(response, 404, { error: 'not_found' })
    const body = request.method === 'POST' ? await json(request) : undefined
    if (await this.#isLetIn(request, response, body)) await this.#speak(request, response, body)
  }

  async #isLetIn(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<boolean> {
    const { readScope, writeScope } = this.#options
    const [, token] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? []
    const known = token === undefined ? undefined : await this.#authority.judge(token)
    if (known === undefined || known.audience !== this.url || !known.scopes.includes(readScope)) {
      this.counts.unauthorized += 1
      const error = token === undefined ? '' : 'error="invalid_token", '
      this.#challenge(response, 401, `${error}scope="${readScope}"`)
      return false
    }
    const { method, params } = Object(body)
    if (method === 'tools/call' && params?.name === 'write' && !known.scopes.includes(writeScope)) {
      this.counts.forbidden += 1
      this.#challenge(response, 403, `error="insufficient_scope", scope="${writeScope}"`)
      return false
    }
    this.counts.accepted += 1
    return true
  }

  #challenge(response: ServerResponse, status: number, parameters: string): void {
    const metadata = `${this.#listening?.origin}${metadataPath}`
    response.setHeader('www-authenticate', `Bearer ${parameters}, resource_metadata="${metadata}"`)
    respond(response, status, { error: status === 401 ? 'invalid_token' : 'insufficient_scope' })
  }

  async #speak(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? this.#sessions.get(id) : undefined
    if (known) return known.handleRequest(request, response, body)
    if (id !== undefined) {
      return respond(response, 404, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } })
    }
    const transport = await this.#openSession()
    await transport.handleRequest(request, response, body)
  }

  async #openSession(): Promise<StreamableHTTPServerTransport> {
    const server = new McpServer({ name: 'protected', version: '1.0.0' })
    for (const name of ['read', 'write']) {
      server.registerTool(name, { inputSchema: { text: z.string() } }, ({ text }) => {
        this.runs[name] = (this.runs[name] ?? 0) + 1
        return { content: [{ type: 'text', text: `${name} ${text}` }] }
      })
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, transport)
      },
      onsessionclosed: (id) => {
        this.#sessions.delete(id)
      },
    })
    await server.connect(transport)
    return transport
  }
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function json(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}
