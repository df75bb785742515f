/** What stands between the SDK's client and the wire: another version, a remembered session, and who hears what. */
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
  const ours: JsonRpcMessage[] = []
  let closed = 0
  const requests = { receive: (message: JsonRpcMessage) => void ours.push(message), close: () => void closed++ }
  const transport = new ClientTransport(wire, { letters: wire }, requests, options)
  const received: JsonRpcMessage[] = []
  transport.onmessage = (message: JsonRpcMessage) => received.push(message)
  const send = (message: Record<string, unknown>) => transport.send({ jsonrpc: '2.0', ...message } as JsonRpcMessage)
  return { wire, transport, received, ours, send, closed: () => closed }
}

describe('a new session', () => {
  it('the client hears the answer to its handshake, and no other', async () => {
    const { wire, received, ours, send } = made()
    await send({ id: 0, method: 'initialize', params: {} })
    wire.say({ id: 1, result: { tools: [] } })
    wire.say({ id: 0, result: { protocolVersion: '2025-11-25' } })
    wire.say({ id: 0, result: { again: true } })
    expect(wire.sent).toEqual([{ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} }])
    expect(received).toEqual([{ jsonrpc: '2.0', id: 0, result: { protocolVersion: '2025-11-25' } }])
    expect(ours).toMatchObject([{ id: 1 }, { id: 0, result: { again: true } }])
  })

  it('the answer to a handshake is known by its number, also where that comes as text (report 07.03)', async () => {
    const { wire, received, send } = made()
    await send({ id: 0, method: 'initialize', params: {} })
    wire.say({ id: '0', result: { protocolVersion: '2025-11-25' } })
    expect(received).toMatchObject([{ result: { protocolVersion: '2025-11-25' } }])
  })

  it('offers another version where one is asked for, and notes what the server names', async () => {
    const { wire, transport, send } = made({ version: '2025-03-26' })
    await send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } })
    expect(wire.sent[0]).toMatchObject({ params: { protocolVersion: '2025-03-26', capabilities: {} } })
    wire.say({ id: 0, result: { protocolVersion: '2099-01-01' } })
    expect(transport.offeredVersion).toBe('2099-01-01')
  })

  it.each([
    { code: -32001, message: 'Request timed out', data: { timeout: 1 } },
    { code: 'E_BUSY', message: 7 },
  ])('keeps the error of a handshake as the server wrote it, so that it is not taken for our own', async (error) => {
    const { wire, received, send } = made()
    await send({ id: 0, method: 'initialize' })
    wire.say({ id: 0, error })
    const [message] = received
    const told = message && 'error' in message ? message.error : undefined
    expect(told?.data).toBeInstanceOf(ServerErrorData)
    expect(told?.data).toEqual({ error })
    expect(Number.isInteger(told?.code)).toBe(true)
  })

  it.each([
    ['a result', { id: 1, result: { tools: [] } }, { error: null }],
    ['an error', { id: 1, error: { code: -32603, message: 'no' } }, { result: null }],
    ['progress', { method: 'notifications/progress' }, { id: null, params: null, result: null, error: null }],
    ['a notification', { method: 'notifications/message' }, { id: null, params: null, result: null, error: null }],
    ['a request', { id: 7, method: 'ping' }, { result: null, error: null }],
  ])('hands on %s without the nulls that a serializer wrote beside it', (_, message, nulls) => {
    const { wire, received, ours } = made()
    wire.say({ ...message, ...nulls })
    const keys = [...received, ...ours].map((one) => Object.keys(one).sort())
    expect(keys).toEqual([['jsonrpc', ...Object.keys(message)].sort()])
  })

  it('progress is for our requests, every other word of the server for the client', () => {
    const { wire, received, ours } = made()
    wire.say({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } })
    wire.say({ method: 'notifications/message', params: {} })
    wire.say({ method: 'notifications/cancelled', params: { requestId: 3 } })
    wire.say({ id: 1, method: 'roots/list' })
    expect(ours).toMatchObject([{ method: 'notifications/progress' }])
    expect(received).toMatchObject([
      { method: 'notifications/message' },
      { method: 'notifications/cancelled' },
      { id: 1, method: 'roots/list' },
    ])
  })
})

describe('a session that is gone on with', () => {
  it('answers initialize itself and keeps initialized to itself', async () => {
    const { wire, received, ours, send } = made({ resumed: remembered })
    await send({ id: 0, method: 'initialize', params: {} })
    await send({ method: 'notifications/initialized' })
    expect(wire.sent).toEqual([])
    const { protocolVersion, capabilities, serverInfo, instructions } = remembered
    expect(received).toMatchObject([{ id: 0, result: { protocolVersion, capabilities, serverInfo, instructions } }])
    // Of an earlier link, under the number that a handshake has.
    wire.say({ id: 0, result: {} })
    expect(ours).toHaveLength(1)
  })

  it('leaves the server’s own requests, and our answers to them, as they are', async () => {
    const { wire, received, send } = made({ resumed: remembered })
    wire.say({ id: 1, method: 'roots/list' })
    await send({ id: 1, result: { roots: [] } })
    expect(received).toMatchObject([{ id: 1, method: 'roots/list' }])
    expect(wire.sent).toMatchObject([{ id: 1, result: { roots: [] } }])
  })
})

it('its close is the client’s and the requests’ alone: the wire belongs to the link', async () => {
  const { wire, transport, closed } = made()
  let [client, server] = [0, 0]
  transport.onclose = () => client++
  const before = wire.onclose
  wire.onclose = () => {
    server++
    before?.()
  }
  await transport.close()
  expect([client, closed(), server]).toEqual([1, 1, 0])
  await wire.close()
  expect([client, closed(), server]).toEqual([2, 2, 1])
})
