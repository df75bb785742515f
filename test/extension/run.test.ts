/** Connections whose chart was extended, against real servers. */
import { describe, expect, it } from 'vitest'
import { createActor, emit, SimulatedClock, setup, waitFor } from 'xstate'
import { machine } from '../../docs/examples/extending/machine.js'
import {
  connectionChart,
  connectionContext,
  connectionRoot,
  connectionSetup,
  connectionStates,
} from '../../machines/index.js'
import {
  connectionInput,
  connectionMachine,
  connectionOf,
  createConnection,
  type LogEvent,
  logEvents,
  provideConnection,
  type Rule,
  statusOf,
} from '../../src/index.js'
import {
  healthy,
  inTurn,
  result,
  rpcError,
  sse,
  startFaultServer,
  status,
} from '../../src/testing/fault-server/index.js'

const policy = { backoff: { baseMs: 1, capMs: 5 } }
const answer = result({ content: [{ type: 'text', text: 'done' }] })
const quota: Rule<'rate-limited'> = {
  id: 'quota',
  because: 'this server says so',
  when: (evidence) => evidence.rpc?.code === -32029 || evidence.http?.status === 429,
  ruling: { class: 'rate-limited', scope: 'link', code: 'quota', delivery: 'refused', advice: 'Wait.' },
}

function begin(url: string, clock = new SimulatedClock()) {
  const connection = createConnection({
    name: 'extended',
    target: { url },
    machine,
    policy,
    rules: [quota],
    input: { quotaMs: 5_000 },
    clock,
    random: () => 0.5,
  })
  return { connection, clock }
}

describe('a fault class with a state of its own', () => {
  it('is waited for there, burns no attempt, and the refused call is sent again', async () => {
    await using server = await startFaultServer()
    const { connection, clock } = begin(server.url)
    await connection.connect()
    server.answer('tools/call', inTurn(rpcError(-32029, 'quota exceeded'), answer))
    const called = connection.callTool({ name: 'echo' })
    const limited = await waitFor(connection.actor, (snapshot) => snapshot.matches('limited'))
    expect(limited.context).toMatchObject({ attempts: 0, timesLimited: 1, generation: 1, quotaMs: 5_000 })
    expect(limited.context.fault).toMatchObject({ class: 'rate-limited', code: 'quota' })
    expect(connection.status).toBe('backoff')
    clock.increment(4_999)
    expect(connection.actor.getSnapshot().matches('limited')).toBe(true)
    clock.increment(1)
    expect(await called).toMatchObject({ content: [{ text: 'done' }] })
    expect(connection.actor.getSnapshot().context.generation).toBe(2)
    await connection.close()
  })

  it('serves the time that the server named', async () => {
    await using server = await startFaultServer()
    const { connection, clock } = begin(server.url)
    server.answer('initialize', inTurn(status(429, { retryAfter: 7 }), healthy()))
    connection.actor.send({ type: 'connect' })
    await waitFor(connection.actor, (snapshot) => snapshot.matches('limited'))
    clock.increment(6_999)
    expect(connection.actor.getSnapshot().matches('limited')).toBe(true)
    clock.increment(1)
    await connection.ready()
    await connection.close()
  })
})

describe('a region of ready that drains', () => {
  it('lets calls that are under way go on and new ones wait, then leaves the link with its session kept', async () => {
    await using server = await startFaultServer()
    const { connection, clock } = begin(server.url)
    await connection.connect()
    let release: (() => void) | undefined
    const until = () => new Promise<void>((resolve) => (release = resolve))
    server.answer(
      'tools/call',
      inTurn(sse([{ until }, { respond: { content: [{ type: 'text', text: 'slow' }] } }]), answer),
    )
    const underWay = connection.callTool({ name: 'slow' })
    await expect.poll(() => release).toBeDefined()

    connection.actor.send({ type: 'drain' })
    expect(connection.actor.getSnapshot().matches({ linked: { ready: { usage: 'draining' } } })).toBe(true)
    expect(connection.status).toBe('ready')
    const waiting = connection.callTool({ name: 'later' })
    release?.()
    expect(await underWay).toMatchObject({ content: [{ text: 'slow' }] })
    // A whole exchange beside it: time enough for the second call, did it go out.
    await fetch(server.url, { method: 'DELETE' })
    expect(server.log.of('tools/call')).toHaveLength(1)

    clock.increment(30_000)
    expect(connection.actor.getSnapshot().hasTag('maintenance')).toBe(true)
    expect(connection.status).toBe('backoff')
    connection.actor.send({ type: 'maintenance.end' })
    expect(await waiting).toMatchObject({ content: [{ text: 'done' }] })
    expect(server.log.of('initialize')).toHaveLength(1)
    await connection.close()
  })
})

