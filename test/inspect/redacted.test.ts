import { once } from 'node:events'
import {
  createBrowserInspector,
  createInspector,
  createWebSocketInspector,
  type StatelyInspectionEvent,
} from '@statelyai/inspect'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { type InspectionEvent, SimulatedClock } from 'xstate'
import { createConnection } from '../../src/index.js'
import { redacted } from '../../src/inspect/index.js'
import { childServer } from '../../src/testing/child/index.js'
import { type FaultServer, html, rpcError, startFaultServer } from '../../src/testing/fault-server/index.js'

/** One for each way by which something secret could get in. */
const canaries = {
  header: 'canary-header-1a2b3c',
  query: 'canary-query-1a2b3c',
  argument: 'canary-argument-1a2b3c',
  result: 'canary-result-1a2b3c',
  error: 'canary error 1a2b3c',
  body: 'canary body 1a2b3c',
  env: 'canary-env-1a2b3c',
  option: 'canary-option-1a2b3c',
  stderr: 'canary-stderr-1a2b3c',
}

/** Lives through success and failure of every sort, with canaries in all that a connection is given and gets. */
async function liveThroughAll(inspect: (event: InspectionEvent) => void): Promise<FaultServer> {
  const server = await startFaultServer()
  onTestFinished(() => server[Symbol.asyncDispose]())
  const policy = { backoff: { baseMs: 5, capMs: 20 } }
  const http = createConnection({
    name: 'http',
    target: { url: `${server.url}?key=${canaries.query}`, headers: { authorization: `Bearer ${canaries.header}` } },
    policy,
    inspect,
  })
  await http.connect()
  await http.callTool({ name: 'echo', arguments: { text: canaries.argument } })
  server.once('tools/call', rpcError(-32_000, `${canaries.error} ${canaries.argument}`, { data: canaries.result }))
  await http.callTool({ name: 'echo', arguments: { text: canaries.argument } }).catch(() => undefined)
  server.once('tools/call', html(500, `<p>${canaries.body}</p>`))
  await http.callTool({ name: 'echo', arguments: { text: canaries.argument } }).catch(() => undefined)
  server.once('initialize', html(503, canaries.body))
  await http.reconnect()
  await http.close()
  const stdio = createConnection({
    name: 'stdio',
    target: {
      command: process.execPath,
      args: ['-e', `console.error('${canaries.stderr}', process.env.KEY); process.exit(3)`, canaries.option],
      env: { KEY: canaries.env },
    },
    policy,
    inspect,
  })
  await stdio.connect().catch(() => undefined)
  await stdio.close()
  const child = createConnection({ name: 'child', target: childServer({}), inspect })
  await child.connect()
  await child.close()
  return server
}

function expectNoCanary(frames: readonly unknown[]): void {
  const text = JSON.stringify(frames)
  for (const [where, canary] of Object.entries(canaries)) expect([where, text.includes(canary)]).toEqual([where, false])
}

