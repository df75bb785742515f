/** Everything a person can get wrong ends in the right state, within its deadline, with a fault that tells what to do. */
import { describe, expect, it } from 'vitest'
import { type Connection, ConnectionFailedError, type Fault } from '../../src/index.js'
import { type ChildScript, childServer } from '../../src/testing/child/index.js'
import { html, rpcError, startFaultServer, status } from '../../src/testing/fault-server/index.js'
import { driven, failure, until } from './rig.js'

/** The fault a person sees once the connection has come to rest or waits. */
async function faultOf(connection: Connection): Promise<Fault> {
  connection.connect().catch(() => undefined)
  await until(connection, 'failed', 'backoff')
  const { fault } = connection
  if (!fault) throw new Error('no fault')
  expect(fault.advice.length).toBeGreaterThan(20)
  return fault
}

describe('a target that cannot be used', () => {
  it('a missing command fails for good and names the command', async () => {
    const { connection } = driven({ target: { command: 'no-such-command-anywhere', args: ['--token=secret'] } })
    const error = await failure(connection.connect())
    expect(error).toBeInstanceOf(ConnectionFailedError)
    expect(connection.status).toBe('failed')
    expect(connection.fault).toMatchObject({ class: 'permanent', code: 'spawn.ENOENT' })
    expect(connection.fault?.evidence).toMatchObject({ subject: 'command', target: 'no-such-command-anywhere' })
    expect(JSON.stringify(connection.fault)).not.toContain('secret')
    await connection.close()
  })

  it('a missing working directory is told apart from a missing command', async () => {
    const { connection } = driven({ target: { command: process.execPath, cwd: '/no/such/folder' } })
    const fault = await faultOf(connection)
    expect(fault).toMatchObject({ class: 'permanent', code: 'spawn.cwd' })
    expect(fault.advice).toContain('/no/such/folder')
    await connection.close()
  })

  it.each([
    ['not a url', 'config.url'],
    ['ftp://example.test/mcp', 'config.scheme'],
  ])('the address %s fails for good', async (url, code) => {
    const { connection } = driven({ target: { url } })
    expect(await faultOf(connection)).toMatchObject({ class: 'permanent', code })
    expect(connection.status).toBe('failed')
    await connection.close()
  })

  it.each([
    [{}, /exactly one of command, url and open/],
    [{ command: 'x', url: 'http://x' }, /command and url/],
    [null, /exactly one/],
  ])('a target %j is refused at the door', (target, message) => {
    expect(() => driven({ target: target as never })).toThrow(message)
  })

  it.each([
    [{ maxAttempts: -1 }, /policy\.maxAttempts/],
    [{ keepaliveMs: Number.NaN }, /policy\.keepaliveMs/],
    [{ timeouts: { callMs: 2 ** 31 } }, /policy\.timeouts\.callMs/],
    [{ backoff: 'often' }, /policy\.backoff/],
    [{ onSessionLost: 'panic' }, /policy\.onSessionLost/],
  ])('a policy %j is refused with a sentence that names the option', (policy, message) => {
    expect(() => driven({ target: { command: 'x' }, policy: policy as never })).toThrow(message)
  })
})

describe('an address that is no MCP endpoint', () => {
  it('an HTML page fails for good', async () => {
    await using server = await startFaultServer()
    server.answer('POST', html(200))
    const { connection } = driven({ target: { url: server.url } })
    const fault = await faultOf(connection)
    expect(fault).toMatchObject({ class: 'permanent', code: 'content.not-mcp' })
    expect(fault.evidence.http).toMatchObject({ status: 200, contentType: expect.stringContaining('text/html') })
    expect(connection.status).toBe('failed')
    expect(server.count('initialize')).toBe(1)
    await connection.close()
  })

  it.each([404, 405, 406, 415, 421, 403])('%i to initialize fails for good, after one request', async (code) => {
    await using server = await startFaultServer()
    server.answer('POST', status(code, { body: 'no' }))
    const { connection } = driven({ target: { url: server.url, kind: 'http' } })
    expect(await faultOf(connection)).toMatchObject({ class: 'permanent', code: `http.${code}` })
    expect(connection.status).toBe('failed')
    expect(server.count('POST')).toBe(1)
    await connection.close()
  })

  it('401 ends in failed and says that a credential is wanted', async () => {
    await using server = await startFaultServer()
    server.answer('POST', status(401))
    const { connection } = driven({ target: { url: server.url } })
    expect(await faultOf(connection)).toMatchObject({ class: 'unauthorized', code: 'http.401' })
    expect(connection.status).toBe('failed')
    expect(connection.fault?.advice).toMatch(/credential/)
    await connection.close()
  })

  it.each([408, 429, 500, 502, 503, 504, 529])('%i to initialize is waited for', async (code) => {
    await using server = await startFaultServer()
    server.answer('POST', status(code, { retryAfter: 7 }))
    const { connection, clock } = driven({ target: { url: server.url } })
    const fault = await faultOf(connection)
    expect(fault).toMatchObject({ class: 'transient', code: `http.${code}`, retryAfterMs: 7_000 })
    server.heal()
    clock.increment(6_999)
    expect(connection.status).toBe('backoff')
    clock.increment(1)
    clock.increment(700)
    await until(connection, 'ready')
    await connection.close()
  })

  it('a refused connection is waited for', async () => {
    const server = await startFaultServer()
    await server.stop()
    const { connection } = driven({ target: { url: server.url } })
    expect(await faultOf(connection)).toMatchObject({ class: 'transient', code: 'network.ECONNREFUSED' })
    expect(connection.status).toBe('backoff')
    await connection.close()
  })
})

