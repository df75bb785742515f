/**
 * Field reports of kind 7: calls in flight when something breaks. 07.02 has a file of its own (07-no-second-run.test.ts).
 *
 * 07.01 and 07.04 are played against the wire with every pause and try in test/wire/http/resume.test.ts and
 * exchanges.test.ts; here is what the caller gets.
 */
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { CallTimeoutError, OutcomeUnknownError } from '../../../src/index.js'
import {
  destroy,
  frame,
  hang,
  type Part,
  type Play,
  result,
  rpcError,
  sse,
  startFaultServer,
  status,
} from '../../../src/testing/fault-server/index.js'
import { quick, record } from '../../connection/rig.js'
import { connected, failure, type Scene } from '../rig.js'
import { failureIn, quickChild, textOf } from '../stdio/rig.js'

/** The GET by which the reply to a call is fetched after its stream has ended. */
const onResume = ({ server }: Scene, play: Play) =>
  server.answer('GET', (visit) => (visit.request.lastEventId === undefined ? visit.healthy() : play(visit)))

const resumes = ({ server }: Scene) => server.requests('GET').filter(({ lastEventId }) => lastEventId !== undefined)

describe('07.01: the reply stream ends without the reply', () => {
  const progress = { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }
  const ends: readonly [how: string, parts: readonly Part[]][] = [
    ['a: at once', []],
    ['b: by a reset', ['destroy']],
    ['c: after a comment', [': keepalive\n\n']],
    ['d: after progress', [{ data: { jsonrpc: '2.0', ...progress } }]],
  ]
  it.each(ends)(
    '07.01 %s, with nothing to go on from: the call rejects at once as unknown (P3)',
    async (_how, parts) => {
      await using it = await connected()
      it.server.answer('tools/call', it.ledger.ran(sse(parts)))
      const { error, ms } = await failureIn(it.call())
      expect(error).toBeInstanceOf(OutcomeUnknownError)
      expect(ms).toBeLessThan(500)
      expect(it.server.count('tools/call')).toBe(1)
      await it.settled()
      expect(resumes(it)).toEqual([])
      expect(it.server.count('initialize')).toBe(1)
    },
  )

  const primed = sse([{ id: 'e1', retry: 300, data: '' }])

  it('07.01 e: an event id was seen: the reply is fetched, not before the server allowed', async () => {
    await using it = await connected()
    it.server.answer('tools/call', it.ledger.ran(primed))
    onResume(it, ({ res, server }) => {
      const data = { jsonrpc: '2.0', id: server.requests('tools/call').at(-1)?.id, result: { content: [] } }
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end(frame({ data }))
    })
    const call = it.call()
    const endedAt = (await it.server.over('tools/call')).closedAt ?? 0
    await it.pass(1_000, 50)
    expect(await call).toEqual({ content: [] })
    expect(resumes(it)).toMatchObject([{ lastEventId: 'e1' }])
    expect((resumes(it)[0]?.at ?? 0) - endedAt).toBeGreaterThanOrEqual(300)
  })

  it.each([
    ['f: is refused', status(405)],
    ['g: ends again, each time', sse([])],
  ])('07.01 %s: bounded tries, then unknown; the session is kept', async (_how, play) => {
    await using it = await connected()
    it.server.answer('tools/call', it.ledger.ran(primed))
    onResume(it, play)
    const call = failure(it.call())
    await it.pass(30_000)
    expect(await call).toBeInstanceOf(OutcomeUnknownError)
    expect(resumes(it).length).toBeLessThanOrEqual(6)
    expect(it.server.count('tools/call')).toBe(1)
    expect(it.server.count('initialize')).toBe(1)
  })

  it('07.01 h: the session is gone meanwhile: unknown, and a new session', async () => {
    await using it = await connected()
    it.server.answer('tools/call', it.ledger.ran(primed))
    const call = failure(it.call())
    await it.server.over('tools/call')
    it.server.forgetSessions()
    await it.pass(3_000)
    expect(await call).toBeInstanceOf(OutcomeUnknownError)
    expect(it.server.count('initialize')).toBe(2)
    expect(it.connection.status).toBe('ready')
    expect(it.server.count('tools/call')).toBe(1)
  })
})

describe('07.03: answers for nobody', () => {
  it('07.03: late, twice, with an unknown id, or with the id as text: nothing is lost by them', async () => {
    const answer = (id: string) =>
      `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${id.replaceAll('"', '')}"}]}}\n`
    await using it = quickChild({
      capabilities: { tools: {} },
      on: {
        // Requests 0 and 1 are initialize and tools/list.
        'tools/call:slow': [{ wait: 300 }, { print: answer('2'), times: 2 }, { print: answer('999') }],
        'tools/call:echo': [{ wait: 400 }, { print: answer('"3"') }],
      },
    })
    await it.connection.connect()
    const late = failureIn(it.connection.callTool({ name: 'slow' }, { timeoutMs: 150 }))
    const echo = it.connection.callTool({ name: 'echo' })
    expect((await late).error).toBeInstanceOf(CallTimeoutError)
    expect(textOf(await echo)).toBe('3')
    expect(it.statuses.filter((one) => one === 'ready')).toHaveLength(1)
    expect(it.starts).toHaveLength(1)
  })
})

