import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { metrics, trace } from '@opentelemetry/api'
import { createConnection, logTo } from 'mcp-lifeline'
import { observe } from 'mcp-lifeline/otel'
import pino from 'pino'

function open() {
  const server = new McpServer({ name: 'clock', version: '1.0.0' })
  server.registerTool('day', {}, () => ({ content: [{ type: 'text', text: 'It is Monday.' }] }))
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  void server.connect(theirs)
  return ours
}

await using clock = createConnection({ name: 'clock', target: { open } })

// part: telemetry
observe(clock, { meter: metrics.getMeter('my-app'), tracer: trace.getTracer('my-app') })
logTo(clock, pino({ base: undefined, timestamp: false }))
// end

await clock.connect()
await clock.callTool({ name: 'day' })
