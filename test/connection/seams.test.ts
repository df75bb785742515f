/** Where chart, link, calls and the application meet: each test is a hole that once was there. */
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { describe, expect, it } from 'vitest'
import { type CustomTarget, OutcomeUnknownError, RpcError } from '../../src/index.js'
import { hang, rpcError, startFaultServer, status } from '../../src/testing/fault-server/index.js'
import { driven, failure, quick, record, until } from './rig.js'

describe('sessions', () => {
  it('one that had to be ended first is ended once; the next is gone on with after an outage', async () => {
    await using server = await startFaultServer()
    const { connection, clock } = driven({ target: { url: server.url } })
    server.once('initialize', rpcError(-32600, 'Invalid Request: Server already initialized', { code: 400 }))
    await connection.connect()
    await server.stop()
    const call = connection.callTool({ name: 'echo' }, { replay: 'always' })
    await until(connection, 'backoff')
    await server.start()
    clock.increment(10_000)
    await call
    expect(server.count('initialize')).toBe(2)
    expect(connection.status).toBe('ready')
    await connection.close()
  })

  it('one that was given up by reconnect() in a wait is ended on the server once the next stands', async () => {
    await using server = await startFaultServer()
    const { connection } = driven({ target: { url: server.url } })
    await connection.connect()
    await server.stop()
    connection.callTool({ name: 'echo' }, { replay: 'always' }).catch(() => undefined)
    await until(connection, 'backoff')
    await server.start()
    await connection.reconnect()
    await server.seen('DELETE')
    await expect.poll(() => [...server.sessions]).toEqual(['session-2'])
    await connection.close()
  })

  it('an application that speaks of a session of its own gets its answer, once', async () => {
    await using server = await startFaultServer()
    server.answer('tools/call', rpcError(-32000, 'Browser session not found: it has expired'))
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    const error = await failure(connection.callTool({ name: 'echo' }))
    expect(error).toBeInstanceOf(RpcError)
    expect([server.count('tools/call'), server.count('initialize')]).toEqual([1, 1])
    await connection.close()
  })
})

describe('signs of life', () => {
  it('calls that time out one after another are none: the dead wire is replaced', async () => {
    await using server = await startFaultServer()
    const connection = quick({
      target: { url: server.url },
      policy: { timeouts: { callMs: 60, probeMs: 60 }, stableAfterMs: 50, keepaliveMs: 50 },
    })
    await connection.connect()
    server.answer('*', hang())
    let going = true
    const callers = Array.from({ length: 3 }, async () => {
      while (going) await connection.callTool({ name: 'echo' }).catch(() => undefined)
    })
    await until(connection, 'backoff')
    expect(connection.fault?.code).toBe('probe.unanswered')
    going = false
    server.heal()
    server.dropSockets()
    await Promise.all(callers)
    await connection.close()
  })
})

describe('transports that keep no promise', () => {
  const never = () => new Promise<void>(() => {})
  const deaf: CustomTarget = { open: () => ({ start: never, send: never, close: never }) }

  it('a start and a close that never settle hold nothing up', async () => {
    const { connection, clock } = driven({ target: deaf, policy: { maxAttempts: 2 } })
    connection.connect().catch(() => undefined)
    await until(connection, 'connecting')
    clock.increment(10_000)
    expect(connection.status).toBe('backoff')
    const closing = connection.close()
    for (let i = 0; i < 4; i++) {
      clock.increment(5_000)
      await new Promise(setImmediate)
    }
    await closing
    expect(connection.status).toBe('closed')
  })

  it('a send that throws settles its call', async () => {
    const target: CustomTarget = {
      open() {
        const [here, there] = InMemoryTransport.createLinkedPair()
        void new McpServer({ name: 'x', version: '1' }).connect(there)
        const send = here.send.bind(here)
        here.send = (message, options) => {
          if ('method' in message && message.method === 'tools/call') throw new Error('no')
          return send(message, options)
        }
        return here
      },
    }
    const connection = quick({ target })
    await connection.connect()
    expect(await failure(connection.callTool({ name: 'x' }))).toBeInstanceOf(OutcomeUnknownError)
    await connection.close()
  })
})

