/** When a call is sent again: delivery × what is said of the method × what the caller wants; and how long is waited first. */
import { describe, expect, it } from 'vitest'
import type { WireEvidence } from '../../machines/evidence.js'
import type { Delivery } from '../../machines/faults.js'
import { mayReplay, type Replay } from '../../src/calls/replay.js'
import { CallRefusedError, CallTimeoutError, OutcomeUnknownError, RpcError } from '../../src/index.js'
import { isReadOnly } from '../../src/protocol.js'
import { FakeHost, ticks, watch } from './host.js'

const http = (status: number, more: Partial<WireEvidence> = {}) =>
  ({ kind: 'http', sessionSent: true, http: { status, exchange: 'message' }, ...more }) as const

describe('whether a call may be sent again', () => {
  const deliveries: Delivery[] = ['not-sent', 'refused', 'unknown']
  const replays: Replay[] = ['auto', 'always', 'never']
  const table = deliveries.flatMap((delivery) =>
    replays.flatMap((replay) => [true, false].map((harmless) => ({ delivery, replay, harmless }))),
  )
  it.each(table)('$delivery · $replay · harmless $harmless', ({ delivery, replay, harmless }) => {
    const expected = replay !== 'never' && (delivery !== 'unknown' || replay === 'always' || harmless)
    expect(mayReplay(delivery, replay, () => harmless)).toBe(expected)
  })

  it.each([
    'ping',
    'tools/list',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'prompts/list',
    'prompts/get',
    'completion/complete',
  ])('%s is read-only by the protocol', (method) => {
    expect(isReadOnly(method)).toBe(true)
  })

  it.each(['tools/call', 'logging/setLevel', 'resources/subscribe', 'tasks/cancel', 'anything/else'])(
    '%s is not',
    (method) => {
      expect(isReadOnly(method)).toBe(false)
    },
  )
})

/** One call on a link that is there. */
function begun({ harmless = false, ...options }: { harmless?: boolean; timeoutMs?: number; replay?: Replay } = {}) {
  const host = new FakeHost()
  host.usable = true
  host.harmless = harmless
  return { host, call: watch(host.calls.call('tools/call', undefined, options)) }
}

describe('a server that asks for time', () => {
  it('429: the call is sent again after Retry-After, where that ends before its deadline', async () => {
    const { host, call } = begun()
    host.sent[0]?.fail(http(429, { retryAfterMs: 2_000 }))
    await ticks()
    host.clock.increment(1_999)
    expect(host.sent).toHaveLength(1)
    host.clock.increment(1)
    expect(host.sent).toHaveLength(2)
    expect(host.sent[1]?.options.firstMs).toBe(58_000)
    host.sent[1]?.answer({ ok: true })
    await ticks()
    expect(call).toEqual({ value: { ok: true }, settled: 1 })
  })

  it.each([
    ['longer than the caller has', 3_600_000],
    ['just too long, with the share that others get', 9_500],
  ])('429: for %s: the caller is told at once', async (_how, retryAfterMs) => {
    const { host, call } = begun({ timeoutMs: 10_000 })
    host.sent[0]?.fail(http(429, { retryAfterMs }))
    await ticks()
    expect(call.error).toBeInstanceOf(CallRefusedError)
    expect(call.error).toMatchObject({ fault: { code: 'http.429', retryAfterMs } })
  })

  it('429 without a time: a second', async () => {
    const { host } = begun()
    host.sent[0]?.fail(http(429))
    await ticks()
    host.clock.increment(999)
    expect(host.sent).toHaveLength(1)
    host.clock.increment(1)
    expect(host.sent).toHaveLength(2)
  })

  it('a call that is paused so can be aborted, and is refused when the connection closes', async () => {
    const host = new FakeHost()
    host.usable = true
    const abort = new AbortController()
    const calls = [{ signal: abort.signal }, {}].map((options) => watch(host.calls.call('x', undefined, options)))
    for (const one of host.sent) one.fail(http(429, { retryAfterMs: 5_000 }))
    await ticks()
    abort.abort('enough')
    host.calls.refuse(new Error('closed'))
    await ticks()
    expect(calls[0]?.error).toBe('enough')
    expect(calls[1]?.error).toMatchObject({ message: 'closed' })
    host.clock.increment(10_000)
    expect(host.sent).toHaveLength(2)
  })
})

