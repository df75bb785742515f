/** A host process that connects, calls, closes and says nothing of process.exit: it has to end by itself. */
import { createConnection, type Target } from '../../src/index.js'
import { childServer } from '../../src/testing/child/index.js'
import { startFaultServer } from '../../src/testing/fault-server/index.js'

const kind = process.argv[2] ?? ''
const server = await startFaultServer()
const targets: Record<string, Target> = {
  stdio: childServer({}),
  http: { url: server.url },
  failed: { command: 'no-such-command' },
  backoff: { url: 'http://127.0.0.1:9/mcp' },
}
const target = targets[kind]
if (!target) throw new Error(`no target ${kind}`)
const connection = createConnection({ name: kind, target })
if (kind === 'backoff') connection.connect().catch(() => undefined)
else await connection.connect().catch(() => undefined)
if (connection.status === 'ready') await connection.callTool({ name: 'echo', arguments: { text: 'x' } })
await connection.close()
await server[Symbol.asyncDispose]()
console.log(`closed ${kind}`)