it('07.04: a call that timed out stops asking for its reply', async () => {
  await using it = await connected()
  it.server.answer('tools/call', it.ledger.ran(sse([{ id: 'e1', retry: 10, data: '' }])))
  onResume(it, hang())
  const call = failure(it.connection.callTool({ name: 'append', arguments: { n: 1 } }, { timeoutMs: 200 }))
  await it.pass(1_000)
  expect(await call).toBeInstanceOf(CallTimeoutError)
  const asked = resumes(it).length
  await it.pass(60_000)
  expect(resumes(it)).toHaveLength(asked)
  expect(resumes(it).every(({ closedAt }) => closedAt !== undefined)).toBe(true)
  expect(it.server.count('notifications/cancelled')).toBe(1)
})

describe('07.05: a healthy server that does not answer pings', () => {
  const variants: readonly [how: string, play: Play][] = [
    ['by silence', hang()],
    ['by -32601', rpcError(-32601, 'Method not found')],
    ['by -32600', rpcError(-32600, 'Invalid request')],
    ['by -32603', rpcError(-32603, 'Method not supported: ping')],
    ['by an empty 200', status(200, { contentType: 'application/json' })],
    ['by an empty stream', sse([])],
    ['by 404 with a JSON-RPC error', rpcError(-32601, 'Method not found', { code: 404 })],
    ['by 500 with a JSON-RPC error', rpcError(-32603, 'no such method', { code: 500 })],
  ]
  const periods = 20

  it.each(variants)('07.05: %s: never replaced, and asked in another way', async (_how, play) => {
    await using it = await connected()
    it.server.answer('ping', play)
    await it.pass(10_000, 1_000)
    await it.pass(periods * 40_000, 2_500)
    expect(it.losses).toEqual([])
    expect(it.statuses.filter((one) => one === 'ready')).toHaveLength(1)
    expect(it.server.count('initialize')).toBe(1)
    expect(it.server.count('ping') + it.server.count('tools/list')).toBeGreaterThan(periods)
  })

  /** An error is as good an answer as a result and costs less than a list, so such pings go on. The report would stop them. */
  it('07.05: one that gets no answer of any kind is not sent again on this link', async () => {
    await using it = await connected()
    it.server.answer('ping', hang())
    await it.pass(periods * 40_000, 2_500)
    expect(it.server.count('ping')).toBe(1)
    expect(it.server.count('tools/list')).toBeGreaterThan(periods / 2)
  })

  it('07.05: one whose answer comes after the time for it counts as alive', async () => {
    await using it = await connected()
    it.server.answer('ping', async (visit) => {
      await visit.server.wait(6_000)
      await result()(visit)
    })
    await it.pass(periods * 40_000, 2_500)
    expect(it.losses).toEqual([])
  })

  it('07.05: control: a server that is silent altogether is replaced, once', async () => {
    await using it = await connected()
    await it.pass(10_000)
    it.server.answer('ping', hang()).answer('tools/list', hang())
    await it.passUntil(() => it.losses.length > 0, 60_000)
    it.server.heal()
    await it.pass(60_000)
    expect(it.losses).toEqual(['probe.unanswered'])
    expect(it.connection.status).toBe('ready')
  })
})

describe('07.06: progress extends the time of a call', () => {
  const slow = { name: 'progress', arguments: { steps: 12, ms: 50 } }

  it('07.06: up to a bound that the caller sets; the server is asked for progress', async () => {
    await using it = quickChild()
    await it.connection.connect()
    const seen: number[] = []
    const call = it.connection.callTool(slow, {
      timeoutMs: 400,
      maxTotalMs: 5_000,
      onProgress: ({ progress }) => seen.push(progress),
    })
    expect(textOf(await call)).toBe('done')
    expect(seen).toEqual(Array.from({ length: 12 }, (_, n) => n + 1))
    const [{ message } = {}] = it.messages('tools/call')
    expect(message?.params?._meta).toMatchObject({ progressToken: message?.id })
  })

  it('07.06: and no further: the call times out, and the server is told', async () => {
    await using it = quickChild()
    await it.connection.connect()
    const call = { ...slow, arguments: { steps: 100, ms: 50 } }
    const { error, ms } = await failureIn(it.connection.callTool(call, { timeoutMs: 400, maxTotalMs: 800 }))
    expect(error).toBeInstanceOf(CallTimeoutError)
    expect((error as Error).message).toContain('800 ms')
    expect(ms).toBeGreaterThanOrEqual(790)
    expect(ms).toBeLessThan(1_200)
    await it.received('notifications/cancelled')
    expect(it.messages('notifications/cancelled')).toHaveLength(1)
  })

  it('07.06: the bound holds also when progress stops before it', async () => {
    await using it = quickChild({
      on: {
        'tools/call:run': [
          { wait: 300 },
          { notify: 'notifications/progress', params: { progressToken: 5, progress: 1 } },
        ],
      },
    })
    await it.connection.connect()
    const { error, ms } = await failureIn(it.connection.callTool({ name: 'run' }, { timeoutMs: 400, maxTotalMs: 500 }))
    expect(error).toBeInstanceOf(CallTimeoutError)
    expect(ms).toBeGreaterThanOrEqual(490)
    expect(ms).toBeLessThan(650)
  })
})

