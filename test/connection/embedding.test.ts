/** The same connection as a handle, as an actor, and inside a parent machine. */
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { describe, expect, it } from 'vitest'
import { createActor, setup, waitFor } from 'xstate'
import { z } from 'zod'
import { connectionInput, connectionMachine, connectionOf, createConnection } from '../../src/index.js'
import { failure, until } from './rig.js'

/** A server in this process, and the client's end of the pipe to it. */
function inMemory() {
  const servers: McpServer[] = []
  const target = {
    open() {
      const [here, there] = InMemoryTransport.createLinkedPair()
      const server = new McpServer({ name: 'memory', version: '1.0.0' })
      server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
        content: [{ type: 'text', text }],
      }))
      void server.connect(there)
      servers.push(server)
      return here
    },
  }
  return { target, servers }
}

describe('embedding', () => {
  it('any SDK transport serves as a target, and is made anew when it closes', async () => {
    const { target, servers } = inMemory()
    await using connection = createConnection({ name: 'memory', target, policy: { backoff: { baseMs: 1, capMs: 1 } } })
    await connection.connect()
    expect(connection.session?.protocolVersion).toBe('2025-11-25')
    await servers[0]?.close()
    expect(await connection.callTool({ name: 'echo', arguments: { text: 'again' } })).toMatchObject({
      content: [{ text: 'again' }],
    })
    expect(servers).toHaveLength(2)
  })

  it('createActor and connectionOf give the same handle each time', async () => {
    const { target } = inMemory()
    const actor = createActor(connectionMachine, { input: connectionInput({ name: 'memory', target }) })
    const connection = connectionOf(actor)
    expect(connectionOf(actor)).toBe(connection)
    actor.start()
    await connection.connect()
    expect(connection.catalog.tools.map(({ name }) => name)).toEqual(['echo'])
    const over = until(connection, 'closed')
    actor.stop()
    await over
    expect(await failure(connection.callTool({ name: 'echo' }))).toMatchObject({ code: 'CONNECTION_CLOSED' })
  })

  it('a parent invokes it, reacts to its tags, and takes its wire with it when it leaves', async () => {
    const { target, servers } = inMemory()
    let closed = 0
    const parent = setup({ actors: { connection: connectionMachine } }).createMachine({
      initial: 'working',
      states: {
        working: {
          invoke: { id: 'memory', src: 'connection', input: () => connectionInput({ name: 'memory', target }) },
          on: { leave: 'left' },
        },
        left: {},
      },
    })
    const actor = createActor(parent).start()
    const child = actor.getSnapshot().children.memory
    if (!child) throw new Error('no child')
    const connection = connectionOf(child)
    await connection.connect()
    await waitFor(child, (snapshot) => snapshot.hasTag('usable'))
    const [server] = servers
    if (server) server.server.onclose = () => closed++
    actor.send({ type: 'leave' })
    expect(connection.status).toBe('closed')
    await expect.poll(() => closed).toBe(1)
    actor.stop()
  })

  it('nothing secret shows in snapshots, input or JSON (P19)', async () => {
    const secret = 'canary-7f3a'
    const target = {
      url: `http://user:${secret}@127.0.0.1:9/mcp?key=${secret}`,
      headers: { authorization: `Bearer ${secret}` },
    }
    const input = connectionInput({ name: 'x', target })
    const seen: unknown[] = []
    await using connection = createConnection({ name: 'x', target, inspect: (event) => seen.push(event) })
    connection.connect().catch(() => undefined)
    await until(connection, 'backoff')
    const shown = JSON.stringify([input, connection.actor.getSnapshot(), connection.fault, connection])
    expect(shown).not.toContain(secret)
    expect(JSON.stringify(seen, withoutCycles())).not.toContain(secret)
  })
})

function withoutCycles() {
  const seen = new WeakSet<object>()
  return (_key: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return undefined
    seen.add(value)
    return value
  }
}