describe('a state of its own beside linked', () => {
  it('is entered from everywhere, and a connection that closes for good stays so', async () => {
    await using server = await startFaultServer()
    const { connection, clock } = begin(server.url)
    connection.actor.send({ type: 'maintenance.begin' })
    expect(connection.status).toBe('backoff')
    const connected = connection.connect()
    expect(connection.actor.getSnapshot().matches('maintenance')).toBe(true)
    clock.increment(3_600_000)
    await connected
    const closed = connection.close()
    connection.actor.send({ type: 'maintenance.begin' })
    await closed
    expect(connection.status).toBe('closed')
  })

  it('is named by its tags where people ask for a status', () => {
    const at = (...tags: string[]) => statusOf({ value: 'mine', hasTag: (tag) => tags.includes(tag) })
    expect([at('usable'), at('stopped'), at('waiting'), at('busy'), at()]).toEqual([
      'ready',
      'failed',
      'backoff',
      'connecting',
      'idle',
    ])
  })
})

describe('an extended chart elsewhere', () => {
  it('runs as an actor of XState and inside a parent', async () => {
    await using server = await startFaultServer()
    const input = { ...connectionInput({ name: 'x', target: { url: server.url } }), quotaMs: 1 }
    const parent = setup({ actors: { connection: provideConnection(machine) } }).createMachine({
      invoke: { id: 'server', src: 'connection', input },
    })
    const actor = createActor(parent).start()
    const { server: child } = actor.getSnapshot().children
    if (!child) throw new Error('no child')
    const connection = connectionOf(child)
    await connection.connect()
    connection.actor.send({ type: 'drain' })
    expect(connection.actor.getSnapshot().matches({ linked: { ready: { usage: 'draining' } } })).toBe(true)
    await connection.close()
    actor.stop()
  })

  it('has the library’s actors once, whoever asks, and keeps those of its own', () => {
    expect(provideConnection(machine)).toBe(provideConnection(machine))
    expect(provideConnection(connectionMachine)).toBe(connectionMachine)
    const release = connectionMachine.implementations.actors.release
    const own = machine.provide({ actors: { release } as never })
    expect(provideConnection(own).implementations.actors.release).toBe(release)
    expect(provideConnection(own).implementations.actors.link).toBe(connectionMachine.implementations.actors.link)
  })

  it('is refused at the door when it is another machine', () => {
    const other = setup({}).createMachine({})
    expect(() => createConnection({ name: 'x', target: { command: 'x' }, machine: other })).toThrow(
      /connectionSetup\(\)/,
    )
    expect(() => provideConnection(undefined as never)).toThrow(TypeError)
    expect(provideConnection(connectionChart)).not.toBe(connectionChart)
  })
})

it('news that an extension emits are logged by their type, and by nothing that may be secret', async () => {
  await using server = await startFaultServer()
  const kit = connectionSetup<{ emitted: { type: 'quota.low'; token: string } }>()({
    actions: { warn: emit({ type: 'quota.low', token: 'canary' }) },
  })
  const noisy = kit.createMachine({
    ...kit.extendState(connectionRoot, {
      states: { idle: kit.extendState(connectionStates.idle, { exit: 'warn' }) },
    }),
    context: connectionContext,
  })
  const connection = createConnection({ name: 'noisy', target: { url: server.url }, machine: noisy, policy })
  const events: LogEvent[] = []
  logEvents(connection).subscribe((event) => events.push(event))
  await connection.connect()
  expect(events.find(({ event }) => event === 'quota.low')).toEqual({
    level: 'info',
    event: 'quota.low',
    connection: 'noisy',
    message: 'told by an added state',
    fields: {},
  })
  await connection.close()
})
