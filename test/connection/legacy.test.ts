/** Servers of the 2024-11-05 revision: found by themselves, remembered, and left when something newer serves. */
import { describe, expect, it } from 'vitest'
import { childServer } from '../../src/testing/child/index.js'
import { hang, startFaultServer } from '../../src/testing/fault-server/index.js'
import { driven, failure, quick, record, until } from './rig.js'

describe('a server of the older wire', () => {
  it('is found by `auto`: the first POST is refused, the event stream serves', async () => {
    await using server = await startFaultServer({ legacy: true })
    const connection = quick({ target: { url: server.legacyUrl } })
    await connection.connect()
    expect(connection.catalog.tools.map(({ name }) => name)).toEqual(['echo'])
    expect(JSON.stringify(await connection.callTool({ name: 'echo', arguments: { text: 'old' } }))).toContain('old')
    await connection.close()
    await expect.poll(() => server.legacy.size).toBe(0)
  })

  it('is remembered for its address, by every connection of the process', async () => {
    await using server = await startFaultServer({ legacy: true })
    for (let i = 0; i < 2; i++) {
      const connection = quick({ target: { url: server.legacyUrl } })
      await connection.connect()
      await connection.close()
    }
    const posts = server.requests('POST').filter(({ path }) => path === '/sse')
    expect(posts).toHaveLength(1)
  })

  it('that was replaced by a newer one is spoken to as such', async () => {
    const older = await startFaultServer({ legacy: { stream: '/mcp' } })
    const first = quick({ target: { url: older.url } })
    await first.connect()
    await first.close()
    await older[Symbol.asyncDispose]()
    await using newer = await startFaultServer({ port: older.port, listening: false })
    const second = quick({ target: { url: newer.url } })
    await second.connect()
    expect(newer.sessions.size).toBe(1)
    expect(newer.requests('*').slice(0, 2)).toMatchObject([{ http: 'GET' }, { http: 'POST', method: 'initialize' }])
    await second.close()
  })

  it('with `kind: sse` is asked for its stream at once', async () => {
    await using server = await startFaultServer({ legacy: true })
    const connection = quick({ target: { url: server.legacyUrl, kind: 'sse' } })
    await connection.connect()
    expect(server.requests('*')[0]).toMatchObject({ http: 'GET', path: '/sse' })
    await connection.close()
  })

  it('with `kind: http` is refused for good after one request', async () => {
    await using server = await startFaultServer({ legacy: true })
    const connection = quick({ target: { url: server.legacyUrl, kind: 'http' } })
    expect(await failure(connection.connect())).toMatchObject({ fault: { class: 'permanent' } })
    expect(server.count('*')).toBe(1)
    await connection.close()
  })

  it('13.02: every stream is a new session: full handshake, no request to the old one, the call in flight is told', async () => {
    await using server = await startFaultServer({ legacy: true })
    server.answer('tools/call', hang())
    const connection = quick({ target: { url: server.legacyUrl, kind: 'sse' } })
    await connection.connect()
    const statuses = record(connection)
    const call = failure(connection.callTool({ name: 'echo' }))
    await server.seen('tools/call')
    server.dropSockets()
    expect(await call).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await until(connection, 'backoff')
    await until(connection, 'ready')
    expect(statuses).toEqual(['ready', 'backoff', 'connecting', 'initializing', 'discovering', 'ready'])
    const [, second] = server.requests('initialize')
    expect(second?.path).toContain('sid=2')
    const posts = server.requests('POST')
    const afterwards = posts.slice(second ? posts.indexOf(second) : 0)
    expect(afterwards.every(({ path }) => path.includes('sid=2'))).toBe(true)
    expect(server.legacy.size).toBe(1)
    await connection.close()
  })

  it('03.10: a stream that never names its endpoint is given up at the connect deadline', async () => {
    await using server = await startFaultServer({ legacy: true })
    server.answer('GET', hang())
    const { connection, clock } = driven({ target: { url: server.legacyUrl, kind: 'sse' } })
    connection.connect().catch(() => undefined)
    await server.seen('GET')
    clock.increment(10_000)
    expect(connection.fault?.code).toBe('deadline.connecting')
    await connection.close()
    await expect.poll(() => server.sockets).toBe(0)
  })

  it('a kind that is none is refused at the door', () => {
    expect(() => driven({ target: { url: 'http://localhost/', kind: 'websocket' as never } })).toThrow(/target\.kind/)
    expect(() => driven({ target: childServer({}) })).not.toThrow()
  })
})