describe('the application', () => {
  it('a rule of its own that throws does not match, and harms nothing', async () => {
    const server = await startFaultServer()
    await server.stop()
    const broken = {
      id: 'broken',
      because: 'it reads what is not there',
      when: () => {
        throw new Error('no')
      },
      ruling: { class: 'permanent', scope: 'link', code: 'x', advice: 'None.' },
    } as const
    const { connection } = driven({ target: { url: server.url }, rules: [broken] })
    connection.connect().catch(() => undefined)
    await until(connection, 'backoff')
    expect(connection.fault?.code).toBe('network.ECONNREFUSED')
    await connection.close()
  })

  it('disconnect() is not undone by a read that was under way', async () => {
    await using server = await startFaultServer()
    server.answer('resources/read', hang())
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    const statuses = record(connection)
    const reading = failure(connection.readResource({ uri: 'a:b' }))
    await server.seen('resources/read')
    await connection.disconnect()
    await reading
    await new Promise(setImmediate)
    expect(statuses).toEqual(['ready', 'closing', 'idle'])
    expect(server.count('initialize')).toBe(1)
    await connection.close()
  })

  it.each([Number.NaN, -1, '5s' as never])('a time of %s is refused at the door', async (timeoutMs) => {
    const { connection } = driven({ target: { command: 'x' } })
    expect(await failure(connection.callTool({ name: 'x' }, { timeoutMs }))).toBeInstanceOf(TypeError)
    await connection.close()
  })

  it('a time without end is as long as a timer can be, and not over at once', async () => {
    const server = await startFaultServer()
    await server.stop()
    const { connection, clock } = driven({ target: { url: server.url } })
    const call = connection.callTool({ name: 'echo' }, { timeoutMs: Number.POSITIVE_INFINITY })
    await until(connection, 'backoff')
    await server.start()
    clock.increment(10_000)
    expect(await call).toBeDefined()
    await connection.close()
    await server[Symbol.asyncDispose]()
  })

  it('connect() from within a subscriber answers for what comes, not for what was', async () => {
    await using server = await startFaultServer()
    server.once('initialize', status(403))
    const connection = quick({ target: { url: server.url } })
    const again = new Promise<void>((resolve, reject) => {
      connection.status$.subscribe((now) => {
        if (now === 'failed') connection.connect().then(resolve, reject)
      })
    })
    await failure(connection.connect())
    await again
    expect(connection.status).toBe('ready')
    await connection.close()
  })

  it('configure() changes what it is given, all of it or nothing', async () => {
    await using server = await startFaultServer()
    const { connection } = driven({
      target: { url: server.url },
      policy: { maxAttempts: 7, timeouts: { callMs: 1_234 } },
    })
    await connection.connect()
    connection.configure({ policy: { keepaliveMs: 5 } })
    const { policy } = connection.actor.getSnapshot().context
    expect(policy).toMatchObject({ maxAttempts: 7, callMs: 1_234, keepaliveMs: 5 })
    expect(() =>
      connection.configure({ target: { url: 'http://127.0.0.1:9/' }, policy: { maxAttempts: -1 } }),
    ).toThrow()
    expect(connection.session).toBeDefined()
    expect(await connection.callTool({ name: 'echo' })).toBeDefined()
    await connection.close()
  })

  it('configure() refuses an address that is none where credentials belong to one, and changes nothing', async () => {
    await using server = await startFaultServer()
    const { connection } = driven({ target: { url: server.url }, authorizer: { token: () => 'key-0123456789' } })
    await connection.connect()
    const { address } = connection
    expect(() => connection.configure({ target: { url: 'no address' } })).toThrow('target.url is no address')
    expect([connection.address, connection.catalog.tools.length]).toEqual([address, 1])
    await connection.close()
  })
})

it('what a server repeats in an error is cut and redacted where it is shown, and whole for the caller', async () => {
  const canary = 'canary-0123456789'
  await using server = await startFaultServer()
  const message = `token ${canary} is odd ${'x'.repeat(5_000)}`
  server.answer('tools/call', rpcError(-32050, message, { data: { seen: canary, big: 'y'.repeat(100_000) } }))
  const connection = quick({ target: { url: server.url, headers: { 'x-api-key': canary } } })
  await connection.connect()
  const error = await failure(connection.callTool({ name: 'echo' }))
  expect(error).toMatchObject({ rpcCode: -32050, message, data: { seen: canary } })
  const shown = JSON.stringify([error instanceof RpcError && error.fault, connection.actor.getSnapshot()])
  expect(shown).not.toContain(canary)
  expect(shown.length).toBeLessThan(10_000)
  await connection.close()
})
