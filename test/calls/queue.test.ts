/** Calls that wait: the queue is bounded, every call has its deadline, and each settles once. */
import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { CallTimeoutError, ConnectionClosedError, QueueFullError } from '../../src/index.js'
import { FakeHost, ticks, watch } from './host.js'

describe('a call while there is no link', () => {
  it('waits, raises demand once, and goes out in order when the link is there', async () => {
    const host = new FakeHost()
    const calls = ['a', 'b', 'c'].map((method) => watch(host.calls.call(method, undefined)))
    expect(host.calls.waiting).toBe(3)
    expect(host.demands).toEqual([true])
    host.open()
    await ticks()
    expect(host.sent.map(({ method }) => method)).toEqual(['a', 'b', 'c'])
    expect(host.demands).toEqual([true, false])
    for (const one of host.sent) one.answer({ ok: true })
    await ticks()
    expect(calls).toEqual([1, 2, 3].map(() => ({ value: { ok: true }, settled: 1 })))
  })

  it('that is a part of something has its time from when that began', () => {
    const host = new FakeHost()
    host.clock.increment(400)
    host.open()
    watch(host.calls.call('x', undefined, { timeoutMs: 1_000, maxTotalMs: 5_000, since: host.clock.now() - 300 }))
    expect(host.sent[0]).toMatchObject({ timeoutMs: 1_000, options: { firstMs: 700, maxTotalMs: 4_700 } })
  })

  it('is refused when as many wait as may (P15), and no other is disturbed', async () => {
    const host = new FakeHost()
    const waiting = [1, 2, 3].map(() => watch(host.calls.call('x', undefined)))
    const tooMany = watch(host.calls.call('x', undefined))
    await ticks()
    expect(tooMany.error).toBeInstanceOf(QueueFullError)
    expect(waiting.every(({ settled }) => settled === 0)).toBe(true)
    expect(host.calls.waiting).toBe(3)
    host.open()
    expect(host.calls.waiting).toBe(0)
  })

  it('rejects by its deadline, as not sent, and tells the last fault (P1)', async () => {
    const host = new FakeHost()
    host.judge({ kind: 'network', wire: 'http', summary: 'refused', errno: 'ECONNREFUSED', sent: false })
    const call = watch(host.calls.call('x', undefined, { timeoutMs: 1_000 }))
    host.clock.increment(999)
    await ticks()
    expect(call.settled).toBe(0)
    host.clock.increment(1)
    await ticks()
    expect(call.error).toBeInstanceOf(CallTimeoutError)
    expect(call.error).toMatchObject({ sent: false, fault: { code: 'network.ECONNREFUSED' } })
    expect(host.demands).toEqual([true, false])
    host.open()
    expect(host.sent).toEqual([])
  })

  it('has only the rest of its time left for the answer', () => {
    const host = new FakeHost()
    watch(host.calls.call('x', undefined, { timeoutMs: 1_000, maxTotalMs: 5_000 }))
    host.clock.increment(400)
    host.open()
    // Each progress gives it its whole time anew, so only the first sign has to come in what is left.
    expect(host.sent[0]).toMatchObject({ timeoutMs: 1_000, options: { firstMs: 600, maxTotalMs: 4_600 } })
    watch(host.calls.call('y', undefined, { timeoutMs: 1_000 }))
    expect(host.sent[1]?.options).not.toHaveProperty('firstMs')
  })

  it('waits no longer than its total time, and is not sent again after it (P1)', async () => {
    const host = new FakeHost()
    const options = { timeoutMs: 60_000, maxTotalMs: 1_000, replay: 'always' as const }
    const late = watch(host.calls.call('x', undefined, options))
    host.clock.increment(1_000)
    await ticks()
    expect(late.error).toMatchObject({ sent: false, message: expect.stringContaining('within 1000 ms') })
    host.open()
    const sent = watch(host.calls.call('x', undefined, options))
    host.clock.increment(1_000)
    host.sent[0]?.fail({ kind: 'timeout', sent: true, afterMs: 1_000 })
    await ticks()
    expect(sent.error).toBeInstanceOf(CallTimeoutError)
    expect(host.sent).toHaveLength(1)
  })

  it('ends when its signal says so, with its reason, and leaves the others in their order', async () => {
    const host = new FakeHost()
    const abort = new AbortController()
    const [a, b, c] = ['a', 'b', 'c'].map((method) =>
      watch(host.calls.call(method, undefined, method === 'b' ? { signal: abort.signal } : {})),
    )
    abort.abort('enough')
    await ticks()
    expect(b).toEqual({ error: 'enough', settled: 1 })
    expect(getEventListeners(abort.signal, 'abort')).toEqual([])
    host.open()
    expect(host.sent.map(({ method }) => method)).toEqual(['a', 'c'])
    for (const one of host.sent) one.answer()
    await ticks()
    expect([a, c].map((one) => one?.settled)).toEqual([1, 1])
  })

  it('whose signal has fired already is not begun', async () => {
    const host = new FakeHost()
    host.usable = true
    const call = watch(host.calls.call('x', undefined, { signal: AbortSignal.abort('no') }))
    await ticks()
    expect(call.error).toBe('no')
    expect(host.sent).toEqual([])
    expect(host.demands).toEqual([])
  })

  it('is refused with all others when the connection stops, and at once from then on', async () => {
    const host = new FakeHost()
    const calls = [watch(host.calls.call('x', undefined)), watch(host.calls.call('y', undefined))]
    host.refused = new ConnectionClosedError('test')
    host.calls.refuse(host.refused)
    await ticks()
    expect(calls.map(({ error }) => error)).toEqual([host.refused, host.refused])
    expect(host.demands).toEqual([true, false])
    const later = watch(host.calls.call('z', undefined))
    await ticks()
    expect(later.error).toBe(host.refused)
    host.clock.increment(100_000)
    await ticks()
    expect(calls.map(({ settled }) => settled)).toEqual([1, 1])
  })

  it('stays in the queue when the link goes again before its turn', async () => {
    const host = new FakeHost()
    watch(host.calls.call('a', undefined))
    watch(host.calls.call('b', undefined))
    const requester = host.requester.bind(host)
    let served = 0
    host.requester = () => (served++ < 2 ? requester() : undefined)
    host.usable = true
    host.calls.flush()
    await ticks()
    expect(host.sent.map(({ method }) => method)).toEqual(['a'])
    expect(host.calls.waiting).toBe(1)
  })
})

