import { clampDelay } from '../../machines/backoff.js'
import type { RpcEvidence, WireEvidence } from '../../machines/evidence.js'
import { type Fault, wantsScope } from '../../machines/faults.js'
import { type Clock, elapsed, type Random } from '../clock.js'
import { CallRefusedError, CallTimeoutError, OutcomeUnknownError, QueueFullError, RpcError } from '../errors.js'
import type { Result } from '../protocol.js'
import { answeredError, evidenceOf } from '../wire/failure.js'
import { mayReplay, type Replay } from './replay.js'

/** Options of one call. */
export interface CallOptions {
  /** Time for everything: waiting for the connection, and for the answer. In milliseconds; default `policy.timeouts.callMs`. */
  readonly timeoutMs?: number
  /**
   * Progress of the server extends the time for the answer, up to this bound, in milliseconds. Default: it does not. No
   * call takes longer than this, whatever `timeoutMs` says.
   */
  readonly maxTotalMs?: number
  /**
   * When the work began that this call is a part of, by the monotonic time of the connection's clock (`performance.now()`
   * where no clock was given): its time counts from then on. Default: now.
   */
  readonly since?: number
  /** Ends the call; rejects with the signal's reason. Touches no other call. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: { progress: number; total?: number; message?: string }) => void
  /**
   * What to do when the connection broke after the request had been sent. `auto` (default): send it again only if it is
   * read-only by the protocol, or by the word of a trusted server. `always`: the caller knows that it is safe. `never`.
   */
  readonly replay?: Replay
}

/** Hears how a call ended. */
export type CallEnd = (outcome: { readonly result: Result } | { readonly error: unknown }) => void

/** Hears of each call as it is made, and by what it returns of its end. For metrics and traces; it changes nothing. */
export type CallObserver = (call: {
  readonly method: string
  readonly params: Record<string, unknown> | undefined
}) => CallEnd | undefined

/** What a link has to know of a call; `firstMs`: for its answer or its first progress, where some of its time is spent. */
type LeftOptions = Pick<CallOptions, 'maxTotalMs' | 'signal' | 'onProgress'> & { readonly firstMs?: number }

/** A link as calls see it. */
export interface Requester {
  readonly generation: number
  /** Rejects with what bears evidence, or with the reason of the caller's signal. */
  request(
    method: string,
    params: Record<string, unknown> | undefined,
    timeoutMs: number,
    options: LeftOptions,
  ): Promise<Result>
}

/** What calls need of the connection they belong to. */
export interface CallHost {
  readonly name: string
  readonly clock: Clock
  readonly random: Random
  readonly queueLimit: number
  readonly callMs: number
  /** The link, when it is usable. */
  requester(): Requester | undefined
  /** Why calls are refused at once, when they are. */
  refusal(): Error | undefined
  /** The last fault, for calls that waited in vain. */
  lastFault(): Fault | undefined
  /** Why calls wait in vain, when it is a person that is waited for. */
  loginRequired(fault?: Fault): Error | undefined
  /** Of a call that was refused for lack of scope: more is being asked for, or is had by now, or will not be. */
  scopeFor(fault: Fault): 'awaited' | 'had' | 'none'
  judge(evidence: WireEvidence): Fault
  /** Tells the chart of a fault met by a call, or of a suspicion. */
  report(fault: Fault, generation: number): void
  /** Edges: the first call waits; none waits any more. */
  demand(raised: boolean): void
  /** What the server says of a tool, if it is trusted. */
  isReplayable(method: string, params: Record<string, unknown> | undefined): boolean
}

/** A refused request is sent again at most so often. */
const MAX_REPLAYS = 2

/** One call: what was asked, until when, and how often it was sent again. */
interface Call {
  readonly method: string
  readonly params: Record<string, unknown> | undefined
  readonly options: CallOptions
  readonly timeoutMs: number
  readonly begunAt: number
  replays: number
  /** Some of its time was spent before it was sent. */
  waited: boolean
  /** Why nobody knows whether it ran, if it was sent before: what is told of it in the end has to say so. */
  unknown?: Fault
  /** The application has not disconnected since. */
  readonly epoch: number
}

/** A call that waits for the connection. */
interface Waiting {
  /** For the connection; otherwise because the server asked for time, or for more scope. */
  readonly queued: boolean
  /** For more scope: what it was refused with. */
  readonly scope?: Fault
  /** Takes it out of the queue and lets it go on. */
  readonly go: () => void
  readonly refuse: (error: unknown) => void
}

/**
 * The calls of one connection. Each settles exactly once and by its deadline. While the link is usable a call goes
 * straight to it; otherwise it waits in a bounded queue. The chart is not on the way: it hears of faults and demand.
 */
export class Calls {
  readonly #host: CallHost
  /** Calls that wait, for the connection or because the server asked for time. Made for the first; most need none. */
  #held: Set<Waiting> | undefined
  /** How many of them wait for the connection. */
  #queued = 0
  #epoch = 0
  /** How many of them wait for more scope. */
  #scoped = 0
  #made = 0
  /** While nobody observes, a call pays one look for it. */
  #observers: readonly CallObserver[] | undefined