describe('a child that misbehaves', () => {
  const start = (script: ChildScript) => driven({ target: childServer(script) })

  it('that exits at once is started again, and given up after three early exits', async () => {
    const { connection, clock } = start({ onStart: [{ print: 'KEY is not set\n', to: 'stderr' }, { exit: 3 }] })
    const first = await faultOf(connection)
    expect(first).toMatchObject({ class: 'transient', code: 'process.exited-early' })
    expect(first.evidence.exit).toMatchObject({ code: 3, stderrTail: expect.stringContaining('KEY is not set') })
    expect(first.advice).toContain('code 3')
    for (let i = 0; i < 2; i++) {
      clock.increment(500)
      await until(connection, 'connecting', 'initializing')
      await until(connection, 'backoff', 'failed')
    }
    expect(connection.status).toBe('failed')
    expect(connection.actor.getSnapshot().value).toEqual({ failed: { exhausted: 'resting' } })
    await connection.close()
  })

  it('that is killed in the handshake names the signal', async () => {
    const { connection } = start({ on: { initialize: [{ die: 'SIGSEGV' }] } })
    expect((await faultOf(connection)).evidence.exit).toMatchObject({ signal: 'SIGSEGV' })
    await connection.close()
  })

  it('that prints noise and floods stderr is usable all the same', async () => {
    const { connection } = start({
      onStart: [
        { print: 'Server starting on {"port": 1}\n', times: 200 },
        { flood: 2_000_000, to: 'stderr' },
      ],
      output: { bom: true, lineEnd: '\r\n' },
    })
    await connection.connect()
    const result = await connection.callTool({ name: 'echo', arguments: { text: 'hello' } })
    expect(JSON.stringify(result)).toContain('hello')
    await connection.close()
  })

  it('that answers initialize with garbage fails for good', async () => {
    const { connection } = start({ on: { initialize: [{ result: { hello: 'world' } }] } })
    expect(await faultOf(connection)).toMatchObject({ class: 'permanent', code: 'content.not-mcp' })
    await connection.close()
  })

  it('that speaks no version of ours fails for good and says which', async () => {
    const { connection } = start({ protocolVersion: '2099-01-01' })
    const fault = await faultOf(connection)
    expect(fault).toMatchObject({ class: 'permanent', code: 'version.unsupported' })
    expect(fault.evidence.summary).toContain('2099-01-01')
    await connection.close()
  })

  it('that never answers is given its start budget, which doubles, and is gone before the next starts', async () => {
    const { connection, clock } = start({ on: { initialize: [{ hang: true }] } })
    connection.connect().catch(() => undefined)
    await until(connection, 'initializing')
    clock.increment(59_999)
    expect(connection.status).toBe('initializing')
    clock.increment(1)
    expect(connection.status).toBe('backoff')
    expect(connection.fault).toMatchObject({ class: 'transient', code: 'deadline.initializing' })
    expect(connection.fault?.evidence.afterMs).toBe(60_000)
    clock.increment(1_000)
    await until(connection, 'initializing')
    clock.increment(60_000)
    expect(connection.status).toBe('initializing')
    clock.increment(60_000)
    expect(connection.status).toBe('backoff')
    await connection.close()
  })

  it('that offers its versions in an error is taken at its word, once', async () => {
    await using server = await startFaultServer()
    server.once(
      'initialize',
      rpcError(-32602, 'Unsupported protocol version', { code: 400, data: { supported: ['2025-03-26'] } }),
    )
    const { connection } = driven({ target: { url: server.url } })
    await connection.connect()
    const [first, second] = server.requests('initialize').map(({ body }) => JSON.stringify(body))
    expect(first).toContain('2025-11-25')
    expect(second).toContain('2025-03-26')
    expect(connection.session?.protocolVersion).toBe('2025-03-26')
    await connection.close()
  })
})

describe('arguments that JSON cannot hold', () => {
  it.each(['http', 'sse', 'stdio'] as const)(
    'reject the call at once, and nothing is left waiting (%s)',
    async (kind) => {
      await using server = await startFaultServer({ legacy: true })
      const url = kind === 'sse' ? server.legacyUrl : server.url
      const { connection } = driven({ target: kind === 'stdio' ? childServer({}) : { url, kind } })
      await connection.connect()
      const error = await failure(connection.callTool({ name: 'echo', arguments: { n: 1n } }))
      expect(error).toMatchObject({ code: 'CALL_REFUSED', fault: { code: 'message.unsendable', delivery: 'not-sent' } })
      expect(await connection.callTool({ name: 'echo', arguments: { text: 'x' } })).toBeDefined()
      expect(connection.status).toBe('ready')
      await connection.close()
    },
  )
})