describe('a call while the link is there', () => {
  it('goes straight out with its own time, and raises no demand', () => {
    const host = new FakeHost()
    host.usable = true
    watch(host.calls.call('x', { a: 1 }))
    expect(host.sent[0]).toMatchObject({ method: 'x', timeoutMs: 60_000 })
    expect(host.demands).toEqual([])
    expect(host.calls.waiting).toBe(0)
  })

  it('whose link dies waits again and is answered by the next one; it settles once (P1)', async () => {
    const host = new FakeHost()
    host.usable = true
    host.harmless = true
    const call = watch(host.calls.call('x', undefined))
    host.sent[0]?.fail({ kind: 'exit', wire: 'stdio' })
    await ticks()
    expect(call.settled).toBe(0)
    expect(host.calls.waiting).toBe(1)
    host.open()
    host.sent[1]?.answer({ second: true })
    // An answer of the first link that comes all the same is nobody's.
    host.sent[0]?.answer({ first: true })
    await ticks()
    expect(call).toEqual({ value: { second: true }, settled: 1 })
  })
})

describe('a clock that somebody sets', () => {
  it.each([3_600_000, -3_600_000])('by %i ms neither shortens nor lengthens a call', async (setBy) => {
    const host = new FakeHost()
    const call = watch(host.calls.call('x', undefined, { timeoutMs: 1_000 }))
    host.clock.setBy = setBy
    host.clock.increment(400)
    host.open()
    await ticks()
    expect(host.sent[0]?.options.firstMs).toBe(600)
    // Refused before it ran, with a time named that fits into what is left.
    host.sent[0]?.fail({ kind: 'http', http: { status: 429, exchange: 'message' }, retryAfterMs: 200 })
    await ticks()
    expect(call.settled).toBe(0)
    host.clock.increment(200)
    await ticks()
    expect(host.sent[1]?.options.firstMs).toBe(400)
    host.sent[1]?.answer({ ok: true })
    await ticks()
    expect(call).toEqual({ value: { ok: true }, settled: 1 })
  })
})
