/** Signs of life: what counts as one, what is asked, and what a server does not answer (report 07.05). */
import { describe, expect, it } from 'vitest'
import { SimulatedClock } from 'xstate'
import { classify } from '../../machines/classify.js'
import type { WireEvidence } from '../../machines/evidence.js'
import { Errands } from '../../src/link/errands.js'
import type { Link } from '../../src/link/port.js'
import { isAnswer, Prober } from '../../src/link/prober.js'
import { evidenceOf, WireError } from '../../src/wire/failure.js'
import { FakeWire } from './fake-wire.js'

type Failure = Partial<WireEvidence> & Pick<WireEvidence, 'kind'>

const judged = (evidence: Failure) =>
  classify({ wire: 'http', method: 'ping', summary: '', sent: true, phase: 'ready', everReady: true, ...evidence })

const http = (status: number, rpc?: WireEvidence['rpc'], sessionSent = true): Failure => ({
  kind: 'http',
  sessionSent,
  http: { status, exchange: 'message' },
  ...(rpc && { rpc }),
})

function made() {
  const clock = new SimulatedClock()
  const wire = new FakeWire()
  const errands = new Errands(clock, 60_000)
  const asked: { thorough: boolean; signal: AbortSignal; answer(): void; fail(failure: Failure): void }[] = []
  const link = {
    wire,
    probe: (thorough: boolean, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        wire.pending += 1
        const settle = (how: () => void) => () => {
          wire.pending -= 1
          how()
        }
        signal.addEventListener(
          'abort',
          settle(() => reject(signal.reason)),
        )
        asked.push({
          thorough,
          signal,
          answer: settle(resolve),
          fail: (failure) =>
            settle(() => reject(new WireError({ wire: 'http', summary: '', sent: true, ...failure })))(),
        })
      }),
  }
  const judge = (error: unknown) => judged(evidenceOf(error) ?? { kind: 'thrown' })
  return { clock, wire, errands, asked, prober: new Prober(link as unknown as Link, clock, errands, judge) }
}

describe('a probe', () => {
  it('is a ping, and measures the time of its answer', async () => {
    const { clock, asked, prober } = made()
    const life = prober.ask()
    clock.increment(40)
    asked[0]?.answer()
    expect(await life).toEqual({ rttMs: 40 })
    expect(asked.map(({ thorough }) => thorough)).toEqual([false])
  })

  it('is not needed while a call is in flight (P17), but is while one is only being resumed', async () => {
    const { wire, asked, prober } = made()
    wire.pending = 1
    expect(await prober.ask()).toEqual({})
    wire.adrift = 1
    void prober.ask()
    expect(asked).toHaveLength(1)
  })

  it('that is unanswered is followed by a thorough one; the first answer ends both', async () => {
    const { asked, prober } = made()
    const [first, second] = [prober.ask(), prober.ask()]
    expect(asked.map(({ thorough }) => thorough)).toEqual([false, true])
    asked[1]?.answer()
    expect(await second).toMatchObject({ rttMs: 0 })
    expect(await first).toBeUndefined()
    expect(asked[0]?.signal.aborted).toBe(true)
  })

  it('is thorough from then on', async () => {
    const { asked, prober } = made()
    void prober.ask()
    const second = prober.ask()
    asked[1]?.answer()
    await second
    void prober.ask()
    expect(asked[2]?.thorough).toBe(true)
  })

  it('stays a ping when that is what was answered, if late', async () => {
    const { asked, prober } = made()
    const first = prober.ask()
    const second = prober.ask()
    asked[0]?.answer()
    expect(await first).toMatchObject({ rttMs: 0 })
    expect(await second).toBeUndefined()
    void prober.ask()
    expect(asked[2]?.thorough).toBe(false)
  })

  it('that is answered by something else than JSON-RPC is made thorough at once', async () => {
    const { asked, prober } = made()
    const life = prober.ask()
    asked[0]?.fail({ kind: 'malformed' })
    await new Promise(setImmediate)
    expect(asked[1]?.thorough).toBe(true)
    asked[1]?.answer()
    expect(await life).toBeDefined()
  })

  it.each([
    ['the session is gone', http(404, { code: -32001, message: 'Session not found' })],
    [
      'the server says so with 200',
      { kind: 'rpc', sessionSent: true, rpc: { code: -32600, message: 'Unknown session' } } as const,
    ],
    ['the credential is refused', http(401)],
    ['nobody listens', { kind: 'network', sent: false, errno: 'ECONNREFUSED' } as const],
  ])('fails when %s', async (_why, failure) => {
    const { asked, prober } = made()
    const life = prober.ask()
    asked[0]?.fail(failure)
    await expect(life).rejects.toBeInstanceOf(WireError)
    expect(asked).toHaveLength(1)
  })
})

describe('what counts as an answer', () => {
  it.each<[string, Failure, boolean]>([
    ['-32601', { kind: 'rpc', rpc: { code: -32601, message: 'Method not found' } }, true],
    ['-32600 of a server that has no ping', { kind: 'rpc', rpc: { code: -32600, message: 'Invalid request' } }, true],
    ['404 with -32601', http(404, { code: -32601, message: 'Method not found' }), true],
    ['500 with a JSON-RPC error', http(500, { code: -32603, message: 'boom' }), true],
    ['404 that names the session', http(404, { code: -32001, message: 'Session not found' }), false],
    ['a bare 404', http(404), false],
    ['a page of a proxy', http(502), false],
    ['an unreadable answer', { kind: 'malformed' }, false],
    ['a broken stream', { kind: 'stream', stream: 'reply' }, false],
  ])('%s: %o is %s', (_what, failure, expected) => {
    expect(isAnswer(judged(failure))).toBe(expected)
  })
})

describe('what the link asks for itself', () => {
  it('shows a busy server for as long as a call may take, and no longer, however often it is asked for', async () => {
    const { clock, wire, errands, asked, prober } = made()
    const never = () => new Promise<never>(() => {})
    void errands.run(never)
    wire.pending = 1
    clock.increment(59_000)
    expect(await prober.ask()).toEqual({})
    void errands.run(never)
    wire.pending = 2
    clock.increment(1_000)
    void prober.ask()
    expect(asked).toHaveLength(1)
  })

  it('counts anew from every answer, an error among them', async () => {
    const { clock, errands } = made()
    void errands.run(() => new Promise<never>(() => {}))
    clock.increment(59_000)
    const error = new WireError({ kind: 'rpc', wire: 'http', summary: '', rpc: { code: -32603, message: 'boom' } })
    await expect(errands.run(() => Promise.reject(error))).rejects.toBe(error)
    clock.increment(59_000)
    expect(errands.hopeless).toBe(0)
    clock.increment(1_000)
    expect(errands.hopeless).toBe(1)
  })
})