describe('with the inspectors of @statelyai/inspect', () => {
  test('by WebSocket', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const frames: StatelyInspectionEvent[] = []
    server.on('connection', (socket) => socket.on('message', (data) => frames.push(JSON.parse(String(data)))))
    const { port } = server.address() as { port: number }
    const inspector = createWebSocketInspector({ url: `ws://127.0.0.1:${port}` })
    onTestFinished(() => inspector.stop())
    await once(server, 'connection')
    const { sessions } = await liveThroughAll(redacted(inspector))
    await expect.poll(() => frames.filter(stateIs('closed')).length).toBe(3)
    expectNoCanary(frames)
    for (const session of sessions) expect(JSON.stringify(frames)).not.toContain(session)
    // What is to be seen is there: charts, states, and what happened.
    const [actor] = frames
    expect(actor).toMatchObject({ type: '@xstate.actor', name: expect.any(String), rootId: actor?.sessionId })
    expect(JSON.parse(Reflect.get(actor ?? {}, 'definition')).states.linked.states).toHaveProperty('ready')
    expect(frames.filter(stateIs('linked'))).not.toHaveLength(0)
    const faults = frames.filter((frame) => frame.type === '@xstate.event' && frame.event.type === 'fault')
    expect(faults.map((frame) => Reflect.get(frame, 'event').fault.code)).toContain('http.503')
  })

  test('by an adapter of the application', async () => {
    const frames: unknown[] = []
    await liveThroughAll(redacted(createInspector({ send: (frame) => void frames.push(frame) })))
    await expect.poll(() => frames.filter(stateIs('closed')).length).toBe(3)
    expectNoCanary(frames)
  })

  test('in a browser', async () => {
    const posted: unknown[] = []
    const opened = { postMessage: (message: unknown) => posted.push(message) }
    let listener: (event: { data: unknown }) => void = () => {}
    const window = {
      open: () => opened,
      addEventListener: (_: string, heard: typeof listener) => {
        listener = heard
      },
    } as never
    const inspector = createBrowserInspector({ url: 'http://127.0.0.1/', window })
    listener({ data: { type: '@statelyai.connected' } })
    await liveThroughAll(redacted(inspector))
    await expect.poll(() => posted.filter(stateIs('closed')).length).toBe(3)
    expectNoCanary(posted)
  })
})

test('the canaries would be seen: an inspector that is attached as it is shows what servers and children wrote', async () => {
  const frames: unknown[] = []
  const { inspect } = createInspector({ send: (frame) => void frames.push(JSON.stringify(frame)) })
  await liveThroughAll((event) => inspect.next?.(event))
  await expect.poll(() => frames.join('')).toContain(canaries.body)
  expect(frames.join('')).toContain(canaries.stderr)
})

function stateIs(name: string) {
  return (frame: unknown) => {
    const { value } = Object(Reflect.get(Object(frame), 'snapshot'))
    return value === name || Object.keys(Object(value))[0] === name
  }
}

test('any observer does; no live actor, and none of its references, goes out', async () => {
  const events: InspectionEvent[] = []
  await liveThroughAll(redacted({ next: (event) => events.push(event) }))
  expect(new Set(events.map(({ type }) => type))).toEqual(
    new Set(['@xstate.actor', '@xstate.event', '@xstate.snapshot']),
  )
  for (const { actorRef } of events)
    expect(Object.keys(actorRef).sort()).toEqual(['_parent', 'id', 'logic', 'sessionId'])
  expectNoCanary(events)
})

test('an observer that comes late is told of the actors first', async () => {
  const events: InspectionEvent[] = []
  const seen: InspectionEvent[] = []
  const clock = new SimulatedClock()
  const connection = createConnection({
    name: 'late',
    target: { url: 'http://127.0.0.1:9/mcp' },
    clock,
    inspect: (event) => seen.push(event),
  })
  const late = redacted((event) => events.push(event))
  const from = seen.length
  await connection.close()
  for (const event of seen.slice(from)) late(event)
  expect(events[0]?.type).toBe('@xstate.actor')
  const introduced = new Set<unknown>()
  for (const event of events) {
    if (event.type === '@xstate.actor') introduced.add(event.actorRef)
    expect(introduced.has(event.actorRef)).toBe(true)
  }
})

test('an inspector that throws harms nobody and is not asked again', async () => {
  let asked = 0
  const connection = createConnection({
    name: 'brave',
    target: { url: 'http://127.0.0.1:9/mcp' },
    inspect: redacted(() => {
      asked++
      throw new Error('broken inspector')
    }),
  })
  await connection.close()
  expect([connection.status, asked]).toEqual(['closed', 1])
})

test('a call costs an attached inspector nothing: it is not told of any', async () => {
  await using server = await startFaultServer()
  let events = 0
  const connection = createConnection({
    name: 'calls',
    target: { url: server.url },
    inspect: redacted(() => void events++),
  })
  await connection.connect()
  const before = events
  for (let i = 0; i < 50; i++) await connection.callTool({ name: 'echo', arguments: { text: 'x' } })
  expect(events).toBe(before)
  await connection.close()
  expect(events).toBeGreaterThan(before)
})
