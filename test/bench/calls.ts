/** One call through a ready connection against the bare SDK `Client` with its own transport. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { InspectionEvent } from 'xstate'
import { createConnection, type Target } from '../../src/index.js'
import { redacted, startInspector } from '../../src/inspect/index.js'
import { type Comparison, type Contender, compareCalls, type Plan } from './measure.js'
import { echoServer } from './servers/echo.js'

const server = fileURLToPath(new URL('./servers/echo.js', import.meta.url))

async function stock(transport: Transport, text: string): Promise<Contender> {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  await client.connect(transport)
  return { call: () => client.callTool({ name: 'echo', arguments: { text } }), close: () => client.close() }
}

async function ours(target: Target, text: string, inspect?: (event: InspectionEvent) => void): Promise<Contender> {
  const connection = createConnection({ name: 'bench', target, inspect })
  await connection.connect()
  return {
    call: () => connection.callTool({ name: 'echo', arguments: { text } }),
    close: () => connection.close(),
  }
}

function inMemory(): Transport {
  const [here, there] = InMemoryTransport.createLinkedPair()
  void echoServer().connect(there)
  return here
}

const stdioTarget = { command: process.execPath, args: [server, 'stdio'] }

/** Runs an HTTP server in a process of its own for as long as the work lasts. */
async function withServer<T>(kind: 'json' | 'sse' | 'sdk', work: (url: URL) => Promise<T>): Promise<T> {
  const child: ChildProcess = fork(server, [kind])
  try {
    const [port] = await once(child, 'message')
    return await work(new URL(`http://127.0.0.1:${port}/mcp`))
  } finally {
    child.kill('SIGKILL')
  }
}

/** A connection that is looked at, by the page and by an inspector, against one that is not. */
export async function compareInspected(plan: Plan): Promise<Comparison> {
  await using inspector = await startInspector()
  const toAnother = redacted(() => {})
  const inspect = (event: InspectionEvent) => {
    inspector.inspect(event)
    toAnother(event)
  }
  return await compareCalls(
    () => ours({ open: inMemory }, 'x', inspect),
    () => ours({ open: inMemory }, 'x'),
    { ...plan, renewAfter: Number.POSITIVE_INFINITY },
  )
}

export type Wire = 'memory' | 'stdio' | 'json' | 'sse' | 'sdk'

export function compareWire(wire: Wire, bytes: number, plan: Plan): Promise<Comparison> {
  const text = 'x'.repeat(bytes)
  switch (wire) {
    case 'memory':
      return compareCalls(
        () => ours({ open: inMemory }, text),
        () => stock(inMemory(), text),
        plan,
      )
    case 'stdio':
      return compareCalls(
        () => ours(stdioTarget, text),
        () => stock(new StdioClientTransport(stdioTarget), text),
        plan,
      )
    default:
      return withServer(wire, (url) =>
        compareCalls(
          () => ours({ url }, text),
          () => stock(new StreamableHTTPClientTransport(url), text),
          plan,
        ),
      )
  }
}
