/** close() settles in every state within its bound, and leaves nothing: no child, socket, timer or listener. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ConnectionClosedError } from '../../src/index.js'
import { childServer } from '../../src/testing/child/index.js'
import { hang, silent, startFaultServer, startRawServer } from '../../src/testing/fault-server/index.js'
import { driven, failure, quick, until } from './rig.js'

/** Pending timers and open handles that keep a process alive. */
const resources = () =>
  process.getActiveResourcesInfo().filter((name) => /TCPSocketWrap|ProcessWrap|PipeWrap/.test(name)).length

async function expectClean(before: number): Promise<void> {
  await expect.poll(resources, { timeout: 2_000 }).toBeLessThanOrEqual(before)
}

describe('close() (P18)', () => {
  it('of a connection that was never started', async () => {
    const { connection } = driven({ target: { command: 'x' } })
    await connection.close()
    expect(connection.status).toBe('closed')
    await connection.close()
    expect(await failure(connection.callTool({ name: 'echo' }))).toBeInstanceOf(ConnectionClosedError)
    expect(await failure(connection.connect())).toBeInstanceOf(ConnectionClosedError)
  })

  it('while a black hole is dialled', async () => {
    const before = resources()
    await using hole = await startRawServer(silent)
    const { connection } = driven({ target: { url: hole.url } })
    const connecting = failure(connection.connect())
    await until(connection, 'initializing')
    await connection.close()
    expect(await connecting).toBeInstanceOf(ConnectionClosedError)
    await hole[Symbol.asyncDispose]()
    await expectClean(before)
  })

  it('in backoff: no attempt comes after it', async () => {
    const server = await startFaultServer()
    await server.stop()
    const { connection, clock } = driven({ target: { url: server.url } })
    connection.connect().catch(() => undefined)
    await until(connection, 'backoff')
    await connection.close()
    await server.start()
    clock.increment(120_000)
    expect(server.count('*')).toBe(0)
    await server[Symbol.asyncDispose]()
  })

  it('with calls in flight and waiting: each is told, the session is ended', async () => {
    const before = resources()
    const server = await startFaultServer()
    server.answer('tools/call', hang())
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    const call = failure(connection.callTool({ name: 'echo' }))
    await server.seen('tools/call')
    await connection.close()
    expect(await call).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(server.count('DELETE')).toBe(1)
    expect(server.sessions.size).toBe(0)
    await server[Symbol.asyncDispose]()
    await expectClean(before)
  })

  it('within its time although the server never answers the DELETE', async () => {
    const server = await startFaultServer()
    server.answer('DELETE', hang())
    const { connection, clock } = driven({ target: { url: server.url } })
    await connection.connect()
    const closing = connection.close()
    await server.seen('DELETE')
    clock.increment(5_000)
    await closing
    expect(connection.status).toBe('closed')
    await server[Symbol.asyncDispose]()
  })

  it('ends the remembered session also when no link is there', async () => {
    await using server = await startFaultServer()
    const { connection } = driven({ target: { url: server.url } })
    await connection.connect()
    await server.stop()
    const call = failure(connection.callTool({ name: 'echo' }, { replay: 'always' }))
    await until(connection, 'backoff')
    await server.start()
    await connection.close()
    await call
    expect(server.count('DELETE')).toBe(1)
    expect(server.count('initialize')).toBe(1)
  })

  it('of a child that ignores EOF and SIGTERM: it is gone when close() returns', async () => {
    const before = resources()
    const connection = quick({
      target: childServer({ onEof: [], onSigterm: [] }),
      policy: { timeouts: { closeMs: 600 } },
    })
    await connection.connect()
    await connection.close()
    await expectClean(before)
  })

  it('disconnect() rests in idle, and the next call starts anew', async () => {
    await using server = await startFaultServer()
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    await connection.disconnect()
    expect(connection.status).toBe('idle')
    expect(server.sessions.size).toBe(0)
    expect(await connection.callTool({ name: 'echo' })).toBeDefined()
    expect(server.count('initialize')).toBe(2)
    await connection.close()
  })

  it('twenty cycles of connect and disconnect leave handles flat', async () => {
    await using server = await startFaultServer()
    const connection = quick({ target: { url: server.url } })
    for (let i = 0; i < 20; i++) {
      await connection.connect()
      await connection.disconnect()
    }
    await expect.poll(() => server.sockets).toBeLessThan(5)
    expect(server.sessions.size).toBe(0)
    await connection.close()
  })

  it('adds no listener to the process that stays (report 10.01)', async () => {
    const count = () =>
      ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP', 'unhandledRejection'].map((name) => process.listenerCount(name))
    const before = count()
    for (let i = 0; i < 20; i++) {
      const { connection } = driven({ target: { command: 'no-such-command' } })
      await connection.connect().catch(() => undefined)
      await connection.close()
    }
    expect(count()).toEqual(before)
  })
})

describe('a process whose connections are closed (P18)', () => {
  it.each(['stdio', 'http', 'failed', 'backoff'])('ends by itself (%s, report 10.06)', async (kind) => {
    const host = new URL('./host.ts', import.meta.url).pathname
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', host, kind], { timeout: 15_000 })
    expect(stdout).toContain(`closed ${kind}`)
  })
})
