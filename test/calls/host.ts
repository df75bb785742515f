/** A connection as calls see it, made of plain values: a link that can be taken away, a clock that is driven. */
import { SimulatedClock } from 'xstate'
import { classify } from '../../machines/classify.js'
import type { WireEvidence } from '../../machines/evidence.js'
import type { Fault } from '../../machines/faults.js'
import { type CallHost, Calls, type Requester } from '../../src/calls/index.js'
import type { Clock } from '../../src/clock.js'
import type { Result } from '../../src/protocol.js'
import { WireError } from '../../src/wire/failure.js'

/** One request that left for the server; the test answers it. */
export interface Sent {
  readonly method: string
  readonly timeoutMs: number
  readonly options: Parameters<Requester['request']>[3]
  answer(result?: Result): void
  fail(evidence: Partial<WireEvidence> & Pick<WireEvidence, 'kind'>): void
}

/** Time of day and durations apart: the first can be set. */
class SettableClock implements Clock {
  readonly #time = new SimulatedClock()
  /** By how much somebody has set the time of day, in milliseconds. */
  setBy = 0

  now(): number {
    return this.#time.now() + this.setBy
  }
  monotonic(): number {
    return this.#time.now()
  }
  setTimeout(fn: () => void, ms: number): unknown {
    return this.#time.setTimeout(fn, ms)
  }
  clearTimeout(timer: number): void {
    this.#time.clearTimeout(timer)
  }
  increment(ms: number): void {
    this.#time.increment(ms)
  }
}

export class FakeHost implements CallHost {
  readonly name = 'test'
  readonly clock = new SettableClock()
  readonly calls = new Calls(this)
  readonly sent: Sent[] = []
  readonly reported: { fault: Fault; generation: number }[] = []
  /** Edges of demand, in order. */
  readonly demands: boolean[] = []
  queueLimit = 3
  callMs = 60_000
  usable = false
  refused: Error | undefined
  harmless = false
  login: Error | undefined
  scope: 'awaited' | 'had' | 'none' = 'none'
  #fault: Fault | undefined

  random(): number {
    return 0
  }

  requester(): Requester | undefined {
    if (!this.usable) return undefined
    return {
      generation: 1,
      request: (method, _params, timeoutMs, options) =>
        new Promise((resolve, reject) => {
          this.sent.push({
            method,
            timeoutMs,
            options,
            answer: (result = {}) => resolve(result),
            fail: (evidence) => reject(new WireError({ wire: 'http', summary: 'it failed', sent: true, ...evidence })),
          })
        }),
    }
  }

  refusal(): Error | undefined {
    return this.refused
  }

  loginRequired(): Error | undefined {
    return this.login
  }

  scopeFor(): 'awaited' | 'had' | 'none' {
    return this.scope
  }

  lastFault(): Fault | undefined {
    return this.#fault
  }

  judge(evidence: WireEvidence): Fault {
    this.#fault = classify({ ...evidence, phase: 'ready', everReady: true })
    return this.#fault
  }

  report(fault: Fault, generation: number): void {
    this.reported.push({ fault, generation })
    if (fault.scope === 'link') this.usable = false
  }

  demand(raised: boolean): void {
    this.demands.push(raised)
  }

  isReplayable(): boolean {
    return this.harmless
  }

  /** The link is (again) there. */
  open(): void {
    this.usable = true
    this.calls.flush()
  }
}

/** What became of a promise, to be looked at without waiting. */
export function watch<T>(promise: Promise<T>): { value?: T; error?: unknown; settled: number } {
  const seen: { value?: T; error?: unknown; settled: number } = { settled: 0 }
  promise.then(
    (value) => {
      seen.value = value
      seen.settled += 1
    },
    (error: unknown) => {
      seen.error = error
      seen.settled += 1
    },
  )
  return seen
}

/** Lets everything that was promised happen. */
export async function ticks(): Promise<void> {
  for (let n = 0; n < 20; n++) await Promise.resolve()
}
