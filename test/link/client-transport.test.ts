/** What stands between the SDK's client and the wire: another version, a remembered session, ids that never repeat. */
import { describe, expect, it } from 'vitest'
import { ClientTransport, ServerErrorData } from '../../src/link/client-transport.js'
import type { SessionMemory } from '../../src/link/port.js'
import type { JsonRpcMessage } from '../../src/wire/messages.js'
import { FakeWire } from './fake-wire.js'

const remembered: SessionMemory = {
  id: 's',
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'server', version: '1' },
  instructions: 'be kind',
  nextId: 40,
}

function made(options: { resumed?: SessionMemory; version?: string } = {}) {
  const wire = new FakeWire()
  const transport = new ClientTransport(wire, options)
  const received: JsonRpcMessage[] = []
  transport.onmessage = (message: JsonRpcMessage) => received.push(message)
  const send = (message: Record<string, unknown>) => transport.send({ jsonrpc: '2.0', ...message } as JsonRpcMessage)
  return { wire, transport, received, send }
}

describe('a new session', () => {
  it('changes nothing on the way', async () => {
    const { wire, received, send } = made()
    await send({ id: 0, method: 'tools/list' })
    wire.say({ id: 0, result: { tools: [] } })
    expect(wire.sent).toEqual([{ jsonrpc: '2.0', id: 0, method: 'tools/list' }])
    expect(received).toEqual([{ jsonrpc: '2.0', id: 0, result: { tools: [] } }])
  })

  it('offers another version where one is asked for, and notes what the server names', async () => {
    const { wire, transport, send } = made({ version: '2025-03-26' })
    await send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } })
    expect(wire.sent[0]).toMatchObject({ params: { protocolVersion: '2025-03-26', capabilities: {} } })
    wire.say({ id: 0, result: { protocolVersion: '2099-01-01' } })
    expect(transport.offeredVersion).toBe('2099-01-01')
  })

  it('knows the next id', async () => {
    const { transport, send } = made()
    expect(transport.nextId).toBe(0)
    await send({ id: 0, method: 'a' })
    await send({ id: 6, method: 'b' })
    expect(transport.nextId).toBe(7)
  })

  it('marks the data of errors as the server’s, so that they are not taken for our own', () => {
    const { wire, received } = made()
    wire.say({ id: 1, error: { code: -32001, message: 'Request timed out', data: { timeout: 1 } } })
    const [message] = received
    const data = message && 'error' in message ? message.error.data : undefined
    expect(data).toBeInstanceOf(ServerErrorData)
    expect(data).toMatchObject({ value: { timeout: 1 } })
  })

  it.each([
    ['a result', { id: 1, result: { tools: [] } }, { error: null }],
    ['an error', { id: 1, error: { code: -32603, message: 'no' } }, { result: null }],
    ['a notification', { method: 'notifications/progress' }, { id: null, params: null, result: null, error: null }],
    ['a request', { id: 7, method: 'ping' }, { result: null, error: null }],
  ])('hands on %s without the nulls that a serializer wrote beside it', (_, message, nulls) => {
    const { wire, received } = made()
    wire.say({ ...message, ...nulls })
    expect(received.map((one) => Object.keys(one).sort())).toEqual([['jsonrpc', ...Object.keys(message)].sort()])
  })
})

describe('a session that is gone on with', () => {
  it('answers initialize itself and keeps initialized to itself', async () => {
    const { wire, received, send } = made({ resumed: remembered })
    await send({ id: 0, method: 'initialize', params: {} })
    await send({ method: 'notifications/initialized' })
    expect(wire.sent).toEqual([])
    const { protocolVersion, capabilities, serverInfo, instructions } = remembered
    expect(received).toMatchObject([{ id: 0, result: { protocolVersion, capabilities, serverInfo, instructions } }])
  })

  it('shifts ids there and back, as numbers and as text', async () => {
    const { wire, received, send, transport } = made({ resumed: remembered })
    await send({ id: 1, method: 'tools/list' })
    expect(wire.sent).toMatchObject([{ id: 41 }])
    wire.say({ id: 41, result: {} })
    wire.say({ id: '41', result: {} })
    expect(received).toMatchObject([{ id: 1 }, { id: 1 }])
    expect(transport.nextId).toBe(42)
  })

  it('shifts progress tokens, and leaves tokens that are no number, and other _meta, alone', async () => {
    const { wire, received, send } = made({ resumed: remembered })
    await send({ id: 2, method: 'tools/call', params: { name: 'x', _meta: { progressToken: 2, trace: 'y' } } })
    await send({ id: 3, method: 'tools/call', params: { name: 'x', _meta: { progressToken: 'mine' } } })
    expect(wire.sent).toMatchObject([
      { id: 42, params: { name: 'x', _meta: { progressToken: 42, trace: 'y' } } },
      { id: 43, params: { _meta: { progressToken: 'mine' } } },
    ])
    wire.say({ method: 'notifications/progress', params: { progressToken: 42, progress: 1 } })
    expect(received).toMatchObject([{ params: { progressToken: 2, progress: 1 } }])
  })

  it('shifts the id in cancelled', async () => {
    const { wire, send } = made({ resumed: remembered })
    await send({ method: 'notifications/cancelled', params: { requestId: 5, reason: 'enough' } })
    expect(wire.sent).toMatchObject([{ params: { requestId: 45, reason: 'enough' } }])
  })

  it('gives answers, errors and progress of an earlier link to nobody', () => {
    const { wire, received } = made({ resumed: remembered })
    wire.say({ id: 39, result: {} })
    wire.say({ id: 3, error: { code: 1, message: 'late' } })
    wire.say({ method: 'notifications/progress', params: { progressToken: 12, progress: 1 } })
    expect(received).toMatchObject([{ id: -1 }, { id: -1 }, { params: { progressToken: -1 } }])
  })

  it('leaves the server’s own requests, and our answers to them, as they are', async () => {
    const { wire, received, send } = made({ resumed: remembered })
    wire.say({ id: 1, method: 'roots/list' })
    await send({ id: 1, result: { roots: [] } })
    expect(received).toMatchObject([{ id: 1, method: 'roots/list' }])
    expect(wire.sent).toMatchObject([{ id: 1, result: { roots: [] } }])
  })
})

it('its close is the client’s alone: the wire belongs to the link', async () => {
  const { wire, transport } = made()
  let [client, server] = [0, 0]
  transport.onclose = () => client++
  const before = wire.onclose
  wire.onclose = () => {
    server++
    before?.()
  }
  await transport.close()
  expect([client, server]).toEqual([1, 0])
})
