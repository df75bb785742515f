/** What is asked and not answered yet: each request settles once, by its time, and leaves nothing behind. */
import { describe, expect, it } from 'vitest'
import { SimulatedClock } from 'xstate'
import type { RequestOptions } from '../../src/link/port.js'
import { Requests } from '../../src/link/requests.js'
import type { Result } from '../../src/protocol.js'
import { failureResponse, WireError } from '../../src/wire/failure.js'
import type { JsonRpcMessage } from '../../src/wire/messages.js'
import { FakeWire } from './fake-wire.js'

class CountingClock extends SimulatedClock {
  timers = 0
  override setTimeout(fn: (...args: unknown[]) => void, ms: number) {
    this.timers++
    return super.setTimeout(fn, ms)
  }
  override clearTimeout(id: number) {
    if (id !== undefined) this.timers--
    super.clearTimeout(id)
  }
}

function made(firstId = 1) {
  const wire = new FakeWire()
  const clock = new CountingClock()
  const read = (_: string, result: unknown) =>
    typeof result === 'object' && result !== null && !('bad' in result) ? (result as Result) : undefined
  const requests = new Requests({ wire, letters: wire, clock, secrets: ['hush'], read }, firstId)
  const ask = (options: RequestOptions = {}, timeoutMs = 1_000, params?: Record<string, unknown>) => {
    const seen: { result?: Result; error?: unknown } = {}
    const done = requests.ask('tools/call', params, timeoutMs, options).then(
      (result) => {
        seen.result = result
      },
      (error: unknown) => {
        seen.error = error
      },
    )
    return { seen, done }
  }
  const say = (message: Record<string, unknown>) => requests.receive({ jsonrpc: '2.0', ...message } as JsonRpcMessage)
  const progress = (progressToken: unknown, more: Record<string, unknown> = { progress: 1 }) =>
    say({ method: 'notifications/progress', params: { progressToken, ...more } })
  const evidence = (error: unknown) => (error instanceof WireError ? error.evidence : error)
  return { wire, clock, requests, ask, say, progress, evidence }
}

