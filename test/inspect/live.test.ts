import { describe, expect, onTestFinished, test } from 'vitest'
import { type AnyActorRef, createActor, createMachine, SimulatedClock } from 'xstate'
import { createHub } from '../../src/hub/index.js'
import {
  type Connection,
  type ConnectionActor,
  type ConnectionOptions,
  connectionInput,
  connectionMachine,
  connectionOf,
  createConnection,
} from '../../src/index.js'
import { type Inspector, type InspectorOptions, startInspector } from '../../src/inspect/index.js'
import { ConnectionRuntime } from '../../src/link/index.js'
import { html, startFaultServer, status } from '../../src/testing/fault-server/index.js'
import { PageSocket } from './page-socket.js'

async function started(options?: InspectorOptions): Promise<Inspector> {
  const inspector = await startInspector(options)
  onTestFinished(() => inspector.close())
  return inspector
}

function connected(inspector: Inspector, options: Omit<ConnectionOptions, 'inspect'>): Connection {
  const connection = createConnection({ ...options, inspect: inspector.inspect })
  onTestFinished(() => connection.close())
  return connection
}

const quick = { backoff: { baseMs: 5, capMs: 20 } }

describe('a page hears', () => {
  test('of connections that are there, and of every change', async () => {
    await using server = await startFaultServer()
    const inspector = await started()
    const connection = connected(inspector, { name: 'one', target: { url: server.url } })
    await using page = new PageSocket(inspector)
    const { actors } = await page.hears('hello')
    expect(actors).toMatchObject([{ name: 'one', status: 'idle', tone: 'faint', what: 'http', can: ['connect'] }])
    await connection.connect()
    const { actors: later } = await page.hears('actors', (message) => message.actors[0]?.status === 'ready')
    expect(later).toMatchObject([{ id: actors[0]?.id, tone: 'good', can: ['disconnect'] }])
    await connection.close()
    await page.hears('actors', (message) => message.actors[0]?.status === 'closed')
  })

  test('the chart of the connections, once', async () => {
    const inspector = await started()
    await using page = new PageSocket(inspector)
    await page.hears('hello')
    const names = ['a', 'b', 'c']
    for (const name of names) connected(inspector, { name, target: { url: 'http://127.0.0.1:9/' } })
    const { chart } = await page.hears('chart')
    expect(chart.nodes.map(({ id }) => id)).toContain('linked.ready.health.steady')
    await page.hears('actors')
    expect(page.told.filter(({ type }) => type === 'chart')).toHaveLength(1)
  })

  test('what it asks for in detail: states, transitions with their rule, fault, incidents, session and lists', async () => {
    await using server = await startFaultServer()
    const inspector = await started()
    const connection = connected(inspector, { name: 'one', target: { url: server.url }, policy: quick })
    await connection.connect()
    await using page = new PageSocket(inspector)
    const [actor] = (await page.hears('hello')).actors
    page.say({ type: 'select', id: actor?.id ?? '' })
    const { detail } = await page.hears('detail')
    expect(detail.active).toEqual(expect.arrayContaining(['linked', 'linked.ready', 'linked.ready.catalog.fresh']))
    expect(detail.session).toEqual(expect.arrayContaining([['server', 'fault-server 1.0.0']]))
    expect(detail.lists).toMatchObject([{ list: 'tools', names: ['echo'], more: 0 }])
    server.once('initialize', status(503))
    server.forgetSessions()
    await connection.reconnect()
    const { detail: after } = await page.hears('detail', (it) => it.detail.incidents[0]?.outcome === 'recovered')
    expect(after.fault).toMatchObject({ code: 'http.503', class: 'transient' })
    expect(after.fault?.evidence).toContainEqual(['HTTP status', '503'])
    expect(after.transitions.map(({ label, to }) => `${label} ${to}`)).toContain('fault V7 backoff')
    // What followed at once belongs to the same step, what came before it to another.
    const at = after.transitions.findIndex(({ label }) => label === 'fault V7')
    const [then, lost, before] = after.transitions.slice(at - 1, at + 2)
    expect(then).toMatchObject({ label: 'always', to: 'backoff.waiting', step: lost?.step })
    expect(before?.step).toBeLessThan(lost?.step ?? 0)
    expect(after.incidents).toMatchObject([{ code: 'http.503', kind: 'loss' }])
  })

  test('when the next attempt is due', async () => {
    const clock = new SimulatedClock()
    const inspector = await started()
    const connection = connected(inspector, {
      name: 'waits',
      target: { command: process.execPath, args: ['-e', 'process.exit(1)'] },
      policy: { backoff: { baseMs: 4_000, capMs: 4_000, jitter: 0 } },
      random: () => 0.5,
      clock,
    })
    connection.connect().catch(() => undefined)
    await expect.poll(() => connection.status).toBe('backoff')
    clock.increment(500)
    await using page = new PageSocket(inspector)
    const [actor] = (await page.hears('hello')).actors
    const { waitMs } = connection.actor.getSnapshot().context
    expect(actor).toMatchObject({
      status: 'backoff',
      attempts: 1,
      nextInMs: waitMs - 500,
      can: ['retry', 'disconnect'],
    })
  })

  test('nothing secret, though it quotes what servers say', async () => {
    await using server = await startFaultServer()
    const inspector = await started()
    server.answer('initialize', html(503, 'sorry, Bearer canary-token-77 and canary-header-77'))
    const connection = connected(inspector, {
      name: 'one',
      target: { url: `${server.url}?key=canary-query-77`, headers: { authorization: 'Bearer canary-header-77' } },
      policy: { backoff: { baseMs: 60_000, capMs: 60_000 } },
    })
    connection.connect().catch(() => undefined)
    await expect.poll(() => connection.status).toBe('backoff')
    await using page = new PageSocket(inspector)
    const [actor] = (await page.hears('hello')).actors
    page.say({ type: 'select', id: actor?.id ?? '' })
    const { detail } = await page.hears('detail')
    expect(detail.fault?.evidence).toContainEqual(['body', 'sorry, Bearer [redacted] and [redacted]'])
    expect(JSON.stringify(page.told)).not.toContain('canary')
  })
})