describe('a call whose outcome is unknown', () => {
  const faults: readonly [string, Parameters<FakeHost['sent'][0]['fail']>[0]][] = [
    ['a reset', { kind: 'network', errno: 'ECONNRESET' }],
    ['a broken reply stream', { kind: 'stream', stream: 'reply' }],
    ['502', http(502)],
    ['an exit', { kind: 'exit', wire: 'stdio' }],
    ['a bare 404', http(404)],
    ['an answer that is none', { kind: 'malformed' }],
  ]

  it.each(faults)('%s: is never sent again by itself (P2)', async (_what, evidence) => {
    const { host, call } = begun()
    host.sent[0]?.fail(evidence)
    await ticks()
    host.clock.increment(5_000)
    host.open()
    expect(host.sent).toHaveLength(1)
    expect(call.error).toBeInstanceOf(OutcomeUnknownError)
  })

  it.each(faults)('%s: is sent again where that is harmless, twice at most', async (_what, evidence) => {
    const { host, call } = begun({ harmless: true })
    for (let attempt = 0; attempt < 3; attempt++) {
      host.sent[attempt]?.fail(evidence)
      await ticks()
      host.clock.increment(2_000)
      if (call.settled === 0) host.open()
    }
    await ticks()
    expect(host.sent).toHaveLength(3)
    expect(call.error).toBeInstanceOf(OutcomeUnknownError)
  })

  it('a timeout ends the call’s own time: it is not sent again, however harmless', async () => {
    const { host, call } = begun({ harmless: true, timeoutMs: 1_000 })
    host.clock.increment(1_000)
    host.sent[0]?.fail({ kind: 'timeout', afterMs: 1_000 })
    await ticks()
    expect(call.error).toBeInstanceOf(CallTimeoutError)
    expect(call.error).toMatchObject({ sent: true })
    expect(host.reported).toMatchObject([{ fault: { code: 'call.timeout', suspect: true } }])
  })

  it('an error of the protocol is the answer, also with an HTTP error: not sent again', async () => {
    const { host, call } = begun({ harmless: true })
    host.sent[0]?.fail(http(500, { rpc: { code: -32603, message: 'boom', data: 7 } }))
    await ticks()
    expect(call.error).toBeInstanceOf(RpcError)
    expect(call.error).toMatchObject({ rpcCode: -32603, data: 7, message: 'boom' })
  })
})

describe('a call that was refused or not sent', () => {
  it.each([
    ['the session was not known', http(404, { rpc: { code: -32001, message: 'Session not found' } })],
    ['the connection was refused', { kind: 'network', errno: 'ECONNREFUSED', sent: false } as const],
    ['the credential was refused', http(401)],
  ])('because %s waits for the next link and is sent again', async (_why, evidence) => {
    const { host, call } = begun()
    host.sent[0]?.fail(evidence)
    await ticks()
    expect(host.calls.waiting).toBe(1)
    host.open()
    host.sent[1]?.answer()
    await ticks()
    expect(call.settled).toBe(1)
    expect(call.error).toBeUndefined()
  })

  it.each([
    ['forbidden', 403, 'http.403'],
    ['wrong', 400, 'http.400'],
  ])('for good (%s) is not sent again', async (_how, status, code) => {
    const { host, call } = begun({ replay: 'always' })
    host.sent[0]?.fail(http(status))
    await ticks()
    expect(call.error).toBeInstanceOf(CallRefusedError)
    expect(call.error).toMatchObject({ fault: { code } })
  })
})

describe('a call that was sent, and of which nobody knows whether it ran', () => {
  /** Sent, lost on the way back, and to be sent again since that does no harm. */
  async function lostOnce() {
    const scene = begun({ harmless: true, timeoutMs: 10_000 })
    scene.host.sent[0]?.fail({ kind: 'closed' })
    await ticks()
    return scene
  }

  it('is not said to be unsent when it then waits in vain', async () => {
    const { host, call } = await lostOnce()
    host.clock.increment(10_000)
    await ticks()
    expect(call.error).toBeInstanceOf(CallTimeoutError)
    expect(call.error).toMatchObject({ sent: true })
  })

  it('is not said to be refused when the second sending is', async () => {
    const { host, call } = await lostOnce()
    host.open()
    host.sent[1]?.fail(http(403))
    await ticks()
    expect(call.error).toBeInstanceOf(OutcomeUnknownError)
    expect(call.error).toMatchObject({ fault: { code: 'http.403' } })
  })

  it('is told of its own fault where there is no room to wait', async () => {
    const host = new FakeHost()
    host.usable = true
    host.harmless = true
    const call = watch(host.calls.call('tools/call', undefined))
    host.usable = false
    for (let n = 0; n < host.queueLimit; n++) watch(host.calls.call('tools/call', undefined))
    host.sent[0]?.fail({ kind: 'closed' })
    await ticks()
    expect(call.error).toBeInstanceOf(OutcomeUnknownError)
  })

  it('is told of its own fault where there is no room to wait after a pause', async () => {
    const host = new FakeHost()
    host.usable = true
    host.harmless = true
    const call = watch(host.calls.call('tools/call', undefined))
    host.sent[0]?.fail({ kind: 'network', errno: 'ECONNRESET' })
    await ticks()
    host.usable = false
    for (let n = 0; n < host.queueLimit; n++) watch(host.calls.call('tools/call', undefined))
    host.clock.increment(100)
    await ticks()
    expect(call.error).toBeInstanceOf(OutcomeUnknownError)
    expect(call.error).toMatchObject({ fault: { code: 'network.ECONNRESET' } })
  })

  it('is said to be unsent when it never left', async () => {
    const host = new FakeHost()
    const call = watch(host.calls.call('tools/call', undefined, { timeoutMs: 10 }))
    host.clock.increment(10)
    await ticks()
    expect(call.error).toMatchObject({ sent: false })
  })
})