it('07.06: a call that waited has the rest of its time for its first progress, and from then on all of it each time', async () => {
  await using it = quickChild({
    on: {
      initialize: [{ wait: 900 }, { answer: true }],
      'tools/call:run': [
        { wait: 50 },
        { notify: 'notifications/progress', params: { progressToken: 5, progress: 1 } },
        { wait: 1_000 },
        { result: { content: [{ type: 'text', text: 'done' }] } },
      ],
      'tools/call:still': [{ wait: 5_000 }],
    },
  })
  const options = { timeoutMs: 1_500, maxTotalMs: 10_000 }
  const moving = it.connection.callTool({ name: 'run' }, options)
  const still = failureIn(it.connection.callTool({ name: 'still' }, options))
  expect(textOf(await moving)).toBe('done')
  const { error, ms } = await still
  expect(error).toBeInstanceOf(CallTimeoutError)
  expect((error as Error).message).toContain('1500 ms')
  expect(ms).toBeLessThan(1_800)
})

it('07.07: a call that timed out is no reason to give up the connection', async () => {
  await using it = await connected()
  it.server.once('tools/call', it.ledger.ran(hang()))
  expect(await it.overdue(100)).toBeInstanceOf(CallTimeoutError)
  await it.pass(5_000)
  await it.call()
  expect(it.server.count('ping')).toBe(1)
  expect(it.server.count('initialize')).toBe(1)
  expect(it.losses).toEqual([])
})

describe('07.08: calls that fail together (P8)', () => {
  it.each([2, 50])(
    '07.08: %i of them, whose sockets and session are gone, cause one new session; each settles',
    async (count) => {
      await using it = await connected()
      it.server.answer('tools/call', it.ledger.ran(hang()))
      const calls = Array.from({ length: count }, () => failure(it.call()))
      await it.server.seen('tools/call', count)
      it.server.heal()
      it.server.forgetSessions()
      it.server.dropSockets()
      for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(OutcomeUnknownError)
      await it.passUntil(() => it.server.count('initialize') === 2, 5_000)
      await it.pass(2_000)
      await it.call()
      expect(it.server.count('initialize')).toBe(2)
      expect(it.server.count('tools/call')).toBe(count + 1)
    },
  )

  it('07.08: over stdio, and with a reconnect() by the application in the middle: two processes, no more', async () => {
    await using it = quickChild()
    await it.connection.connect()
    const calls = Array.from({ length: 50 }, () => failureIn(it.connection.callTool({ name: 'slow' })))
    await it.received('tools/call', 50)
    process.kill(it.pids[0] ?? 0, 'SIGKILL')
    const errors = (await Promise.all(calls)).map(({ error }) => error)
    await it.connection.reconnect()
    for (const error of errors) expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect(textOf(await it.connection.callTool({ name: 'echo', arguments: { text: 'well' } }))).toBe('well')
    expect(it.messages('tools/call')).toHaveLength(51)
    // A reconnect() that comes while the lost one is being replaced begins anew; it never runs beside it.
    expect(it.starts.length).toBeLessThanOrEqual(3)
    expect(it.living).toHaveLength(1)
  })

  it('07.08: the close of the old transport, told late and twice, does not touch the new one', async () => {
    const old: InMemoryTransport[] = []
    const open = () => {
      const [here, there] = InMemoryTransport.createLinkedPair()
      const server = new Server({ name: 'tools', version: '1.0.0' }, { capabilities: { tools: {} } })
      server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }))
      server.setRequestHandler(CallToolRequestSchema, () => ({ content: [] }))
      void server.connect(there)
      old.push(here)
      return here
    }
    await using connection = quick({ target: { open } })
    await connection.connect()
    const statuses = record(connection)
    const late = old[0]?.onclose
    await old[0]?.close()
    await connection.ready()
    late?.()
    late?.()
    await connection.callTool({ name: 'x' })
    expect(statuses.filter((one) => one === 'backoff')).toHaveLength(1)
    expect(old).toHaveLength(2)
  })

  it('07.08: one whose sockets break, while the session lives on, is healed without a new session', async () => {
    await using server = await startFaultServer()
    await using connection = quick({ target: { url: server.url } })
    await connection.connect()
    server.once('tools/call', destroy(), 2)
    const calls = [1, 2].map(() => failure(connection.callTool({ name: 'echo' })))
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(OutcomeUnknownError)
    await connection.callTool({ name: 'echo' })
    expect(server.count('initialize')).toBe(1)
  })
})
