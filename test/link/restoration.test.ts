/** What the application asked the server to remember is told to every new session, item by item, until it is known. */
import { describe, expect, it } from 'vitest'
import { classify } from '../../machines/classify.js'
import { type Incident, RpcError } from '../../src/index.js'
import { LOG_LEVEL, Restoration } from '../../src/link/restoration.js'
import { hang, result, rpcError, slow } from '../../src/testing/fault-server/index.js'
import { connected, failure, type Scene } from '../reports/rig.js'

const fault = classify({
  kind: 'rpc',
  wire: 'http',
  phase: 'ready',
  summary: 'no',
  rpc: { code: -32603, message: 'no' },
})
const both = { logging: true, subscribe: true }

/** A session that remembers what it is told, except what it refuses. */
function session(refuses: (value: unknown) => boolean = () => false) {
  const told: string[] = []
  const ask = async (method: string, params: Record<string, unknown>) => {
    const [value] = Object.values(params)
    if (refuses(value)) throw new Error('no')
    told.push(`${method} ${value}`)
  }
  return { told, ask }
}

describe('restoration', () => {
  it('tells what is wanted and not known, each once', async () => {
    const { told, ask } = session()
    const one = new Restoration()
    one.wantLogLevel('debug')
    one.wantSubscription('x://1')
    one.wantSubscription('x://2')
    one.noteTold('subscription', 'x://1')
    const items = await one.restore(ask, both, () => fault)
    expect(told.sort()).toEqual(['logging/setLevel debug', 'resources/subscribe x://2'])
    expect(items.map(({ value }) => value).sort()).toEqual(['debug', 'x://2'])
    expect(await one.restore(ask, both, () => fault)).toEqual([])
  })

  it('tells of what failed, item by item, and tries that alone again', async () => {
    const one = new Restoration()
    for (const uri of ['x://1', 'x://2']) one.wantSubscription(uri)
    const items = await one.restore(session((value) => value === 'x://2').ask, both, () => fault)
    expect(items).toEqual([
      { what: 'subscription', value: 'x://1' },
      { what: 'subscription', value: 'x://2', fault },
    ])
    const { told, ask } = session()
    await one.restore(ask, both, () => fault)
    expect(told).toEqual(['resources/subscribe x://2'])
  })

  it('leaves to a request of the application what that is just asking for, where it gets through', async () => {
    const one = new Restoration()
    one.wantLogLevel('info')
    one.wantSubscription('x://1')
    let answer = () => {}
    const asked = one.inTurn(LOG_LEVEL, () => new Promise<void>((resolve) => (answer = resolve)))
    const live = session()
    await one.restore(live.ask, both, () => fault, true)
    expect(live.told).toEqual(['resources/subscribe x://1'])
    // Before the connection is ready, that request waits for it.
    const first = session()
    await one.restore(first.ask, both, () => fault)
    expect(first.told).toEqual(['logging/setLevel info'])
    answer()
    await asked
  })

  it('is not overtaken by a wish that comes later', async () => {
    const one = new Restoration()
    const told: string[] = []
    let answer = () => {}
    one.wantLogLevel('info')
    const restored = one.restore(
      async (_, { level }) => {
        await new Promise<void>((resolve) => (answer = resolve))
        told.push(String(level))
      },
      both,
      () => fault,
      true,
    )
    one.wantLogLevel('error')
    const wished = one.inTurn(LOG_LEVEL, async () => told.push('error'))
    await Promise.resolve()
    expect(told).toEqual([])
    answer()
    await Promise.all([restored, wished])
    expect(told).toEqual(['info', 'error'])
  })

  it('knows that a new session knows nothing', async () => {
    const one = new Restoration()
    one.wantLogLevel('info')
    one.wantSubscription('x://1')
    await one.restore(session().ask, both, () => fault)
    one.forgetTold()
    const { told, ask } = session()
    await one.restore(ask, both, () => fault)
    expect(told).toHaveLength(2)
  })

  it('asks a server for nothing that it does not offer', async () => {
    const one = new Restoration()
    one.wantLogLevel('info')
    one.wantSubscription('x://1')
    const { told, ask } = session()
    await one.restore(ask, { logging: false, subscribe: false }, () => fault)
    expect(told).toEqual([])
  })

  it('tells a level again that was left and come back to', async () => {
    const one = new Restoration()
    const { told, ask } = session()
    for (const level of ['info', 'debug', 'info']) {
      one.wantLogLevel(level)
      await one.restore(ask, both, () => fault)
    }
    expect(told).toEqual(['logging/setLevel info', 'logging/setLevel debug', 'logging/setLevel info'])
  })

  it('forgets a subscription that is given up', async () => {
    const one = new Restoration()
    one.wantSubscription('x://1')
    one.dropSubscription('x://1')
    expect(await one.restore(session().ask, both, () => fault)).toEqual([])
    expect(one.subscriptions).toEqual([])
  })
})

const capabilities = { tools: {}, resources: { subscribe: true }, logging: {} }

