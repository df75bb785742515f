import { describe, expect, test } from 'vitest'
import { connectionChart } from '../../machines/connection.js'
import { safeDefinition, safeEvent, safeSnapshot, safeText, safeWord } from '../../src/inspect/safe/index.js'

const canary = 'CANARY-5f3a 91'

/** The value with the canary in every string, and under keys that nobody listed. */
function planted(value: unknown): unknown {
  if (typeof value === 'string') return `${value} ${canary}`
  if (Array.isArray(value)) return value.map(planted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, one]) => [key, key === 'type' ? one : planted(one)])
  return { ...Object.fromEntries(entries), input: canary, output: { token: canary }, extra: [canary] }
}

const evidence = {
  kind: 'http',
  wire: 'http',
  phase: 'ready',
  method: 'tools/call',
  summary: 's',
  http: {
    status: 500,
    exchange: 'message',
    headers: { 'set-cookie': 'c' },
    contentType: 't',
    body: 'b',
    location: 'l',
  },
  exit: { code: 1, signal: 'SIGKILL', stderrTail: 'e' },
  rpc: { code: -32_000, message: 'm', data: { d: 'd' } },
  errno: 'ECONNRESET',
  subject: 'command',
  target: 't',
  tokenState: 'fresh',
  stream: 'reply',
  protocolVersion: '2025-11-25',
  askedVersion: 'v',
  dialectsTried: ['x'],
}
const fault = { class: 'transient', code: 'http.500', scope: 'call', delivery: 'unknown', rule: 'r', evidence }
const session = { protocolVersion: '1', server: { name: 'n', version: 'v', title: 't' }, resumable: true, id: 'i' }
const policy = { maxAttempts: 20, onSessionLost: 'renew', backoff: { baseMs: 1, jitter: 'full' } }
const context = {
  wire: 'http',
  reached: 'ready',
  fault,
  origin: fault,
  session,
  policy,
  lists: 'fresh',
  after: 'idle',
  dialect: { version: 'd' },
  dialectsTried: ['d'],
  rules: [{ id: 'r' }],
  runtime: { target: 't' },
}

describe('nothing that is not listed goes out', () => {
  test.each([
    'xstate.init',
    'xstate.done.actor.refresh',
    'xstate.error.actor.link',
    'an.extension',
    'connect',
    'fault',
    'suspect',
    'link.initialized',
    'configure',
    'credentials.changed',
    'lists.refreshed',
    'detach',
  ])('in an event of type %s', (type) => {
    const event = { type, fault, session, policy, epoch: 1, known: true, target: { headers: {} }, result: 'x' }
    expect(JSON.stringify(safeEvent(planted(event) as typeof event))).not.toContain(canary)
  })

  test('of an event that an extension added: nothing but its type', () => {
    const event = { type: 'usage.counted', epoch: 5, known: true, fault, session }
    expect(safeEvent(event)).toEqual({ type: 'usage.counted' })
  })

  test('in a snapshot, its context, output, error and children', () => {
    const snapshot = {
      status: 'done',
      value: { linked: 'connecting' },
      context: planted(context),
      output: canary,
      error: new Error(canary),
      children: { link: { input: canary } },
    }
    const safe = safeSnapshot(snapshot, true)
    expect(JSON.stringify(safe)).not.toContain(canary)
    expect(safe).toMatchObject({
      status: 'done',
      value: { linked: 'connecting' },
      context: { fault: { evidence: {} } },
    })
  })

  test('of an actor that is no connection: nothing of its context at all', () => {
    expect(safeSnapshot({ status: 'active', value: 'a', context: { x: 1 } }, false)).toEqual({
      status: 'active',
      value: 'a',
    })
  })

  test('in a definition: context, input, parameters and code', () => {
    const safe = safeDefinition({
      id: 'm',
      context: { secret: canary },
      initial: 'a',
      meta: { secret: canary },
      states: {
        a: {
          entry: [{ type: 'log', params: { text: canary } }],
          invoke: { id: 'i', src: 'actor', input: { token: canary }, onDone: { target: 'b', meta: { note: canary } } },
          on: { go: { target: 'b', guard: { type: 'isOpen', params: canary }, actions: () => canary } },
        },
        b: { type: 'final', output: canary },
      },
    })
    expect(JSON.stringify(safe)).not.toContain(canary)
    expect(safe.states?.a).toEqual({
      entry: ['log'],
      invoke: [{ id: 'i', src: 'actor', onDone: [{ target: 'b' }] }],
      on: { go: [{ target: 'b', guard: 'isOpen', actions: ['inline'] }] },
    })
  })
})

test('what is listed goes out as it is', () => {
  expect(safeEvent({ type: 'fault', fault, generation: 3 } as { type: string })).toEqual({
    type: 'fault',
    generation: 3,
    fault: {
      class: 'transient',
      code: 'http.500',
      scope: 'call',
      delivery: 'unknown',
      rule: 'r',
      evidence: {
        kind: 'http',
        wire: 'http',
        phase: 'ready',
        method: 'tools/call',
        http: { status: 500, exchange: 'message' },
        exit: { code: 1, signal: 'SIGKILL' },
        rpc: { code: -32_000 },
        errno: 'ECONNRESET',
        subject: 'command',
        tokenState: 'fresh',
        stream: 'reply',
        protocolVersion: '2025-11-25',
      },
    },
  })
})

test('a text is redacted before it is cut, printable and bounded', () => {
  expect(safeText('Authorization: Bearer abcdefghijkl')).toBe('Authorization: [redacted]')
  expect(safeText(`${'x'.repeat(295)} Bearer abcdefghijkl`)).not.toContain('abc')
  expect(safeText('a\u001b[31mb\u202ec')).toBe('a [31mb c')
  expect(safeText('x'.repeat(1_000))).toHaveLength(300)
  expect(safeText(5)).toBeUndefined()
})

test('a word is what names look like, and no credential', () => {
  expect(safeWord('tools/call')).toBe('tools/call')
  expect(safeWord('two words')).toBe('[redacted]')
  expect(safeWord('eyJhbGciOi.eyJzdWIi.c2ln')).toBe('[redacted]')
})

test('the definition of the connection keeps every state and every rule', () => {
  const text = JSON.stringify(safeDefinition(connectionChart.config))
  for (const name of ['awaitingUser', 'steppingUp', '"rule":"V8"', 'dialectLeft', 'after']) expect(text).toContain(name)
  expect(text).not.toContain('[redacted]')
})
