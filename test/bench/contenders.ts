/** The two that are compared, and the servers that they meet. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type ConnectionOptions, createConnection, type StdioTarget, type Target } from '../../src/index.js'
import { echoServer } from './servers/echo-server.js'

/** The SDK's client as it comes. */
export async function stockClient(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  await client.connect(transport)
  return client
}

/** The transport that the SDK has for a server. */
export const stockTransport = (target: StdioTarget | URL): Transport =>
  target instanceof URL
    ? new StreamableHTTPClientTransport(target)
    : new StdioClientTransport({ command: target.command, args: [...(target.args ?? [])] })

/** What a program has to do with the SDK's client to be where a connection is when it is ready. */
export async function stockReady(transport: Transport): Promise<Client> {
  const client = await stockClient(transport)
  let cursor: string | undefined
  do {
    const page: { nextCursor?: string } = await client.listTools(cursor === undefined ? undefined : { cursor })
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return client
}

/** What calls go through. */
export interface Opened {
  /** One call. */
  readonly call: () => Promise<unknown>
  readonly close: () => Promise<void>
}

export async function stock(transport: Transport, text: string): Promise<Opened> {
  const client = await stockClient(transport)
  return { call: () => client.callTool({ name: 'echo', arguments: { text } }), close: () => client.close() }
}

export async function ours(target: Target, text: string, options: Partial<ConnectionOptions> = {}): Promise<Opened> {
  const connection = createConnection({ name: 'bench', target, ...options })
  await connection.connect()
  return {
    call: () => connection.callTool({ name: 'echo', arguments: { text } }),
    close: () => connection.close(),
  }
}

/** The SDK's own server in this process. */
export function inMemory(): Transport {
  const [here, there] = InMemoryTransport.createLinkedPair()
  void echoServer().connect(there)
  return here
}

const program = fileURLToPath(new URL('./servers/echo.js', import.meta.url))
const leanProgram = fileURLToPath(new URL('./servers/lean-stdio.js', import.meta.url))

/** The SDK's transports warn of too many listeners when many calls are under way: that says nothing to a reader of figures. */
export const stdioTarget: StdioTarget = { command: process.execPath, args: ['--no-warnings', program, 'stdio'] }
/** Without dependencies, so that it starts at once. */
export const leanStdioTarget: StdioTarget = { command: process.execPath, args: [leanProgram] }

export type HttpServerKind = 'json' | 'sse' | 'sdk'

/** An HTTP server in a process of its own. */
export interface BenchServer {
  readonly url: URL
  /** POSTs since this was last asked. */
  posts(): Promise<number>
}

/** Runs an HTTP server for as long as the work lasts. */
export async function withServer<T>(kind: HttpServerKind, work: (server: BenchServer) => Promise<T>): Promise<T> {
  const child: ChildProcess = fork(program, [kind])
  try {
    const [port] = await once(child, 'message')
    return await work({
      url: new URL(`http://127.0.0.1:${port}/mcp`),
      async posts() {
        child.send('posts')
        const [count] = await once(child, 'message')
        return Number(count)
      },
    })
  } finally {
    if (child.connected) child.disconnect()
  }
}