test('connections of this process are found wherever they run, and nothing else of it is shown', async () => {
  await using server = await startFaultServer()
  const inspector = await started()
  const parent = createMachine({
    id: 'application',
    context: { secret: 'canary' },
    invoke: {
      id: 'server',
      src: connectionMachine,
      input: () => connectionInput({ name: 'within', target: { url: server.url } }),
    },
  })
  const actor = createActor(parent, { inspect: inspector.inspect }).start()
  const connection = connectionOf(actor.getSnapshot().children.server as ConnectionActor)
  await connection.connect()
  await using page = new PageSocket(inspector)
  const { actors } = await page.hears('hello')
  expect(actors).toMatchObject([{ name: 'within', status: 'ready' }])
  page.say({ type: 'command', id: actors[0]?.id ?? '', command: 'disconnect' })
  await expect.poll(() => connection.status).toBe('idle')
  expect(JSON.stringify(page.told)).not.toContain('canary')
  actor.stop()
})

test('one inspector sees every server of a hub', async () => {
  await using server = await startFaultServer()
  const inspector = await started()
  const target = { url: server.url }
  const hub = createHub({ servers: { a: { target }, b: { target } }, defaults: { inspect: inspector.inspect } })
  onTestFinished(() => hub.close())
  await hub.start()
  await using page = new PageSocket(inspector)
  expect((await page.hears('hello')).actors).toMatchObject([
    { name: 'a', status: 'ready' },
    { name: 'b', status: 'ready' },
  ])
})

test('an observer that comes late finds the connection with what it does next', async () => {
  const inspector = await started()
  const connection = createConnection({ name: 'older', target: { url: 'http://127.0.0.1:9/' } })
  const actor = connection.actor as Partial<AnyActorRef>
  const observed = actor.system?.inspect(inspector.inspect)
  await using page = new PageSocket(inspector)
  expect((await page.hears('hello')).actors).toEqual([])
  await connection.close()
  await page.hears('actors', ({ actors }) => actors[0]?.name === 'older' && actors[0].status === 'closed')
  observed?.unsubscribe()
})

test('once closed it listens to no connection any more, and those go on (P18)', async () => {
  await using server = await startFaultServer()
  const inspector = await startInspector()
  const connection = connected(inspector, { name: 'goes on', target: { url: server.url } })
  await connection.connect()
  const { catalog$ } = ConnectionRuntime.behind(connection.actor.getSnapshot().context.runtime)
  expect(catalog$.observed).toBe(true)
  await inspector.close()
  expect(catalog$.observed).toBe(false)
  await connection.reconnect()
  expect([connection.status, catalog$.observed]).toEqual(['ready', false])
})

