/** Field reports of kind 8: servers that start slowly, and versions. 08.05 (one server of several) belongs to the hub. */
import { describe, expect, it } from 'vitest'
import { type ConnectionFailedError, createConnection } from '../../../src/index.js'
import { rpcError, startFaultServer } from '../../../src/testing/fault-server/index.js'
import { failure } from '../../connection/rig.js'
import { begun, drivenChild, passing, quickChild } from './rig.js'

describe('08.01: a start that takes too long', () => {
  it('08.01: is tried again when its time is over, and the first process is gone by then', async () => {
    await using driven = drivenChild(
      { starts: [{ onStart: [{ hang: true }] }] },
      { policy: { timeouts: { connectMs: 1_000, initializeMs: 50 } } },
    )
    const { scene, clock } = driven
    const ready = scene.connection.connect()
    await begun(driven, 1)
    // A child's start has one time, whatever the handshake has on a network, and whatever a call has.
    clock.increment(999)
    expect(scene.connection.status).toBe('initializing')
    clock.increment(1)
    expect(scene.connection.status).toBe('backoff')
    expect(scene.connection.fault?.code).toBe('deadline.initializing')
    await passing(clock, () => scene.starts.length === 2, 50)
    expect(scene.living).toEqual([scene.pids[1]])
    await ready
    expect(scene.starts).toHaveLength(2)
  })
})

describe('08.02: an installation that a deadline would kill half way', () => {
  /**
   * The report also asks that output on stderr counts as life. It does not here: a server that logs its failure in a loop
   * would never be given up. The time grows instead, to four times what the user allows.
   */
  it('08.02: is given twice the time after each start that was too slow, so that it converges', async () => {
    await using driven = drivenChild(
      { onStart: [{ print: 'installing\n', to: 'stderr' }, { wait: 300 }] },
      { policy: { timeouts: { connectMs: 1_000 } } },
    )
    const { scene, clock } = driven
    const ready = scene.connection.connect()
    for (const [start, budgetMs] of [1_000, 2_000].entries()) {
      await begun(driven, start + 1)
      clock.increment(budgetMs - 1)
      expect(scene.connection.status).toBe('initializing')
      clock.increment(1)
      expect(scene.connection.status).toBe('backoff')
    }
    // The third has four seconds, of which it needs what it needs.
    await begun(driven, 3)
    clock.increment(3_000)
    await ready
    expect(scene.starts).toHaveLength(3)
    expect(scene.connection.status).toBe('ready')
  })
})

describe('08.03: a server with a version of its own', () => {
  it('08.03: that is not ours is given up after one try, and says which', async () => {
    await using it = quickChild({ protocolVersion: '2099-01-01' })
    const error = await failure(it.connection.connect())
    expect((error as ConnectionFailedError).fault).toMatchObject({ code: 'version.unsupported', class: 'permanent' })
    expect((error as Error).message).toContain('2099-01-01')
    expect(it.starts).toHaveLength(1)
    expect(it.messages('notifications/initialized')).toEqual([])
  })

  it('08.03: that is an older one of ours is taken', async () => {
    await using it = quickChild({ protocolVersion: '2024-11-05' })
    await it.connection.connect()
    expect(it.connection.session?.protocolVersion).toBe('2024-11-05')
  })

  it('08.03: over HTTP the agreed version stands in every header after it', async () => {
    await using server = await startFaultServer({ protocolVersion: '2025-03-26' })
    await using connection = createConnection({ name: 'test', target: { url: server.url } })
    await connection.connect()
    await connection.callTool({ name: 'echo' })
    const versions = server.requests('POST').map(({ headers }) => headers['mcp-protocol-version'])
    expect(versions[0]).toBeUndefined()
    expect(new Set(versions.slice(1))).toEqual(new Set(['2025-03-26']))
  })
})

describe('08.04: a server that checks the version before it negotiates', () => {
  const message = 'Unsupported protocol version (supported versions: 2025-06-18, 2025-03-26)'

  it.each([
    ['400 with the versions in its text', rpcError(-32000, message, { code: 400, id: null })],
    ['-32602 with data', rpcError(-32602, 'Unsupported protocol version', { data: { supported: ['2025-06-18'] } })],
    ['-32022', rpcError(-32022, 'bad version', { data: { supported: ['2025-06-18', '2025-03-26'] } })],
  ])('08.04: by %s is asked once more, in the best version of both', async (_how, play) => {
    await using server = await startFaultServer()
    server.once('initialize', play)
    await using connection = createConnection({ name: 'test', target: { url: server.url } })
    await connection.connect()
    const asked = server.requests('initialize').map(({ body }) => (body as { params: object }).params)
    expect(asked).toHaveLength(2)
    expect(asked[1]).toMatchObject({ protocolVersion: '2025-06-18' })
    expect(connection.session?.protocolVersion).toBe('2025-06-18')
  })

  it('08.04: and refuses that one too, is not asked for ever', async () => {
    await using server = await startFaultServer()
    server.answer('initialize', rpcError(-32000, message, { code: 400, id: null }))
    await using connection = createConnection({ name: 'test', target: { url: server.url } })
    await failure(connection.connect())
    expect(connection.status).toBe('failed')
    expect(server.count('initialize')).toBeLessThanOrEqual(3)
  })
})