describe('a request', () => {
  it('ends as malformed by an error that is none', async () => {
    const { ask, say, evidence, clock } = made()
    const [good, bad] = [ask(), ask()]
    say({ id: 1, result: { is: 'one' }, error: undefined })
    say({ id: 2, error: undefined })
    await Promise.all([good.done, bad.done])
    expect(evidence(good.seen.error)).toMatchObject({ kind: 'malformed' })
    expect(evidence(bad.seen.error)).toMatchObject({ kind: 'malformed' })
    expect(clock.timers).toBe(0)
  })

  it('is answered under its number, also where that comes as text, and once', async () => {
    const { wire, requests, ask, say, clock } = made(40)
    const [one, two] = [ask({}, 1_000, { name: 'x' }), ask()]
    expect(wire.sent).toEqual([
      { jsonrpc: '2.0', id: 40, method: 'tools/call', params: { name: 'x' } },
      { jsonrpc: '2.0', id: 41, method: 'tools/call' },
    ])
    say({ id: '41', result: { is: 'two' } })
    say({ id: 40, result: { is: 'one' } })
    say({ id: 40, result: { is: 'late' } })
    await Promise.all([one.done, two.done])
    expect([one.seen, two.seen]).toEqual([{ result: { is: 'one' } }, { result: { is: 'two' } }])
    expect(requests.nextId).toBe(42)
    expect(clock.timers).toBe(0)
  })

  it('of an earlier link, or of nobody, is answered to nobody', async () => {
    const { ask, say, progress } = made(1)
    const { seen, done } = ask({ onProgress: () => expect.unreachable() })
    for (const id of [0, 2, -1, '', 'x', null, true, {}]) {
      say({ id, result: {} })
      say({ id, error: { code: 1, message: 'late' } })
      progress(id)
    }
    say({ id: 1, result: { is: 'it' } })
    await done
    expect(seen).toEqual({ result: { is: 'it' } })
  })

  it('that the server refuses tells its error, and shows it without what is secret', async () => {
    const { ask, say, evidence } = made()
    const { seen, done } = ask()
    say({ id: 1, error: { code: -32001, message: 'no hush', data: { a: 1 } } })
    await done
    expect(evidence(seen.error)).toMatchObject({ kind: 'rpc', sent: true, rpc: { code: -32001, data: { a: 1 } } })
    expect(JSON.stringify(evidence(seen.error))).not.toContain('hush')
  })

  it.each([
    ['a result that is none', { result: { bad: 1 } }],
    ['an error without a code', { error: { message: 'no' } }],
    ['an error with a code that is no number', { error: { code: 'E', message: 'no' } }],
    ['an error without a message', { error: { code: 1 } }],
  ])('that is answered with %s is told so', async (_, answer) => {
    const { ask, say, evidence } = made()
    const { seen, done } = ask()
    say({ id: 1, ...answer })
    await done
    expect(evidence(seen.error)).toMatchObject({ kind: 'malformed', method: 'tools/call', wire: 'custom' })
  })

  it('that the wire fails tells the wire’s evidence', async () => {
    const { ask, requests, evidence } = made()
    const { seen, done } = ask()
    const told = { kind: 'network', wire: 'http', summary: 'gone', sent: false } as const
    requests.receive(failureResponse(1, told))
    await done
    expect(evidence(seen.error)).toBe(told)
  })

  it('that cannot be given to the wire fails with it', async () => {
    const { ask, wire, clock } = made()
    const refused = new WireError({ kind: 'closed', wire: 'custom', summary: 'no' })
    wire.send = () => Promise.reject(refused)
    const { seen, done } = ask()
    await done
    expect(seen.error).toBe(refused)
    expect(clock.timers).toBe(0)
  })

  it('fails when the link is closed, and when it is asked after', async () => {
    const { ask, requests, evidence, clock } = made()
    const before = ask()
    requests.close()
    const after = ask()
    await Promise.all([before.done, after.done])
    expect(evidence(before.seen.error)).toMatchObject({ kind: 'closed', summary: 'the link was closed' })
    expect(evidence(after.seen.error)).toMatchObject({ kind: 'closed', sent: false })
    expect(clock.timers).toBe(0)
  })
})

describe('its time', () => {
  it('ends it, and the server is told', async () => {
    const { ask, clock, wire, evidence } = made()
    const { seen, done } = ask()
    clock.increment(999)
    expect(wire.sent).toHaveLength(1)
    clock.increment(1)
    await done
    expect(evidence(seen.error)).toMatchObject({ kind: 'timeout', sent: true, afterMs: 1_000 })
    expect(wire.sent[1]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: 'no answer in time' },
    })
  })

  it('is not extended by progress where no bound was given', async () => {
    const { ask, clock, progress, evidence } = made()
    const heard: unknown[] = []
    const { seen, done } = ask({ onProgress: (one) => heard.push(one) })
    clock.increment(900)
    progress(1)
    clock.increment(100)
    await done
    expect(heard).toHaveLength(1)
    expect(evidence(seen.error)).toMatchObject({ kind: 'timeout', afterMs: 1_000 })
  })

  it('begins anew with each progress, up to the bound', async () => {
    const { ask, clock, progress, evidence, wire } = made()
    const { seen, done } = ask({ maxTotalMs: 2_500 })
    for (let n = 0; n < 2; n++) {
      clock.increment(900)
      progress(1)
    }
    clock.increment(699)
    expect(wire.sent).toHaveLength(1)
    clock.increment(1)
    await done
    expect(evidence(seen.error)).toMatchObject({ kind: 'timeout', afterMs: 2_500 })
  })

  it('ends between two progresses that are too far apart', async () => {
    const { ask, clock, progress, evidence } = made()
    const { seen, done } = ask({ maxTotalMs: 60_000 })
    clock.increment(500)
    progress('1')
    clock.increment(1_000)
    await done
    expect(evidence(seen.error)).toMatchObject({ afterMs: 1_000 })
  })

  it('is shorter for the first progress where some of it is spent, and whole after that', async () => {
    const { ask, clock, progress, evidence } = made()
    const late = ask({ firstMs: 100, maxTotalMs: 60_000 })
    clock.increment(100)
    await late.done
    expect(evidence(late.seen.error)).toMatchObject({ afterMs: 1_000 })
    const { seen, done } = ask({ firstMs: 100, maxTotalMs: 60_000 })
    clock.increment(99)
    progress(2)
    clock.increment(999)
    expect(seen).toEqual({})
    clock.increment(1)
    await done
    expect(evidence(seen.error)).toMatchObject({ afterMs: 1_000 })
  })

  it('that no timer can hold is as long as one can', () => {
    const { ask, clock } = made()
    const { seen } = ask({}, Number.MAX_SAFE_INTEGER)
    clock.increment(2 ** 31 - 2)
    expect(seen).toEqual({})
  })
})

