/**
 * Field reports of kind 10: what stays behind.
 *
 * Played elsewhere, and not again here:
 * - 10.02 (listeners after a thousand reopenings): test/wire/http/traps.test.ts
 * - 10.03 (objects used twice): test/connection/traps.test.ts, trap 3
 * - 10.06 (the process ends by itself): test/connection/close.test.ts, test/reports/stdio/02-hosts.test.ts
 * - 10.05: the states of close() that test/connection/close.test.ts does not have are here
 */
import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { ConnectionClosedError } from '../../../src/index.js'
import { hang, silent, sse, startFaultServer, startRawServer } from '../../../src/testing/fault-server/index.js'
import { driven, failure, quick, until } from '../../connection/rig.js'
import { connected, scene, turns } from '../rig.js'
import { drivenChild, eventually, passing, quickChild } from '../stdio/rig.js'

const signals = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP', 'unhandledRejection', 'uncaughtException']
const listeners = () => signals.map((name) => process.listenerCount(name))
const handles = () =>
  process
    .getActiveResourcesInfo()
    .filter((name) => /TCPSocketWrap|TCPServerWrap|ProcessWrap|PipeWrap|Timeout/.test(name))

it('10.01: a hundred connects into a black hole leave the listeners of the process as they were', async () => {
  await using hole = await startRawServer(silent)
  const warnings: Error[] = []
  const warn = (warning: Error) => warnings.push(warning)
  process.on('warning', warn)
  const before = listeners()
  for (let n = 0; n < 100; n++) {
    const { connection, clock } = driven({
      target: { url: hole.url },
      policy: { maxAttempts: 0, slowProbeMs: false, timeouts: { initializeMs: 50 } },
    })
    const connecting = failure(connection.connect())
    await until(connection, 'initializing')
    clock.increment(50)
    await connecting
    await connection.close()
  }
  await turns(5)
  process.off('warning', warn)
  expect(listeners()).toEqual(before)
  expect(warnings).toEqual([])
  await expect.poll(() => hole.open).toBe(0)
})