  constructor(host: CallHost) {
    this.#host = host
  }

  /** Calls that wait for the connection. */
  get waiting(): number {
    return this.#queued
  }

  /** Calls that were made so far. */
  get made(): number {
    return this.#made
  }

  /** @returns what ends it */
  observe(observer: CallObserver): () => void {
    this.#observers = [...(this.#observers ?? []), observer]
    return () => {
      const left = this.#observers?.filter((one) => one !== observer) ?? []
      this.#observers = left.length > 0 ? left : undefined
    }
  }

  /** `R`: what the protocol says the method returns; it is not checked here. */
  call<R extends Result = Result>(
    method: string,
    params: Record<string, unknown> | undefined,
    options: CallOptions = {},
  ): Promise<R> {
    const { signal, timeoutMs = this.#host.callMs } = options
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (!isDuration(timeoutMs) || !isDuration(options.maxTotalMs ?? 0)) {
      return Promise.reject(new TypeError(`${method}: timeoutMs and maxTotalMs are milliseconds from 0, as numbers.`))
    }
    const now = elapsed(this.#host.clock)
    const { since: begunAt = now } = options
    const fresh = { replays: 0, waited: begunAt < now, epoch: this.#epoch }
    const call: Call = { method, params, options, timeoutMs, begunAt, ...fresh }
    this.#made += 1
    const observers = this.#observers
    return (observers ? this.#observed(call, observers) : this.#place(call)) as Promise<R>
  }

  /** As they are now, since whoever goes leaves the set. */
  get #waiting(): readonly Waiting[] {
    return this.#held ? [...this.#held] : []
  }

  /** The link became usable: everything that waits goes out, in order. */
  flush(): void {
    for (const waiting of this.#waiting) {
      if (!this.#host.requester()) return
      if (waiting.queued) waiting.go()
    }
  }

  /** The connection stopped: everything that waits is refused. */
  refuse(error: Error): void {
    this.#epoch += 1
    for (const waiting of this.#waiting) waiting.refuse(error)
  }

  #observed(call: Call, observers: readonly CallObserver[]): Promise<Result> {
    const ends = observers.flatMap((observer) => quietly(() => observer(call)) ?? [])
    const end = (outcome: Parameters<CallEnd>[0]) => {
      for (const each of ends) quietly(() => each(outcome))
    }
    const placed = this.#place(call)
    placed.then(
      (result) => end({ result }),
      (error: unknown) => end({ error }),
    )
    return placed
  }

  #place(call: Call): Promise<Result> {
    const requester = this.#host.requester()
    if (requester) return this.#send(call, requester)
    const refusal = this.#host.refusal()
    return refusal ? Promise.reject(refusal) : this.#wait(call)
  }

  #send(call: Call, requester: Requester): Promise<Result> {
    const options = call.waited ? this.#timeLeft(call) : call.options
    return requester
      .request(call.method, call.params, call.timeoutMs, options)
      .catch((failure: unknown) => this.#afterFailure(call, failure, requester))
  }

  /** A call that waited has less time left for its answer or its first progress, and in all. */
  #timeLeft({ begunAt, timeoutMs, options }: Call): LeftOptions {
    const spent = elapsed(this.#host.clock) - begunAt
    const left = (ms: number) => Math.max(1, ms - spent)
    const { maxTotalMs } = options
    return { ...options, firstMs: left(timeoutMs), ...(maxTotalMs !== undefined && { maxTotalMs: left(maxTotalMs) }) }
  }

  /** Goes again where that does no harm and may help, and rejects otherwise. */
  #afterFailure(call: Call, failure: unknown, requester: Requester): Promise<Result> {
    const { signal } = call.options
    if (signal?.aborted) throw signal.reason
    const evidence = evidenceOf(failure)
    if (evidence === undefined) throw failure
    const fault = this.#host.judge(evidence)
    this.#host.report(fault, requester.generation)
    if (fault.delivery === 'unknown') call.unknown ??= fault
    if (!this.#goesAgain(call, fault)) throw asError(call, fault, answeredError(evidence))
    call.replays++
    call.waited = true
    if (wantsScope(fault)) return this.#awaitScope(call, fault)
    return fault.scope === 'link' ? this.#place(call) : this.#pause(call, fault)
  }

  /** Only what time or a new link may cure is sent again, where it does no harm and before its own time is over. */
  #goesAgain(call: Call, fault: Fault): boolean {
    // What was under way at a disconnect must not start the connection again.
    if (call.epoch !== this.#epoch) return false
    if (call.replays >= MAX_REPLAYS || fault.class === 'permanent' || isFinalAnswer(fault)) return false
    const isHarmless = () => this.#host.isReplayable(call.method, call.params)
    if (!mayReplay(fault.delivery, call.options.replay ?? 'auto', isHarmless)) return false
    const pauseMs = fault.scope === 'link' ? 0 : pauseOf(fault) * 1.1
    return elapsed(this.#host.clock) + pauseMs < deadlineOf(call)
  }

  /** More scope was asked for: whoever waited for it goes on, or is told that there is none. */
  scopeSettled(): void {
    if (this.#scoped === 0) return
    for (const waiting of this.#waiting) {
      if (!waiting.scope) continue
      const scope = this.#host.scopeFor(waiting.scope)
      if (scope === 'had') waiting.go()
      else if (scope === 'none') waiting.refuse(undefined)
    }
  }

  /** Waits until the credential has more scope; all other calls go on (promise P14). */
  #awaitScope(call: Call, fault: Fault): Promise<Result> {
    const scope = this.#host.scopeFor(fault)
    if (scope === 'had') return this.#place(call)
    if (scope === 'none') throw asError(call, fault, undefined)
    const late = () => this.#host.loginRequired(fault) ?? asError(call, fault, undefined)
    return this.#hold(
      call,
      false,
      deadlineOf(call) - elapsed(this.#host.clock),
      (waiting) => waiting.refuse(late()),
      fault,
    )
  }

  /** Serves the time that the server asked for, and a share of it more, since others were told the same. */
  #pause(call: Call, fault: Fault): Promise<Result> {
    const ms = pauseOf(fault) * (1 + this.#host.random() / 10)
    return this.#hold(call, false, ms, (waiting) => waiting.go())
  }

  /** Waits for the connection, until the call's deadline. */
  #wait(call: Call): Promise<Result> {
    const { name, queueLimit, clock } = this.#host
    if (this.#queued >= queueLimit) {
      const { unknown } = call
      return Promise.reject(
        unknown ? new OutcomeUnknownError(call.method, unknown) : new QueueFullError(name, queueLimit),
      )
    }
    call.waited = true
    const held = this.#hold(call, true, deadlineOf(call) - elapsed(clock), (waiting) => {
      const mayHaveRun = call.unknown !== undefined
      const late = new CallTimeoutError(call.method, timeOf(call), mayHaveRun, this.#host.lastFault())
      waiting.refuse(mayHaveRun ? late : (this.#host.loginRequired() ?? late))
    })
    if (this.#queued === 1) this.#host.demand(true)
    return held
  }

  /** Keeps a call until it is let go or refused; after the time, what is due is done. */
  #hold(call: Call, queued: boolean, ms: number, due: (waiting: Waiting) => void, scope?: Fault): Promise<Result> {
    const { clock } = this.#host
    const { signal } = call.options
    return new Promise<Result>((resolve, reject) => {
      const leave = () => {
        clock.clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        if (!this.#held?.delete(waiting)) return
        if (scope) this.#scoped -= 1
        if (!queued) return
        this.#queued -= 1
        if (this.#queued === 0) this.#host.demand(false)
      }
      const waiting: Waiting = {
        queued,
        ...(scope && { scope }),
        go: () => {
          leave()
          resolve(this.#place(call))
        },
        refuse: (error) => {
          leave()
          reject(error ?? (scope && asError(call, scope, undefined)))
        },
      }
      const onAbort = () => waiting.refuse(signal?.reason)
      const timer: unknown = clock.setTimeout(() => due(waiting), clampDelay(ms))
      signal?.addEventListener('abort', onAbort)
      this.#held ??= new Set()
      this.#held.add(waiting)
      if (queued) this.#queued += 1
      if (scope) this.#scoped += 1
    })
  }
}

/** An observer that throws must not take a call along. */
function quietly<T>(observe: () => T): T | undefined {
  try {
    return observe()
  } catch {
    return undefined
  }
}

/** How long a call may wait for the connection, and for being sent again: progress has extended nothing there. */
const timeOf = ({ timeoutMs, options }: Call): number => Math.min(timeoutMs, options.maxTotalMs ?? timeoutMs)

const deadlineOf = (call: Call): number => call.begunAt + timeOf(call)

/**
 * How long a server is left alone before it is asked again, in milliseconds: as long as it said, a second where it
 * answered that it cannot, a moment where an answer was lost.
 */
const pauseOf = ({ retryAfterMs, evidence }: Fault): number =>
  Math.max(retryAfterMs ?? (evidence.http ? 1_000 : 100), 100)

/** A JSON-RPC error is the answer, even when it came with an HTTP error; only a refusal may be asked to think again. */
const isFinalAnswer = ({ evidence, scope, delivery }: Fault): boolean =>
  evidence.rpc !== undefined && scope === 'call' && delivery === 'unknown'

const isDuration = (ms: unknown): boolean => typeof ms === 'number' && ms >= 0

function asError(call: Call, fault: Fault, answered: RpcEvidence | undefined): Error {
  const { evidence } = fault
  if (evidence.kind === 'timeout') {
    // Of one that waited, the link knows the rest of its bound only.
    const { timeoutMs, options } = call
    const named = evidence.afterMs === timeoutMs ? timeoutMs : (options.maxTotalMs ?? timeoutMs)
    return new CallTimeoutError(call.method, named, true, fault)
  }
  if (evidence.rpc && fault.scope === 'call') return new RpcError(answered ?? evidence.rpc, fault)
  return call.unknown ? new OutcomeUnknownError(call.method, fault) : new CallRefusedError(call.method, fault)
}