describe('progress', () => {
  it('is asked for by the number of the request, beside what the caller says', () => {
    const { ask, wire } = made(7)
    const params = { name: 'x', _meta: { trace: 'y', progressToken: 'mine' } }
    ask({ onProgress() {} }, 1_000, params)
    ask({ maxTotalMs: 5 })
    ask({}, 1_000, params)
    expect(wire.sent).toMatchObject([
      { params: { name: 'x', _meta: { trace: 'y', progressToken: 7 } } },
      { params: { _meta: { progressToken: 8 } } },
      { params: { name: 'x', _meta: { trace: 'y', progressToken: 'mine' } } },
    ])
    expect(params._meta.progressToken).toBe('mine')
  })

  it('is heard before an answer that comes with it, and as the protocol has it (report 03.06)', async () => {
    const { ask, say, progress } = made()
    const heard: unknown[] = []
    const { seen, done } = ask({ onProgress: (one) => heard.push(one) })
    progress(1, { progress: 1, total: 3, message: 'so far', other: true })
    progress(1, { progress: 'x' })
    progress(1, { progress: 2, total: 'x', message: null })
    say({ id: 1, result: {} })
    progress(1)
    await done
    expect(heard).toEqual([{ progress: 1, total: 3, message: 'so far' }, { progress: 2 }])
    expect(seen.result).toEqual({})
  })

  it('that a listener cannot bear costs nothing', async () => {
    const { ask, say, progress } = made()
    const { seen, done } = ask({
      onProgress() {
        throw new Error('no')
      },
    })
    progress(1)
    say({ id: 1, result: {} })
    await done
    expect(seen.result).toEqual({})
  })
})

describe('a signal', () => {
  it('whose reason cannot be written takes a request back all the same', async () => {
    const { ask, wire } = made()
    const control = new AbortController()
    const { seen, done } = ask({ signal: control.signal })
    const reason = Object.create(null)
    control.abort(reason)
    await done
    expect(seen.error).toBe(reason)
    expect(wire.of('notifications/cancelled')).toMatchObject([{ params: { requestId: 1, reason: 'aborted' } }])
  })

  it('takes a request back, with its reason, and the server is told', async () => {
    const { ask, wire, clock, say } = made()
    const control = new AbortController()
    const { seen, done } = ask({ signal: control.signal })
    control.abort(new Error('enough'))
    say({ id: 1, result: {} })
    await done
    expect(seen.error).toBe(control.signal.reason)
    expect(wire.sent[1]).toMatchObject({ params: { requestId: 1, reason: 'Error: enough' } })
    expect(clock.timers).toBe(0)
  })

  it('that was aborted before lets nothing out', async () => {
    const { ask, wire } = made()
    const { seen, done } = ask({ signal: AbortSignal.abort('no') })
    await done
    expect(seen.error).toBe('no')
    expect(wire.sent).toEqual([])
  })

  it('keeps no listener of a request that is settled (trap 18)', async () => {
    const { ask, say } = made()
    const { signal } = new AbortController()
    let listeners = 0
    signal.addEventListener = () => void listeners++
    signal.removeEventListener = () => void listeners--
    const { done } = ask({ signal })
    expect(listeners).toBe(1)
    say({ id: 1, result: {} })
    await done
    expect(listeners).toBe(0)
  })
})
