/** Traps of the SDK that a connection must not fall into; the numbers are those of the list in docs/decisions/0001. */
import { getEventListeners } from 'node:events'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { type CustomTarget, RpcError } from '../../src/index.js'
import { hang, result, rpcError, startFaultServer, status } from '../../src/testing/fault-server/index.js'
import { driven, failure, quick, record } from './rig.js'

describe('traps of the SDK', () => {
  it('trap 3: a start that failed wedges nothing; no object is used twice', async () => {
    await using server = await startFaultServer()
    server.once('initialize', status(503), 3)
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    expect(server.count('initialize')).toBe(4)
    await connection.close()
  })

  it('trap 14: an initialized that is never answered is bounded by the initialize deadline', async () => {
    await using server = await startFaultServer()
    server.answer('notifications/initialized', hang())
    const { connection, clock } = driven({ target: { url: server.url } })
    connection.connect().catch(() => undefined)
    await server.seen('notifications/initialized')
    clock.increment(10_000)
    expect(connection.status).toBe('backoff')
    expect(connection.fault?.code).toBe('deadline.initializing')
    await connection.close()
  })

  it('trap 15: the late close of an old transport does not touch the new connection', async () => {
    const old: InMemoryTransport[] = []
    const target: CustomTarget = {
      open() {
        const [here, there] = InMemoryTransport.createLinkedPair()
        void toolServer().connect(there)
        old.push(here)
        return here
      },
    }
    const connection = quick({ target })
    await connection.connect()
    await connection.reconnect()
    const statuses = record(connection)
    old[0]?.onclose?.()
    old[0]?.onclose?.()
    await connection.callTool({ name: 'x' })
    expect(statuses).toEqual(['ready'])
    expect(old).toHaveLength(2)
    await connection.close()
  })

  it.each([-32000, -32001])('trap 26: an error %i of the server is not taken for a local one', async (code) => {
    await using server = await startFaultServer()
    server.answer('tools/call', rpcError(code, 'Request timed out', { data: { timeout: 1 } }))
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    const statuses = record(connection)
    const error = await failure(connection.callTool({ name: 'echo' }))
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({ rpcCode: code, data: { timeout: 1 }, message: 'Request timed out' })
    expect(statuses).toEqual(['ready'])
    await connection.close()
  })

  it('trap 18: a long-lived signal keeps no listener, and its abort cancels only what is in flight', async () => {
    await using server = await startFaultServer()
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    const { signal, abort } = abortable()
    for (let i = 0; i < 20; i++) await connection.callTool({ name: 'echo' }, { signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    server.answer('tools/call', hang())
    const call = failure(connection.callTool({ name: 'echo' }, { signal }))
    await server.seen('tools/call', 21)
    abort('enough')
    expect(await call).toBe('enough')
    await server.seen('notifications/cancelled')
    expect(server.count('notifications/cancelled')).toBe(1)
    await connection.close()
  })

  it('trap 21: one bad tool is told and left out; the others serve', async () => {
    await using server = await startFaultServer()
    server.answer(
      'tools/list',
      result({ tools: [{ name: 'good', inputSchema: {} }, { name: 'bad' }, 7, { inputSchema: {} }] }),
    )
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    expect(connection.catalog.tools.map(({ name }) => name)).toEqual(['good'])
    expect(connection.catalog.rejected).toHaveLength(3)
    expect(connection.catalog.rejected[0]).toMatchObject({ list: 'tools', name: 'bad' })
    await connection.close()
  })

  it('trap 28: a ping answered with more than an empty object is a sign of life', async () => {
    await using server = await startFaultServer()
    server.answer('ping', result({ status: 'ok' }))
    const { connection, clock } = driven({ target: { url: server.url } })
    await connection.connect()
    clock.increment(10_000)
    clock.increment(30_000)
    const health = () => path(connection.actor.getSnapshot().value, 'linked', 'ready', 'health')
    expect(health()).toBe('probing')
    await expect.poll(health).toBe('steady')
    clock.increment(5_000)
    clock.increment(5_000)
    expect(connection.status).toBe('ready')
    await connection.close()
  })
})

function path(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : at), value)
}

function toolServer(): Server {
  const server = new Server({ name: 'tools', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: 'x', inputSchema: { type: 'object' } }] }))
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [] }))
  return server
}

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: (reason: unknown) => controller.abort(reason) }
}
