/** Field reports of kind 12: servers that answer in ways the specification does not foresee. */
import { describe, expect, it } from 'vitest'
import { OutcomeUnknownError } from '../../../src/index.js'
import {
  type AnswerOptions,
  html,
  type Play,
  redirect,
  rpcError,
  sse,
  status,
} from '../../../src/testing/fault-server/index.js'
import { connected, failure, gaps, scene } from '../rig.js'

const bodies: [string, AnswerOptions][] = [
  ['JSON', { body: { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'no' } } }],
  ['a page', { body: '<html>no</html>', contentType: 'text/html' }],
  ['nothing', {}],
]

describe('12.01: GET is answered by no stream', () => {
  const answers = (...codes: number[]): [string, Play][] =>
    codes.flatMap((code) => bodies.map(([name, body]): [string, Play] => [`${code} with ${name}`, status(code, body)]))
  const doubtful: [string, Play][] = [
    ...answers(400, 403, 404, 406, 415),
    ['200 with a page', html(200)],
    ['200 with JSON', status(200, { body: { jsonrpc: '2.0', id: null, error: { code: -32601, message: 'no' } } })],
    ['200 with nothing', status(200)],
    ['204', status(204)],
    ['301', redirect('/elsewhere', 301)],
  ]
  const tenMinutes = async (play: Play): Promise<number[]> => {
    await using it = await scene()
    it.server.answer('GET', play)
    await it.connection.connect()
    for (let n = 0; n < 5; n++) await it.call()
    await it.pass(600_000, 1_000)
    expect(it.server.count('initialize')).toBe(1)
    expect(it.statuses.at(-1)).toBe('ready')
    return gaps(it.server.requests('GET'))
  }
  it.each(answers(405, 501))('12.01: %s means that there is none: never asked again in this session', async (_, play) =>
    expect(await tenMinutes(play)).toEqual([]),
  )

  it.each(doubtful)('12.01: %s means that there is none for now: asked ever more rarely', async (_, play) => {
    const waits = await tenMinutes(play)
    expect(waits.length).toBeGreaterThan(3)
    expect(waits.length).toBeLessThan(8)
    // Each is at least 1.2 times the one before: twice that, 25 % of jitter either way.
    for (const [n, wait] of waits.entries()) expect(wait).toBeGreaterThan(1.1 * (waits[n - 1] ?? 0))
  })

  const passing = answers(429, 500, 502, 503)
  it.each(passing)('12.01: %s may pass: asked again with backoff, never a reconnect', async (_case, play) => {
    await using it = await scene()
    it.server.answer('GET', play)
    await it.connection.connect()
    for (let n = 0; n < 5; n++) await it.call()
    await it.pass(120_000, 1_000)
    const waits = gaps(it.server.requests('GET'))
    expect(waits.length).toBeGreaterThan(3)
    expect(waits.length).toBeLessThan(10)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000)
    it.server.heal('GET')
    await it.passUntil(() => it.server.streams.size === 1, 90_000, 1_000)
    expect(it.server.count('initialize')).toBe(1)
    expect(it.statuses.at(-1)).toBe('ready')
    expect(it.losses).toEqual([])
  })

  it.each(bodies)('12.01: 401 with %s, while every POST is well, is no refused credential', async (_case, body) => {
    await using it = await scene({ headers: { authorization: 'Bearer good-token' } })
    it.server.answer('GET', status(401, body))
    await it.connection.connect()
    for (let n = 0; n < 5; n++) await it.call()
    await it.pass(120_000, 1_000)
    expect(it.server.count('GET')).toBeLessThan(8)
    expect(it.server.count('initialize')).toBe(1)
    expect(it.statuses.at(-1)).toBe('ready')
  })

  it('12.01: 401 to the GET and to every POST is a refused credential', async () => {
    await using it = await connected()
    it.server.answer('*', status(401))
    it.server.streams.cut()
    await it.passUntil(() => it.connection.status === 'failed', 5_000)
    expect(it.connection.fault).toMatchObject({ code: 'http.401', class: 'unauthorized' })
  })
})

describe('12.02: what notifications/initialized is answered', () => {
  const accepted: [string, Play][] = [
    ['202 and nothing', status(202)],
    ['202 with the type of JSON', status(202, { contentType: 'application/json' })],
    ['200 null', status(200, { body: null })],
    ['200 {}', status(200, { body: {} })],
    ['200 and nothing, without a type', status(200)],
    ['204', status(204)],
    ['200 and a stream that ends at once', sse([])],
    ['200 and an error', rpcError(-32600, 'Invalid Request', { id: null })],
  ]
  it.each(accepted)('12.02: %s is accepted, and changes are heard', async (_case, play) => {
    await using it = await scene()
    it.server.answer('notifications/initialized', play)
    await it.connection.connect()
    await it.settled()
    it.server.health.tools = [{ name: 'added', inputSchema: { type: 'object' } }]
    it.server.streams.push({ method: 'notifications/tools/list_changed' })
    await it.passUntil(() => it.connection.catalog.tools[0]?.name === 'added', 1_000)
    expect(it.server.count('initialize')).toBe(1)
  })

  it('12.02: 500 is tried again, with a new handshake', async () => {
    await using it = await scene()
    it.server.once('notifications/initialized', status(500))
    it.connection.connect().catch(() => undefined)
    await it.passUntil(() => it.connection.status === 'ready', 5_000)
    expect(it.server.count('initialize')).toBe(2)
    expect(it.losses).toEqual(['http.500'])
  })
})