/** A server that offers both, ready, with a level and two subscriptions asked for. */
async function remembering(): Promise<Scene> {
  const it = await connected({ server: { capabilities } })
  it.server.answer('logging/setLevel', result()).answer('resources/subscribe', result())
  await it.connection.setLogLevel('debug')
  await it.connection.subscribe('x://1')
  await it.connection.subscribe('x://2')
  return it
}

const asked = ({ server }: Scene, method: string, session: string) =>
  server.requests(method).filter((request) => request.session === session)

async function loseSession(it: Scene): Promise<void> {
  it.server.forgetSessions()
  await it.connection.request('tools/list')
  await it.settled()
}

describe('a connection', () => {
  it('restores level and subscriptions in the new session, and the incident tells what (P11)', async () => {
    await using it = await remembering()
    const incidents: Incident[] = []
    it.connection.incidents$.subscribe((incident) => incidents.push(incident))
    await loseSession(it)
    expect(asked(it, 'logging/setLevel', 'session-2')).toHaveLength(1)
    expect(asked(it, 'resources/subscribe', 'session-2')).toHaveLength(2)
    expect(incidents).toMatchObject([{ outcome: 'recovered', resumed: false }])
    expect(incidents[0]?.restored).toEqual([
      { what: 'logLevel', value: 'debug' },
      { what: 'subscription', value: 'x://1' },
      { what: 'subscription', value: 'x://2' },
    ])
  })

  it('tells a session that is gone on with nothing twice', async () => {
    await using it = await remembering()
    const incidents: Incident[] = []
    it.connection.incidents$.subscribe((incident) => incidents.push(incident))
    await loseSession(it)
    await it.server.stop()
    const call = it.connection.request('tools/list')
    await it.passUntil(() => it.connection.status === 'backoff', 1_000)
    await it.server.start()
    await it.passUntil(() => it.connection.status === 'ready', 5_000)
    await call
    expect(asked(it, 'resources/subscribe', 'session-2')).toHaveLength(2)
    expect(incidents[1]).toMatchObject({ resumed: true, restored: [] })
  })

  it('is ready although an item is refused, tells which, and tries it again', async () => {
    await using it = await remembering()
    const incidents: Incident[] = []
    it.connection.incidents$.subscribe((incident) => incidents.push(incident))
    it.server.once('logging/setLevel', rpcError(-32603, 'not just now'))
    await loseSession(it)
    expect(it.connection.status).toBe('ready')
    expect(incidents[0]?.restored).toMatchObject([
      { what: 'logLevel', value: 'debug', fault: { code: 'rpc.-32603' } },
      { value: 'x://1' },
      { value: 'x://2' },
    ])
    await it.passUntil(() => asked(it, 'logging/setLevel', 'session-2').length === 2, 10_000)
    await it.pass(60_000, 2_500)
    expect(asked(it, 'logging/setLevel', 'session-2')).toHaveLength(2)
    expect(asked(it, 'resources/subscribe', 'session-2')).toHaveLength(2)
  })

  it('does not go on with a session that is found lost while items are put back', async () => {
    await using it = await remembering()
    it.server.once('resources/subscribe', rpcError(-32001, 'Session not found', { code: 404, id: null }))
    it.server.forgetSessions()
    const call = it.connection.request('tools/list')
    await it.passUntil(() => asked(it, 'resources/subscribe', 'session-3').length === 2, 3_000)
    await it.passUntil(() => it.connection.status === 'ready', 3_000)
    await call
    expect(it.losses).toEqual(['session.unknown', 'session.lost-at-once'])
  })

  it('is ready although an item is not answered', async () => {
    await using it = await remembering()
    it.server.answer('resources/subscribe', hang())
    it.server.forgetSessions()
    const call = it.connection.request('tools/list')
    await it.pass(10_000)
    await call
    expect(it.connection.status).toBe('ready')
  })

  it('keeps the level that holds when the server refuses another', async () => {
    await using it = await remembering()
    it.server.once('logging/setLevel', rpcError(-32602, 'no such level'))
    expect(await failure(it.connection.setLogLevel('loud'))).toBeInstanceOf(RpcError)
    await loseSession(it)
    const [again] = asked(it, 'logging/setLevel', 'session-2')
    expect(again?.body).toMatchObject({ params: { level: 'debug' } })
  })

  it('a level that is refused late takes back no other that was asked for meanwhile', async () => {
    await using it = await remembering()
    it.server.once('logging/setLevel', slow(200, rpcError(-32602, 'no such level')))
    const refused = failure(it.connection.setLogLevel('loud'))
    const wished = it.connection.setLogLevel('info')
    await it.pass(200)
    expect(await refused).toBeInstanceOf(RpcError)
    await wished
    await loseSession(it)
    expect(asked(it, 'logging/setLevel', 'session-2').map(({ body }) => body)).toMatchObject([
      { params: { level: 'info' } },
    ])
  })

  it('restores no subscription that was given up', async () => {
    await using it = await remembering()
    it.server.answer('resources/unsubscribe', result())
    await it.connection.unsubscribe('x://1')
    await loseSession(it)
    expect(asked(it, 'resources/subscribe', 'session-2').map(({ body }) => body)).toMatchObject([
      { params: { uri: 'x://2' } },
    ])
  })
})