it('10.02: a signal given to a hundred calls, some of them waiting, keeps no listener', async () => {
  await using server = await startFaultServer()
  await using connection = quick({ target: { url: server.url } })
  const { signal } = new AbortController()
  for (let n = 0; n < 10; n++) {
    await Promise.all(Array.from({ length: 10 }, () => connection.callTool({ name: 'echo' }, { signal })))
    await connection.disconnect()
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

it('10.03: three refused connects wedge nothing', async () => {
  await using it = await scene()
  const { server, connection } = it
  await server.stop()
  const ready = connection.connect()
  await it.passUntil(() => connection.actor.getSnapshot().context.attempts === 3, 30_000)
  await server.start()
  await it.pass(10_000)
  await ready
  expect(server.count('initialize')).toBe(1)
  expect(it.losses).toEqual(['network.ECONNREFUSED', 'network.ECONNREFUSED', 'network.ECONNREFUSED'])
})

it('10.04: two streams that broke together: nothing is asked for after close()', async () => {
  await using it = await connected()
  it.server.answer('tools/call', sse([{ id: 'e1', retry: 5_000, data: '' }, 'destroy']))
  const call = failure(it.call())
  await it.server.over('tools/call')
  it.server.streams.cut()
  await it.settled()
  await it.connection.close()
  await call
  await it.settled()
  const asked = it.server.count()
  expect(it.server.requests().at(-1)?.http).toBe('DELETE')
  it.clock.increment(60_000)
  await it.settled()
  expect(it.server.count()).toBe(asked)
})

describe('10.05: close() is bounded in every state (P18)', () => {
  it('10.05: with a call in flight that is never answered (P1)', async () => {
    await using it = await connected()
    it.server.answer('tools/call', hang())
    const call = failure(it.call())
    await it.server.seen('tools/call')
    const [first, second] = [it.connection.close(), it.connection.close()]
    await Promise.all([first, second])
    expect(await call).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    const asked = it.server.count()
    it.clock.increment(60_000)
    await it.settled()
    expect(it.server.count()).toBe(asked)
  })

  it('10.05: with calls that wait: each is told that the connection is closed', async () => {
    await using it = await scene()
    await it.server.stop()
    const calls = Array.from({ length: 5 }, () => failure(it.call()))
    await it.passUntil(() => it.connection.status === 'backoff', 1_000)
    await it.connection.close()
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(ConnectionClosedError)
  })

  it('10.05: while a server that asked for an hour is left alone', async () => {
    await using it = await scene()
    it.server.answer('initialize', ({ res }) => void res.writeHead(503, { 'retry-after': '3600' }).end())
    void failure(it.connection.connect())
    await it.passUntil(() => it.connection.status === 'backoff', 1_000)
    await it.connection.close()
    it.clock.increment(7_200_000)
    await it.settled()
    expect(it.server.count('initialize')).toBe(1)
  })

  it('10.05: in the very moment in which the connection becomes ready', async () => {
    await using it = await scene()
    let closing: Promise<void> | undefined
    it.connection.status$.subscribe((status) => {
      if (status === 'ready') closing ??= it.connection.close()
    })
    await it.connection.connect().catch(() => undefined)
    await closing
    expect(it.connection.status).toBe('closed')
    await it.settled()
    expect(it.server.sessions.size).toBe(0)
    expect(it.server.streams.size).toBe(0)
  })

  it('10.05: while a handshake is under way: the session it brings is ended', async () => {
    await using it = await scene()
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    it.server.answer('initialize', async (visit) => {
      await held
      await visit.healthy()
    })
    void failure(it.connection.connect())
    await it.server.seen('initialize')
    await it.connection.close()
    answer()
    await it.settled()
    expect(it.server.count()).toBeLessThanOrEqual(2)
    await expect.poll(() => it.server.sockets).toBe(0)
  })

  it('10.05: of a child that is stopped: within its graces, by force', async () => {
    await using driven = drivenChild({ onEof: [], onSigterm: [] })
    const { scene: child, clock } = driven
    await child.connection.connect()
    process.kill(child.pids[0] ?? 0, 'SIGSTOP')
    const from = clock.now()
    let isOver = false
    const closing = child.connection.close().then(() => {
      isOver = true
    })
    await passing(clock, () => isOver, 50)
    await closing
    expect(clock.now() - from).toBeLessThanOrEqual(10_000)
    expect(child.living).toEqual([])
  })
})

describe('10.07: connects that come together (P4)', () => {
  it('10.07: twenty connects start one process', async () => {
    await using it = quickChild()
    await Promise.all(Array.from({ length: 20 }, () => it.connection.connect()))
    expect(it.starts).toHaveLength(1)
    expect(it.messages('initialize')).toHaveLength(1)
  })

  it('10.07: twenty connects make one session', async () => {
    await using server = await startFaultServer()
    await using connection = quick({ target: { url: server.url } })
    await Promise.all(Array.from({ length: 20 }, () => connection.connect()))
    expect(server.count('initialize')).toBe(1)
    expect(server.sessions.size).toBe(1)
  })
})

describe('10.08: connect, disconnect, connect', () => {
  it('10.08: works any number of times and leaves handles flat', async () => {
    await using it = quickChild()
    await it.connection.connect()
    await it.connection.disconnect()
    await turns(20)
    const before = handles().length
    for (let n = 0; n < 8; n++) {
      await it.connection.connect()
      expect(it.connection.status).toBe('ready')
      await it.connection.disconnect()
      expect(it.connection.status).toBe('idle')
    }
    await eventually(() => handles().length <= before)
    expect(it.starts).toHaveLength(9)
    expect(it.living).toEqual([])
  })

  it('10.08: a connect() during the disconnect is not lost', async () => {
    await using it = quickChild()
    await it.connection.connect()
    const leaving = it.connection.disconnect()
    await it.connection.connect()
    await leaving
    expect(it.connection.status).toBe('ready')
    expect(it.living).toHaveLength(1)
  })
})
