/** Calls that are under way when their server takes nothing new any more: they go on beside the next link (decision 35). */
import { describe, expect, it } from 'vitest'
import type { SimulatedClock } from 'xstate'
import type { Connection, ConnectionOptions } from '../../src/index.js'
import {
  type FaultServer,
  hang,
  type Part,
  type Play,
  sse,
  startFaultServer,
  status,
} from '../../src/testing/fault-server/index.js'
import { driven, failure, until } from './rig.js'

/** Something that a server waits for until the test lets it go on. */
function gate() {
  let open!: () => void
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const late: Play = (visit) => opened.then(visit.healthy)
  return { open, late, part: { until: () => opened } satisfies Part }
}

const echo = (connection: Connection, text: string) => connection.callTool({ name: 'echo', arguments: { text } })

const said = (text: string) => ({ content: [{ text: JSON.stringify({ text }) }] })

const result = { content: [{ type: 'text', text: 'done' }] }

/** A connection with one call under way that the test answers, to a server that has just refused another. */
async function draining(play: Play, options: Omit<ConnectionOptions, 'name' | 'target'> = {}) {
  const server = await startFaultServer()
  const { connection, clock } = driven({ target: { url: server.url }, ...options })
  await connection.connect()
  server.once('tools/call', play)
  const slow = echo(connection, 'slow')
  slow.catch(() => undefined)
  await server.seen('tools/call')
  const next = await refused(server, connection)
  return {
    server,
    connection,
    clock,
    /** The call under way. */
    slow,
    /** The call that was refused, and waits. */
    next,
    /** The server is there again, and so is the connection. */
    async back() {
      await server.start()
      clock.increment(10_000)
      await until(connection, 'ready')
    },
    async [Symbol.asyncDispose]() {
      await connection.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** A call that the server does not take any more. */
async function refused(server: FaultServer, connection: Connection): Promise<{ call: ReturnType<typeof echo> }> {
  server.drain()
  const isLost = until(connection, 'backoff').then(() => true)
  for (;;) {
    const call = echo(connection, 'next')
    // Over a socket that was busy it may still be taken.
    const isTaken = call.then(
      () => false,
      () => false,
    )
    if (await Promise.race([isTaken, isLost])) return { call }
  }
}

/** Lets the clock run, a little at a time, until it holds. */
const passes = (clock: SimulatedClock, holds: () => boolean) =>
  expect
    .poll(
      () => {
        clock.increment(300)
        return holds()
      },
      { timeout: 10_000 },
    )
    .toBe(true)

/** Ids that a session has seen, in order. */
const idsIn = (server: FaultServer, session: string) =>
  server.requests('POST').flatMap((request) => (request.session === session && request.id != null ? [request.id] : []))

describe('a call that is under way when the server refuses another', () => {
  it('is answered while the connection waits', async () => {
    const answer = gate()
    await using it = await draining(answer.late)
    answer.open()
    expect(await it.slow).toMatchObject(said('slow'))
    expect(it.connection.status).toBe('backoff')
    await it.back()
    expect(await it.next.call).toMatchObject(said('next'))
    expect(it.server.count('tools/call')).toBe(2)
    expect(it.server.count('initialize')).toBe(1)
  })

  it('is answered beside the next link, which goes on with the session and counts on (P4, trap 4)', async () => {
    const answer = gate()
    await using it = await draining(answer.late)
    await it.back()
    expect(await it.next.call).toMatchObject(said('next'))
    expect(await echo(it.connection, 'third')).toMatchObject(said('third'))
    const { call } = await refused(it.server, it.connection)
    answer.open()
    expect(await it.slow).toMatchObject(said('slow'))
    await it.back()
    expect(await call).toMatchObject(said('next'))
    const ids = idsIn(it.server, 'session-1')
    expect(ids.length).toBeGreaterThan(5)
    expect(new Set(ids).size).toBe(ids.length)
    expect(it.server.count('initialize')).toBe(1)
    expect(it.server.count('DELETE')).toBe(0)
  })

  it('is answered in its own session when the next link has to begin another', async () => {
    const answer = gate()
    await using it = await draining(answer.late)
    it.server.forgetSessions()
    await it.back()
    expect(await it.next.call).toMatchObject(said('next'))
    expect(it.server.count('initialize')).toBe(2)
    answer.open()
    expect(await it.slow).toMatchObject(said('slow'))
    expect(it.server.count('DELETE')).toBe(0)
  })

  it('comes before the end of its session, when that is given up because it says nothing', async () => {
    const answer = gate()
    await using it = await draining(answer.late)
    await it.server.start()
    it.server.answer('tools/list', (visit) => (visit.request.session === 'session-1' ? hang()(visit) : visit.healthy()))
    for (let resumes = 2; resumes <= 3; resumes++) {
      it.clock.increment(10_000)
      await it.server.seen('tools/list', resumes)
      it.clock.increment(10_000)
      await until(it.connection, 'backoff', 'ready')
    }
    it.clock.increment(10_000)
    await until(it.connection, 'ready')
    expect(await it.next.call).toMatchObject(said('next'))
    expect(it.server.count('initialize')).toBe(2)
    expect(it.server.count('DELETE')).toBe(0)
    answer.open()
    expect(await it.slow).toMatchObject(said('slow'))
    expect(await it.server.seen('DELETE')).toMatchObject({ session: 'session-1' })
  })

  it('tells its progress, and what the server says beside it reaches the next link (P10)', async () => {
    const [first, second] = [gate(), gate()]
    const progress = (visit: Parameters<Play>[0]) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: visit.request.id, progress: 1 },
    })
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
    await using it = await draining(hang())
    await it.back()
    await it.next.call
    it.server.once('tools/call', (visit) =>
      sse([first.part, { data: progress(visit) }, { data: changed }, second.part, { respond: result }])(visit),
    )
    const seen: number[] = []
    const call = it.connection.callTool({ name: 'echo' }, { onProgress: ({ progress: is }) => seen.push(is) })
    await it.server.seen('tools/call', 3)
    await refused(it.server, it.connection)
    await it.back()
    await passes(it.clock, () => JSON.stringify(it.connection.actor.getSnapshot().value).includes('"catalog":"fresh"'))
    it.server.health.tools = [{ name: 'other', inputSchema: { type: 'object' } }]
    first.open()
    await expect.poll(() => seen).toEqual([1])
    await passes(it.clock, () => it.connection.catalog.tools.some(({ name }) => name === 'other'))
    second.open()
    expect(await call).toMatchObject(result)
  })

  it('may ask something of the application, which is answered in its session', async () => {
    const ask = gate()
    const asks = { jsonrpc: '2.0', id: 'from-server', method: 'roots/list' }
    const isAnswer = ({ body }: { body?: unknown }) => Object(body).id === 'from-server'
    const answered: Part = { until: ({ server }) => server.log.until(() => server.log.all.some(isAnswer)) }
    await using it = await draining(sse([ask.part, { data: asks }, answered, { respond: result }]), {
      client: {
        name: 'test',
        version: '1',
        capabilities: { roots: {} },
        handlers: { 'roots/list': () => ({ roots: [{ uri: 'file:///here' }] }) },
      },
    })
    it.server.forgetSessions()
    await it.back()
    ask.open()
    expect(await it.slow).toMatchObject(result)
    const answers = it.server.log.all.filter(isAnswer)
    expect(answers).toMatchObject([{ session: 'session-1', body: { result: { roots: [{ uri: 'file:///here' }] } } }])
  })

  it('goes on after an event where its stream breaks, also while the connection waits', async () => {
    const cut = gate()
    await using it = await draining(sse([{ id: 'e1', data: '' }, cut.part, 'destroy']))
    cut.open()
    await it.server.over('tools/call')
    await it.server.start()
    const id = it.server.requests('tools/call')[0]?.id
    it.server.answer('GET', (visit) => {
      if (visit.request.lastEventId !== 'e1') return visit.healthy()
      return sse([{ id: 'e2', data: { jsonrpc: '2.0', id, result } }])(visit)
    })
    await passes(it.clock, () => it.server.requests('GET').some(({ lastEventId }) => lastEventId === 'e1'))
    expect(await it.slow).toMatchObject(result)
  })

  it('is told at once when its own socket dies (P3)', async () => {
    await using it = await draining(hang())
    it.server.dropSockets()
    expect(await failure(it.slow)).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(it.connection.status).toBe('backoff')
  })

  it('ends by its own deadline, or by its signal, and its socket with it (P1)', async () => {
    await using it = await draining(hang())
    await it.back()
    await it.next.call
    it.server.answer('tools/call', hang())
    const abort = new AbortController()
    const late = failure(it.connection.callTool({ name: 'echo' }, { timeoutMs: 200 }))
    const aborted = failure(it.connection.callTool({ name: 'echo' }, { signal: abort.signal }))
    await it.server.seen('tools/call', 4)
    await refused(it.server, it.connection)
    it.clock.increment(200)
    expect(await late).toMatchObject({ code: 'CALL_TIMEOUT' })
    abort.abort(new Error('enough'))
    expect(await aborted).toMatchObject({ message: 'enough' })
    // That of the first call, which goes on.
    await expect.poll(() => it.server.sockets).toBe(1)
  })

  it('is cut where two later links drain as well: a server that comes and goes is not waited for on every one', async () => {
    await using it = await draining(hang())
    const told: string[] = []
    const tell = (name: string, call: Promise<unknown>) => void call.catch(({ code }) => told.push(`${name} ${code}`))
    tell('first', it.slow)
    let waiting = it.next
    for (const name of ['second', 'third']) {
      await it.back()
      await waiting.call
      const seen = it.server.count('tools/call')
      it.server.once('tools/call', hang())
      tell(name, echo(it.connection, name))
      await it.server.seen('tools/call', seen + 1)
      waiting = await refused(it.server, it.connection)
    }
    await expect.poll(() => told).toEqual(['first OUTCOME_UNKNOWN'])
    await it.connection.close()
    await expect.poll(() => told).toEqual(['first OUTCOME_UNKNOWN', 'second OUTCOME_UNKNOWN', 'third OUTCOME_UNKNOWN'])
  })
})

