/** What a wire lets through to the SDK's client or to our requests: nothing is thrown in the middle of receiving. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ClientTransport } from '../../src/link/client-transport.js'
import { isMessage } from '../../src/wire/messages.js'
import { FakeWire } from '../link/fake-wire.js'
import { json, runs } from './fuzz.js'

const remembered = { id: 's', protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 's', version: '1' } }
const written = json.map((value) => (typeof value === 'object' ? { ...value, jsonrpc: '2.0' } : value))

describe('messages', () => {
  it('of any kind reach one of them whole, once, and without members that are null', () => {
    let received = 0
    fc.assert(
      fc.property(fc.array(written), fc.nat(3), (values, nextId) => {
        const wire = new FakeWire()
        const heard: object[] = []
        const requests = { receive: (message: object) => heard.push(message), close() {} }
        const transport = new ClientTransport(
          wire,
          { letters: wire },
          requests,
          nextId > 0 ? { resumed: { ...remembered, nextId } } : {},
        )
        transport.onmessage = (message: object) => heard.push(message)
        const messages = values.filter(isMessage)
        for (const message of messages) wire.onmessage?.(message)
        expect(heard).toHaveLength(messages.length)
        for (const message of heard) expect(Object.values(message)).not.toContain(null)
        received += heard.length
      }),
      runs,
    )
    expect(received).toBeGreaterThan(0)
  })
})
