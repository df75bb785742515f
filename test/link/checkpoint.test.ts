/** Going on in another process: a small record, good for its own target only, and never believed without asking. */
import { describe, expect, it } from 'vitest'
import { type Checkpoint, createConnection } from '../../src/index.js'
import { hang, type Play, result, rpcError, status } from '../../src/testing/fault-server/index.js'
import { connected, scene } from '../reports/rig.js'
import { quickChild } from '../reports/stdio/rig.js'

/** As it would come from a file. */
const stored = (checkpoint: Checkpoint): Checkpoint => JSON.parse(JSON.stringify(checkpoint))

const capabilities = { tools: {}, resources: { subscribe: true }, logging: {} }

/** A process that was connected and is gone without a word: its session lives on. */
async function formerProcess() {
  const it = await connected({ server: { capabilities }, headers: { authorization: 'Bearer s3cret' } })
  it.server.answer('logging/setLevel', result()).answer('resources/subscribe', result())
  await it.connection.setLogLevel('debug')
  await it.connection.subscribe('x://1')
  it.server.streams.push({ method: 'notifications/message', params: { level: 'info', data: 1 } }, { id: 'e7' })
  await it.passUntil(() => it.connection.checkpoint().session?.lastEventId === 'e7', 1_000)
  return { it, checkpoint: stored(it.connection.checkpoint()) }
}

describe('a checkpoint', () => {
  it('is small, plain and versioned, and holds no token and no header', async () => {
    const { it, checkpoint } = await formerProcess()
    await using _ = it
    expect(checkpoint).toMatchObject({
      v: 1,
      session: { id: 'session-1', lastEventId: 'e7', serverInfo: { name: 'fault-server' } },
      logLevel: 'debug',
      subscriptions: ['x://1'],
    })
    const text = JSON.stringify(checkpoint)
    expect(text).not.toContain('s3cret')
    expect(text).not.toContain(it.server.url)
    expect(text.length).toBeLessThan(1_000)
  })

  it('differs when the lists do', async () => {
    const { it, checkpoint } = await formerProcess()
    await using _ = it
    it.server.health.tools = [{ name: 'other', inputSchema: {} }]
    await it.connection.reconnect()
    expect(it.connection.checkpoint().catalog).not.toBe(checkpoint.catalog)
  })
})

describe('another process that goes on from it', () => {
  it('asks first whether the session lives, then serves: no handshake, no id twice, the stream from where it was', async () => {
    const { it, checkpoint } = await formerProcess()
    await using _ = it
    const before = it.server.count()
    const ids = it.server.requests('POST').map(({ id }) => id)
    await using next = await scene({ at: it.server, resume: checkpoint })
    await next.connection.connect()
    await next.settled()
    await it.settled()
    const after = it.server.requests().slice(before)
    expect(after[0]).toMatchObject({ method: 'tools/list', session: 'session-1' })
    expect(it.server.count('initialize')).toBe(1)
    expect(after.find(({ http }) => http === 'GET')).toMatchObject({ session: 'session-1', lastEventId: 'e7' })
    const again = after.flatMap(({ id }) => (id === undefined ? [] : [id]))
    expect(again.filter((id) => ids.includes(id))).toEqual([])
    expect(next.connection.catalog.tools).toHaveLength(1)
    expect(next.connection.session?.capabilities).toEqual(capabilities)
    // What was asked for is asked for again: this process does not know what the session was told.
    expect(after.filter(({ method }) => method === 'resources/subscribe')).toHaveLength(1)
    expect(next.connection.checkpoint()).toMatchObject({ logLevel: 'debug', subscriptions: ['x://1'] })
  })

  const refusals: readonly [how: string, play: Play][] = [
    ['404', status(404)],
    ['404 in JSON-RPC', rpcError(-32001, 'Session not found', { code: 404, id: null })],
    ['400', rpcError(-32000, 'Bad Request: No valid session ID provided', { code: 400, id: null })],
    ['200 and an error', rpcError(-32600, 'missing or invalid Mcp-Session-Id')],
    ['422', status(422)],
    ['a page', status(200, { body: '<html>', contentType: 'text/html' })],
  ]
  it.each(refusals)(
    '01.06: begins anew, once and without the dead id, where the session is gone (%s)',
    async (_how, play) => {
      const { it, checkpoint } = await formerProcess()
      await using _ = it
      it.server.forgetSessions()
      it.server.answer('tools/list', (visit) => (visit.request.session === 'session-1' ? play(visit) : visit.healthy()))
      await using next = await scene({ at: it.server, resume: checkpoint })
      await next.connection.connect()
      const [, second, ...more] = it.server.requests('initialize')
      expect(second?.headers).not.toHaveProperty('mcp-session-id')
      expect(more).toEqual([])
      expect(next.connection.checkpoint().session?.id).toBe('session-2')
      // Level and subscriptions are wanted all the same.
      expect(it.server.requests('logging/setLevel').at(-1)?.session).toBe('session-2')
    },
  )

  it('01.06: an error of the application with code 404 is no lost session', async () => {
    const { it, checkpoint } = await formerProcess()
    await using _ = it
    it.server.once('tools/list', rpcError(404, 'no such list'))
    await using next = await scene({ at: it.server, resume: checkpoint })
    await next.connection.connect()
    expect(it.server.count('initialize')).toBe(1)
    expect(next.connection.status).toBe('ready')
  })

  it('is not held up for ever by a server that does not answer', async () => {
    const { it, checkpoint } = await formerProcess()
    await using _ = it
    it.server.once('tools/list', hang())
    await using next = await scene({ at: it.server, resume: checkpoint })
    const ready = next.connection.connect()
    await it.server.seen('tools/list', 2)
    await next.pass(10_000)
    expect(next.losses).toEqual(['deadline.resuming'])
    await next.pass(10_000)
    await ready
  })
})

describe('a checkpoint that is not of this target, or no checkpoint', () => {
  it.each<[string, (good: Checkpoint) => unknown]>([
    ['of another address', (good) => ({ ...good, target: '0123456789abcdef' })],
    ['of another version', (good) => ({ ...good, v: 2 })],
    ['without a version', ({ v: _v, ...rest }) => rest],
    ['whose session is broken', (good) => ({ ...good, session: { ...good.session, nextId: 'x' } })],
    ['whose subscriptions are none', (good) => ({ ...good, subscriptions: [7] })],
    ['that is a list', () => []],
    ['that is null', () => null],
    ['that is text', () => 'checkpoint'],
  ])('%s is as good as none, and no error', async (_which, spoil) => {
    const { it, checkpoint } = await formerProcess()
    await using _ = it
    await using next = await scene({ at: it.server, resume: spoil(checkpoint) as Checkpoint })
    await next.connection.connect()
    expect(it.server.count('initialize')).toBe(2)
    expect(next.connection.status).toBe('ready')
  })

  it('of a child has no session in it; what was asked for is asked for anew', async () => {
    await using former = quickChild()
    await former.connection.connect()
    await former.connection.setLogLevel('debug')
    const checkpoint = stored(former.connection.checkpoint())
    expect(checkpoint.session).toBeUndefined()
    await using it = quickChild({}, { resume: checkpoint })
    await it.connection.connect()
    expect(it.messages('logging/setLevel')).toHaveLength(1)
  })

  it('of a connection that never was ready is one too', () => {
    const connection = createConnection({ name: 'test', target: { url: 'http://127.0.0.1:9/mcp' } })
    expect(connection.checkpoint()).toMatchObject({ v: 1, subscriptions: [] })
    expect(connection.checkpoint().session).toBeUndefined()
  })
})