describe('12.03: pages of a proxy during a deployment', () => {
  const page = html(502, `<!doctype html><html>${'<p>Bad gateway</p>'.repeat(500)}</html>`)

  it('12.03: for 5 s to everything: the session is kept, the error is short', async () => {
    await using it = await connected()
    it.server.answer('*', it.ledger.ran(page))
    const error = await failure(it.call())
    expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect(String(error).length).toBeLessThan(300)
    await it.pass(5_000)
    it.server.heal()
    await it.pass(10_000)
    await it.call()
    expect(it.server.count('initialize')).toBe(1)
    expect(it.connection.status).toBe('ready')
  })

  it('12.03: to initialize: waited for', async () => {
    await using it = await scene()
    it.server.answer('initialize', page)
    it.connection.connect().catch(() => undefined)
    await it.pass(5_000)
    expect(it.connection.fault).toMatchObject({ code: 'http.502', class: 'transient' })
    it.server.heal()
    await it.passUntil(() => it.connection.status === 'ready', 10_000)
  })

  it('12.03: 200 with a page at the start is a wrong address', async () => {
    await using it = await scene()
    it.server.answer('initialize', html(200))
    await failure(it.connection.connect())
    expect(it.connection.fault).toMatchObject({ code: 'content.not-mcp', class: 'permanent' })
    expect(it.server.count('*')).toBe(1)
  })
})

describe('12.04: a request is answered by nothing', () => {
  it.each<[string, Play]>([
    ['200 and nothing', status(200)],
    ['200 and a stream without an event', sse([])],
    ['200 and []', status(200, { body: [] })],
  ])('12.04: %s: the call ends at once as unknown, the connection stays', async (_case, play) => {
    await using it = await connected()
    it.server.once('tools/call', it.ledger.ran(play))
    expect(await failure(it.call())).toBeInstanceOf(OutcomeUnknownError)
    await it.call()
    await it.settled()
    expect(it.server.count('initialize')).toBe(1)
    expect(it.statuses.at(-1)).toBe('ready')
  })

  it('12.04: 202: the answer is awaited on the listening stream', async () => {
    await using it = await connected()
    it.server.once('tools/call', it.ledger.ran(status(202)))
    const call = it.call()
    const { id } = await it.server.over('tools/call')
    await it.settled()
    it.server.streams.push({ id, result: { content: [{ type: 'text', text: 'late' }] } } as never)
    expect(await call).toMatchObject({ content: [{ text: 'late' }] })
  })

  it('12.04: 202, and no listening stream: the call ends at once', async () => {
    await using it = await connected({ server: { listening: false } })
    it.server.once('tools/call', it.ledger.ran(status(202)))
    expect(await failure(it.call())).toBeInstanceOf(OutcomeUnknownError)
  })
})

describe('12.05: a stream cannot be gone on with', () => {
  it.each([400, 404])('12.05: Last-Event-ID answered %i: asked once with it, then without', async (code) => {
    await using it = await connected()
    it.server.answer('GET', (visit) => (visit.request.lastEventId ? status(code)(visit) : visit.healthy()))
    it.server.streams.push({ method: 'notifications/message', params: { level: 'info', data: 1 } }, { id: 'e1' })
    await it.settled()
    it.server.streams.cut()
    await it.passUntil(() => it.server.streams.size === 1, 5_000)
    expect(it.server.requests('GET').map(({ lastEventId }) => lastEventId)).toEqual([undefined, 'e1', undefined])
    await it.passUntil(() => it.server.count('tools/list') === 2, 2_000)
    expect(it.server.count('initialize')).toBe(1)
  })

  it('12.05: old events that come again, a finished response among them, reach nobody twice', async () => {
    await using it = await connected()
    const heard: unknown[] = []
    it.connection.notifications$.subscribe(({ params }) => heard.push(params?.data))
    const message = (n: number) => ({ method: 'notifications/message', params: { level: 'info', data: n } })
    it.server.once('tools/call', it.ledger.ran(status(202)))
    const call = it.call()
    const { id } = await it.server.over('tools/call')
    it.server.streams.push(message(1), { id: 'e1' })
    it.server.streams.push({ id, result: { content: [] } } as never, { id: 'e2' })
    it.server.streams.push(message(3), { id: 'e3' })
    await call
    await it.settled()
    it.server.answer('GET', async (visit) => {
      await visit.healthy()
      it.server.streams.push(message(1), { id: 'e1' })
      it.server.streams.push({ id, result: { content: [] } } as never, { id: 'e2' })
      it.server.streams.push(message(3), { id: 'e3' })
      it.server.streams.push(message(4), { id: 'e4' })
    })
    it.server.streams.cut()
    await it.passUntil(() => it.server.count('GET') === 2, 5_000)
    await it.settled()
    expect(heard).toEqual([1, 3, 4])
    expect(it.connection.status).toBe('ready')
  })
})