describe('a session that has to be ended', () => {
  it('takes what drains in it along', async () => {
    await using it = await draining(hang())
    it.server.answer('GET', status(409))
    await it.back()
    await it.next.call
    await passes(it.clock, () => it.server.count('DELETE') > 0)
    expect(await failure(it.slow)).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(it.connection.status).not.toBe('closed')
  })
})

describe('a server that drains', () => {
  it('gets nothing new over the sockets that it still holds: it would be lost with it', async () => {
    const answer = gate()
    await using it = await draining(answer.late)
    answer.open()
    await it.slow
    const { length } = it.server.log.all
    it.clock.increment(10_000)
    await until(it.connection, 'connecting', 'initializing')
    await until(it.connection, 'backoff', 'ready')
    expect(it.connection.status).toBe('backoff')
    expect(it.server.log.all).toHaveLength(length)
  })

  it('is asked anew, elsewhere, for what can be asked twice without harm', async () => {
    await using it = await draining(hang())
    await it.back()
    it.server.once('resources/read', hang())
    const read = it.connection.request('resources/read', { uri: 'memory:///one' })
    read.catch(() => undefined)
    await it.server.seen('resources/read')
    await refused(it.server, it.connection)
    it.server.once('resources/read', ({ res, request }) => {
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end(JSON.stringify({ jsonrpc: '2.0', id: request.id, result: { contents: [] } }))
    })
    await it.back()
    expect(await read).toEqual({ contents: [] })
    expect(it.server.count('resources/read')).toBe(2)
  })
})

describe('what is under way on an earlier link ends', () => {
  const endings: Readonly<Record<string, (connection: Connection) => unknown>> = {
    'close()': (connection) => connection.close(),
    'disconnect()': (connection) => connection.disconnect(),
    'reconnect()': (connection) => void connection.reconnect().catch(() => undefined),
    'another target': (connection) => connection.configure({ target: { url: 'http://127.0.0.1:9/mcp' } }),
    'the end of its actor': ({ actor }) => actor.stop?.(),
  }
  const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

  it.each(Object.entries(endings))('at once with %s, while the connection waits (P18)', async (_, end) => {
    await using it = await draining(hang())
    const told = failure(it.slow)
    await end(it.connection)
    expect(await told).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await expect.poll(() => it.server.sockets).toBe(0)
    await it.connection.close()
  })

  it.each(Object.entries(endings))('at once with %s, when the next link stands (P18)', async (_, end) => {
    const before = sockets()
    await using it = await draining(hang())
    await it.back()
    await it.next.call
    const told = failure(it.slow)
    await end(it.connection)
    expect(await told).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await it.connection.close()
    await expect.poll(() => it.server.sockets).toBe(0)
    await it.server.stop()
    await expect.poll(sockets).toBeLessThanOrEqual(before)
  })
})