describe('a page says', () => {
  test('retry, disconnect and connect', async () => {
    await using server = await startFaultServer()
    const inspector = await started()
    server.once('initialize', status(400))
    const connection = connected(inspector, { name: 'one', target: { url: server.url } })
    await expect(connection.connect()).rejects.toThrow()
    await using page = new PageSocket(inspector)
    const id = (await page.hears('hello')).actors[0]?.id ?? ''
    page.say({ type: 'command', id, command: 'retry' })
    await expect.poll(() => connection.status).toBe('ready')
    page.say({ type: 'command', id, command: 'disconnect' })
    await expect.poll(() => connection.status).toBe('idle')
    page.say({ type: 'command', id, command: 'connect' })
    await expect.poll(() => connection.status).toBe('ready')
    page.say({ type: 'command', id, command: 'connect' })
    expect(await page.hears('refused')).toMatchObject({ reason: 'one cannot do that now.' })
  })

  test('break, only where the demonstration allows it', async () => {
    await using server = await startFaultServer()
    const broken: string[] = []
    for (const breakWire of [undefined, (name: string) => void broken.push(name)]) {
      const inspector = await started({ breakWire })
      const connection = connected(inspector, { name: 'one', target: { url: server.url } })
      await connection.connect()
      await using page = new PageSocket(inspector)
      const [actor] = (await page.hears('hello')).actors
      expect(actor?.can.includes('break')).toBe(breakWire !== undefined)
      page.say({ type: 'command', id: actor?.id ?? '', command: 'break' })
      if (!breakWire) await page.hears('refused')
      else await expect.poll(() => broken).toEqual(['one'])
    }
  })

  test('nothing else: whatever it says, the connection stays as it is', async () => {
    await using server = await startFaultServer()
    const inspector = await started()
    const connection = connected(inspector, { name: 'one', target: { url: server.url } })
    await connection.connect()
    await using page = new PageSocket(inspector)
    const id = (await page.hears('hello')).actors[0]?.id ?? ''
    for (const words of ['', '{', 'null', '[]', '5', '{"type":"select"}', '{"type":"command","id":5}']) page.say(words)
    for (const command of ['close', 'configure', 'toString', 'fault', { type: 'close' }])
      page.say({ type: 'command', id, command })
    page.say({ type: 'command', id: 'nobody', command: 'disconnect' })
    expect(await page.hears('refused')).toMatchObject({ reason: 'It is not there any more.' })
    expect(connection.status).toBe('ready')
  })
})

test('a hundred connections with ten events a second each: ten pictures a second', async () => {
  const clock = new SimulatedClock()
  const inspector = await started({ clock })
  await using page = new PageSocket(inspector)
  await page.hears('hello')
  const connections = Array.from({ length: 100 }, (_, i) =>
    createConnection({ name: `c${i}`, target: { url: 'http://127.0.0.1:9/' }, clock, inspect: inspector.inspect }),
  )
  for (let i = 0; i < 10; i++) {
    for (const [at, { actor }] of connections.entries()) {
      actor.send({ type: i % 2 === 0 ? 'network.offline' : 'network.online' })
      if (at % 10 === 0) clock.increment(10)
    }
  }
  await page.hears('actors', ({ actors }) => actors.length === 100)
  await Promise.all(connections.map((connection) => connection.close()))
  clock.increment(100)
  const closed = (it: { status: string }) => it.status === 'closed'
  await page.hears('actors', ({ actors }) => actors.some(closed))
  expect(page.told.filter(({ type }) => type === 'actors').length).toBeLessThanOrEqual(12)
})

test('memory is bounded: what is over makes room for what comes', async () => {
  const inspector = await started()
  const first = createConnection({ name: 'first', target: { url: 'http://127.0.0.1:9/' }, inspect: inspector.inspect })
  await first.close()
  const rest = Array.from({ length: 500 }, (_, i) =>
    createConnection({ name: `c${i}`, target: { url: 'http://127.0.0.1:9/' }, inspect: inspector.inspect }),
  )
  await using page = new PageSocket(inspector)
  const { actors } = await page.hears('hello')
  expect(actors).toHaveLength(500)
  expect(actors.map(({ name }) => name)).not.toContain('first')
  await Promise.all(rest.map((connection) => connection.close()))
})
