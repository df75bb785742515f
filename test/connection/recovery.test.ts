/** Real servers are lost in every way, and come back on the same handle. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OutcomeUnknownError } from '../../src/index.js'
import { childServer, readChildLog } from '../../src/testing/child/index.js'
import { destroy, hang, sse, startFaultServer, status } from '../../src/testing/fault-server/index.js'
import { driven, failure, isAlive, quick, record, until } from './rig.js'

async function withLog(work: (log: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lifeline-'))
  try {
    await work(join(folder, 'log'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('a child that is killed', () => {
  it('is started anew; the call in flight rejects at once as unknown, the next one is answered', () =>
    withLog(async (log) => {
      const connection = quick({ target: childServer({ log, on: { 'tools/call:slow': [{ hang: true }] } }) })
      await connection.connect()
      const statuses = record(connection)
      const inFlight = failure(connection.callTool({ name: 'slow' }))
      await connection.callTool({ name: 'die' }).catch(() => undefined)
      const error = await inFlight
      expect(error).toBeInstanceOf(OutcomeUnknownError)
      expect(error).toMatchObject({ fault: { code: 'process.exited', evidence: { exit: { signal: 'SIGKILL' } } } })
      expect(JSON.stringify(await connection.callTool({ name: 'echo', arguments: { text: 'back' } }))).toContain('back')
      expect(statuses).toEqual(['ready', 'backoff', 'connecting', 'initializing', 'discovering', 'ready'])
      await connection.close()
      const starts = (await readChildLog(log)).filter(({ event }) => event === 'start')
      expect(starts).toHaveLength(2)
      expect(starts.map(({ pid }) => isAlive(pid))).toEqual([false, false])
    }))

  it('is never there twice: each is gone before the next is started (P4)', () =>
    withLog(async (log) => {
      const connection = quick({
        target: childServer({ log, onEof: [], onSigterm: [] }),
        policy: { timeouts: { closeMs: 500 } },
      })
      for (let i = 0; i < 3; i++) {
        await connection.reconnect()
        const starts = (await readChildLog(log)).filter(({ event }) => event === 'start')
        expect(starts.filter(({ pid }) => isAlive(pid))).toHaveLength(1)
      }
      await connection.close()
      expect((await readChildLog(log)).filter(({ pid }) => isAlive(pid))).toEqual([])
    }))
})

describe('an HTTP server that is restarted', () => {
  it('and has forgotten its sessions: one new session, no dead id in initialize, lists read anew (P9, P10)', async () => {
    await using server = await startFaultServer()
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    const before = connection.catalog.fetchedAt
    server.health.tools = [{ name: 'other', inputSchema: { type: 'object' } }]
    server.forgetSessions()
    const answers = await Promise.all(Array.from({ length: 5 }, () => connection.request('tools/list')))
    expect(answers).toHaveLength(5)
    expect(server.count('initialize')).toBe(2)
    expect(server.requests('initialize')[1]?.headers).not.toHaveProperty('mcp-session-id')
    expect(server.requests('initialize')[1]?.headers).not.toHaveProperty('mcp-protocol-version')
    expect(connection.catalog.tools.map(({ name }) => name)).toEqual(['other'])
    expect(connection.catalog.fetchedAt).toBeGreaterThanOrEqual(before)
    await connection.close()
  })

  it('and still knows its sessions: the session is gone on with, by one request', async () => {
    await using server = await startFaultServer()
    const { connection, clock } = driven({ target: { url: server.url } })
    await connection.connect()
    await server.stop()
    const call = connection.callTool({ name: 'echo' }, { replay: 'always' })
    await until(connection, 'backoff')
    const before = server.count('POST')
    await server.start()
    clock.increment(10_000)
    await call
    expect(server.count('initialize')).toBe(1)
    expect(server.requests('POST')[before]).toMatchObject({ method: 'tools/list', session: 'session-1' })
    expect(connection.session?.serverInfo.name).toBe('fault-server')
    await connection.close()
  })

  it('ids never repeat within a session that is gone on with (trap 4)', async () => {
    await using server = await startFaultServer()
    const { connection, clock } = driven({ target: { url: server.url } })
    await connection.connect()
    await server.stop()
    const call = connection.callTool({ name: 'echo' }, { replay: 'always' })
    await until(connection, 'backoff')
    await server.start()
    clock.increment(10_000)
    await call
    const ids = server.requests('POST').flatMap(({ id }) => (id === undefined ? [] : [id]))
    expect(new Set(ids).size).toBe(ids.length)
    await connection.close()
  })
})

describe('calls that are cut together', () => {
  it('by a lost session: one new session, and each runs once, since the server had refused them all', async () => {
    await using server = await startFaultServer()
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    server.forgetSessions()
    const texts = ['1', '2', '3', '4', '5']
    const answers = await Promise.all(texts.map((text) => connection.callTool({ name: 'echo', arguments: { text } })))
    expect(answers.map(({ content }) => content[0])).toMatchObject(
      texts.map((text) => ({ text: JSON.stringify({ text }) })),
    )
    expect(server.count('initialize')).toBe(2)
    expect(server.requests('tools/call').filter(({ status }) => status === 200)).toHaveLength(texts.length)
    await connection.close()
  })

  it('by a lost session, one of them running for long: that one is left in doubt, and the new session is not', async () => {
    await using server = await startFaultServer()
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    server.once('tools/call', hang())
    const long = failure(connection.callTool({ name: 'echo' }))
    await server.seen('tools/call')
    server.forgetSessions()
    expect(await connection.callTool({ name: 'echo' })).toBeDefined()
    expect(await long).toBeInstanceOf(OutcomeUnknownError)
    expect(server.count('initialize')).toBe(2)
    await connection.close()
  })

  it('by a server that is away: none has left, so all wait, whichever hears of it first', async () => {
    await using server = await startFaultServer()
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    await server.stop()
    const texts = ['1', '2', '3', '4', '5']
    const calls = Promise.all(texts.map((text) => connection.callTool({ name: 'echo', arguments: { text } })))
    await until(connection, 'backoff')
    await server.restart()
    expect(await calls).toHaveLength(texts.length)
    expect(server.count('tools/call')).toBe(texts.length)
    await connection.close()
  })
})

describe('a call whose wire breaks', () => {
  it('after it was sent rejects as unknown, and is not sent again', async () => {
    await using server = await startFaultServer()
    server.answer('tools/call', destroy())
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    expect(await failure(connection.callTool({ name: 'echo' }))).toBeInstanceOf(OutcomeUnknownError)
    expect(server.count('tools/call')).toBe(1)
    await connection.close()
  })

  it('while the server is away waits, and is answered when it is back', async () => {
    await using server = await startFaultServer()
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    await server.stop()
    const call = connection.callTool({ name: 'echo', arguments: { text: 'late' } })
    await until(connection, 'backoff')
    await server.restart()
    expect(JSON.stringify(await call)).toContain('late')
    expect(server.count('tools/call')).toBe(1)
    await connection.close()
  })

  it('an HTTP error on one call is no disconnect', async () => {
    await using server = await startFaultServer()
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    const statuses = record(connection)
    for (const code of [400, 403, 500, 503]) {
      server.once('tools/call', status(code))
      expect(await failure(connection.callTool({ name: 'echo' }))).toMatchObject({ fault: { code: `http.${code}` } })
    }
    expect(await connection.callTool({ name: 'echo' })).toBeDefined()
    expect(statuses).toEqual(['ready'])
    expect(server.count('initialize')).toBe(1)
    await connection.close()
  })
})

describe('a link that dies silently', () => {
  it('is declared dead after keepalive and two probes (P16)', async () => {
    await using server = await startFaultServer()
    const { connection, clock } = driven({ target: { url: server.url } })
    await connection.connect()
    clock.increment(10_000)
    server.answer('*', hang())
    clock.increment(30_000)
    await server.seen('ping')
    clock.increment(5_000)
    expect(connection.status).toBe('ready')
    clock.increment(5_000)
    expect(connection.status).toBe('backoff')
    expect(connection.fault?.code).toBe('probe.unanswered')
    server.heal()
    server.dropSockets()
    clock.increment(500)
    await until(connection, 'ready')
    await connection.close()
  })
})

describe('status is measured (P21)', () => {
  it('a call whose reply stream broke and is being resumed is no sign of life', async () => {
    await using server = await startFaultServer()
    server.answer('tools/call', sse([{ id: 'e1', data: '' }, 'destroy']))
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    const call = failure(connection.callTool({ name: 'echo' }))
    await server.over('tools/call')
    await server.stop()
    await until(connection, 'backoff')
    expect(connection.fault?.code).toBe('network.ECONNREFUSED')
    await connection.close()
    await call
  })
})

describe('a server that stands behind a proxy, and is away', () => {
  it('is not called again until it is back: two probes that fail are enough, and calls wait', async () => {
    await using server = await startFaultServer()
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    server.answer('*', status(502))
    expect(await failure(connection.callTool({ name: 'echo' }))).toBeInstanceOf(OutcomeUnknownError)
    await until(connection, 'backoff')
    const waiting = Array.from({ length: 20 }, (_, i) =>
      connection.callTool({ name: 'echo', arguments: { text: `call ${i}` } }),
    )
    expect(connection.fault).toMatchObject({ code: 'probe.failed', evidence: { http: { status: 502 } } })
    server.heal()
    expect(await Promise.all(waiting)).toHaveLength(20)
    expect(server.count('initialize')).toBe(1)
    await connection.close()
  })

  it('is given the time that it names', async () => {
    await using server = await startFaultServer()
    const { connection, clock } = driven({ target: { url: server.url } })
    await connection.connect()
    server.answer('*', status(503, { retryAfter: 7 }))
    await failure(connection.callTool({ name: 'echo' }, { replay: 'never' }))
    const statusAfterAPause = () => {
      clock.increment(250)
      return connection.status
    }
    await expect.poll(statusAfterAPause).toBe('backoff')
    const asked = server.count('*')
    clock.increment(6_900)
    expect(server.count('*')).toBe(asked)
    server.heal()
    await connection.close()
  })

  it('is not taken for one of the older wire by a proxy that answers 404 meanwhile', async () => {
    await using server = await startFaultServer()
    const connection = quick({ target: { url: server.url } })
    await connection.connect()
    server.answer('*', status(404))
    const call = connection.callTool({ name: 'echo', arguments: { text: 'back' } }, { replay: 'always' })
    await until(connection, 'backoff')
    server.heal()
    expect(JSON.stringify(await call)).toContain('back')
    expect(server.requests('GET').filter(({ status: s }) => s === 404)).toEqual([])
    await connection.close()
  })

  it('and has never answered: the older wire is tried, and not stayed with', async () => {
    await using server = await startFaultServer()
    server.answer('POST', status(404))
    server.answer('GET', status(503))
    const connection = quick({ target: { url: server.url } })
    const ready = connection.connect()
    await until(connection, 'backoff')
    server.heal()
    await ready
    expect(server.count('initialize')).toBeGreaterThan(1)
    await connection.close()
  })
})
