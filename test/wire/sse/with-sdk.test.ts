import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { SseWire } from '../../../src/wire/index.js'
import type { Wire } from '../../../src/wire/wire.js'
import { backends } from '../http/backends.js'
import { evidenceIn, quiet, sdkClient, until } from './rig.js'

describe('the type', () => {
  it("fits the SDK's Transport and our Wire", () => {
    expectTypeOf<SseWire>().toExtend<Transport>()
    expectTypeOf<SseWire>().toExtend<Wire>()
    // Checked by the compiler; there is nothing to run.
    const transport: Transport = new SseWire({ url: 'http://localhost/sse' })
    expect(transport.sessionId).toBeUndefined()
  })
})

/** A server of the SDK's own over its own transport. */
async function startSdkServer() {
  const transports = new Map<string, SSEServerTransport>()
  const posted: string[] = []
  const http = createServer(async (req, res) => {
    const url = new URL(req.url ?? '/', 'http://localhost')
    if (req.method === 'GET') {
      const transport = new SSEServerTransport('/messages', res)
      transports.set(transport.sessionId, transport)
      const server = new McpServer({ name: 'sdk', version: '1' }, { capabilities: { logging: {} } })
      server.registerTool('echo', { inputSchema: { text: z.string() } }, async ({ text }, { sendNotification }) => {
        await sendNotification({ method: 'notifications/message', params: { level: 'info', data: text } })
        return { content: [{ type: 'text', text }] }
      })
      server.registerTool('count', { inputSchema: {} }, async (_, { _meta, sendNotification }) => {
        for (let progress = 1; progress <= 3; progress++) {
          const progressToken = _meta?.progressToken ?? ''
          await sendNotification({ method: 'notifications/progress', params: { progressToken, progress } })
          await new Promise((resolve) => setImmediate(resolve))
        }
        return { content: [] }
      })
      server.registerTool('ask', { inputSchema: {} }, async () => {
        const { roots } = await server.server.listRoots()
        return { content: [{ type: 'text', text: JSON.stringify(roots) }] }
      })
      server.registerTool('never', { inputSchema: {} }, () => new Promise(() => {}))
      await server.connect(transport)
      return
    }
    const sid = url.searchParams.get('sessionId') ?? ''
    posted.push(sid)
    const transport = transports.get(sid)
    if (transport) await transport.handlePostMessage(req, res)
    else res.writeHead(404).end('no such session')
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`,
    posted,
    cut: () => http.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      const closed = once(http, 'close')
      http.close()
      http.closeAllConnections()
      await closed
    },
  }
}

describe.each(backends)("the SDK's Client against the SDK's SSEServerTransport, over %s", (_name, backend) => {
  it('handshake, lists, calls at once, progress, log messages and a request of the server', async () => {
    await using server = await startSdkServer()
    const wire = new SseWire({ url: server.url, ...backend })
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } })
    const { ListRootsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js')
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///a' }] }))
    const logged: unknown[] = []
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data))
    await client.connect(wire)
    expect(client.getServerVersion()?.name).toBe('sdk')
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo', 'count', 'ask', 'never'])
    const texts = Array.from({ length: 20 }, (_, n) => `text ${n}`)
    const results = await Promise.all(texts.map((text) => client.callTool({ name: 'echo', arguments: { text } })))
    expect(results.map(({ content }) => content)).toEqual(texts.map((text) => [{ type: 'text', text }]))
    expect(logged).toHaveLength(20)
    const progress: number[] = []
    await client.callTool({ name: 'count', arguments: {} }, undefined, {
      onprogress: (step) => void progress.push(step.progress),
    })
    expect(progress).toContain(1)
    expect(JSON.stringify(await client.callTool({ name: 'ask', arguments: {} }))).toContain('file:///a')
    await client.ping()
    expect(new Set(server.posted).size).toBe(1)
    expect(wire.pending).toBe(0)
    await client.close()
  })

  it('trap 22: the cut ends it; no other session is begun, and the old one hears no more', async () => {
    await using server = await startSdkServer()
    await using one = await sdkClient({ url: server.url, ...backend })
    const evidence = evidenceIn(one.client.callTool({ name: 'never', arguments: {} }))
    await until(() => server.posted.length === 3)
    await quiet(5)
    server.cut()
    expect(await evidence).toMatchObject({ kind: 'closed', method: 'tools/call', sent: true })
    await expect(one.client.ping()).rejects.toThrow()
    expect(server.posted).toHaveLength(3)
  })

  it('a call that is cancelled is forgotten, and the session lives', async () => {
    await using server = await startSdkServer()
    await using one = await sdkClient({ url: server.url, ...backend })
    const abort = new AbortController()
    const call = one.client.callTool({ name: 'never', arguments: {} }, undefined, { signal: abort.signal })
    await until(() => server.posted.length === 3)
    abort.abort()
    await expect(call).rejects.toThrow()
    await until(() => server.posted.length === 4)
    await one.client.ping()
    expect(one.wire.pending).toBe(0)
  })
})

describe("the SDK's Client against server-everything in its sse mode", () => {
  let child: ChildProcess
  let url = ''

  beforeAll(async () => {
    const probe = createTcpServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address() as AddressInfo
    probe.close()
    await once(probe, 'close')
    const packageFile = import.meta.resolve('@modelcontextprotocol/server-everything/package.json')
    const program = fileURLToPath(packageFile).replace('package.json', 'dist/index.js')
    child = spawn(process.execPath, [program, 'sse'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let told = ''
    child.stderr?.on('data', (chunk) => {
      told += chunk
    })
    await until(() => told.includes('running on port'), 'the server')
    url = `http://127.0.0.1:${port}/sse`
  })

  afterAll(async () => {
    child.kill('SIGKILL')
    await until(() => child.exitCode !== null || child.signalCode !== null, 'its end')
  })

  it.each(backends)('all of it works, over %s', async (_name, backend) => {
    await using one = await sdkClient({ url, ...backend })
    expect((await one.client.listTools()).tools.map(({ name }) => name)).toContain('echo')
    const result = await one.client.callTool({ name: 'echo', arguments: { message: 'hello' } })
    expect(JSON.stringify(result)).toContain('hello')
    expect((await one.client.listResources()).resources.length).toBeGreaterThan(0)
    expect((await one.client.listPrompts()).prompts.length).toBeGreaterThan(0)
    await one.client.ping()
    expect(one.wire.pending).toBe(0)
  })

  it('its death ends the wire', async () => {
    await using one = await sdkClient({ url })
    child.kill('SIGKILL')
    await until(() => one.events.length > 0, 'the end')
    expect(one.events).toMatchObject([{ type: 'closed', byUs: false, evidence: { kind: 'closed', wire: 'sse' } }])
  })
})
