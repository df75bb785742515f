import type { WireEvidence } from '../../machines/evidence.js'
import type { Fault } from '../../machines/faults.js'
import type { Clock } from '../clock.js'
import { CallRefusedError, CallTimeoutError, OutcomeUnknownError, QueueFullError, RpcError } from '../errors.js'
import type { Result } from '../protocol.js'
import { evidenceOf } from '../wire/failure.js'
import { mayReplay, type Replay } from './replay.js'

/** Options of one call. */
export interface CallOptions {
  /** Time for everything: waiting for the connection, and for the answer. In milliseconds; default `policy.timeouts.callMs`. */
  readonly timeoutMs?: number
  /** Progress of the server extends the time for the answer, up to this bound, in milliseconds. Default: it does not. */
  readonly maxTotalMs?: number
  /** Ends the call; rejects with the signal's reason. Touches no other call. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: { progress: number; total?: number; message?: string }) => void
  /**
   * What to do when the connection broke after the request had been sent. `auto` (default): send it again only if it is
   * read-only by the protocol, or by the word of a trusted server. `always`: the caller knows that it is safe. `never`.
   */
  readonly replay?: Replay
}

/** A link as calls see it. */
export interface Requester {
  readonly generation: number
  request(
    method: string,
    params: Record<string, unknown> | undefined,
    options: { timeoutMs: number; maxTotalMs?: number; signal?: AbortSignal; onProgress?: CallOptions['onProgress'] },
  ): Promise<Result>
}

/** What calls need of the connection they belong to. */
export interface CallHost {
  readonly name: string
  readonly clock: Clock
  readonly queueLimit: number
  readonly callMs: number
  /** The link, when it is usable. */
  requester(): Requester | undefined
  /** Why calls are refused at once, when they are. */
  refusal(): Error | undefined
  /** The last fault, for calls that waited in vain. */
  lastFault(): Fault | undefined
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

class Call {
  replays = 0
  readonly settled: Promise<Result>
  resolve!: (result: Result) => void
  reject!: (error: unknown) => void
  /** Takes the call out of the queue: its deadline, its abort listener. */
  unqueue: (() => void) | undefined

  readonly method: string
  readonly params: Record<string, unknown> | undefined
  readonly options: CallOptions
  readonly timeoutMs: number
  readonly deadline: number

  constructor(method: string, params: Record<string, unknown> | undefined, options: CallOptions, host: CallHost) {
    this.method = method
    this.params = params
    this.options = options
    this.timeoutMs = options.timeoutMs ?? host.callMs
    this.deadline = host.clock.now() + this.timeoutMs
    this.settled = new Promise<Result>((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }
}

/**
 * The calls of one connection. Each settles exactly once and by its deadline. While the link is usable a call goes
 * straight to it; otherwise it waits in a bounded queue. The chart is not on the way: it hears of faults and demand.
 */
export class Calls {
  readonly #host: CallHost
  readonly #queue = new Set<Call>()

  constructor(host: CallHost) {
    this.#host = host
  }

  /** Calls that wait for the connection. */
  get waiting(): number {
    return this.#queue.size
  }

  call(method: string, params: Record<string, unknown> | undefined, options: CallOptions = {}): Promise<Result> {
    if (options.signal?.aborted) return Promise.reject(options.signal.reason)
    const call = new Call(method, params, options, this.#host)
    this.#place(call)
    return call.settled
  }

  /** The link became usable: everything that waits goes out, in order. */
  flush(): void {
    for (const call of [...this.#queue]) {
      if (!this.#host.requester()) return
      this.#leaveQueue(call)
      this.#place(call)
    }
  }

  /** The connection stopped: everything that waits is refused. */
  refuse(error: Error): void {
    for (const call of [...this.#queue]) {
      this.#leaveQueue(call)
      call.reject(error)
    }
  }

  #place(call: Call): void {
    const requester = this.#host.requester()
    const refusal = requester ? undefined : this.#host.refusal()
    if (requester) this.#send(call, requester)
    else if (refusal) call.reject(refusal)
    else this.#enqueue(call)
  }

  #send(call: Call, requester: Requester): void {
    const { options } = call
    const timeoutMs = Math.max(1, call.deadline - this.#host.clock.now())
    const asked = requester.request(call.method, call.params, {
      timeoutMs,
      maxTotalMs: options.maxTotalMs,
      signal: options.signal,
      onProgress: options.onProgress,
    })
    asked.then(call.resolve, (error: unknown) => this.#onFailure(call, error, requester.generation))
  }

  #onFailure(call: Call, error: unknown, generation: number): void {
    const evidence = evidenceOf(error)
    if (!evidence) {
      call.reject(error)
      return
    }
    const fault = this.#host.judge(evidence)
    this.#host.report(fault, generation)
    if (this.#goesAgain(call, fault)) {
      call.replays++
      this.#place(call)
    } else call.reject(asError(call, fault))
  }

  /** Only what a cure can help is sent again: the link is made anew, or the server said that it did not run it. */
  #goesAgain(call: Call, fault: Fault): boolean {
    if (call.replays >= MAX_REPLAYS || fault.scope !== 'link' || fault.class === 'permanent') return false
    return mayReplay(fault.delivery, call.options.replay ?? 'auto', () =>
      this.#host.isReplayable(call.method, call.params),
    )
  }

  #enqueue(call: Call): void {
    const { name, queueLimit, clock } = this.#host
    if (this.#queue.size >= queueLimit) {
      call.reject(new QueueFullError(name, queueLimit))
      return
    }
    const { signal } = call.options
    const give = (error: () => unknown) => () => {
      this.#leaveQueue(call)
      call.reject(error())
    }
    const onAbort = give(() => signal?.reason)
    const onDeadline = give(() => new CallTimeoutError(call.method, call.timeoutMs, false, this.#host.lastFault()))
    const timer = clock.setTimeout(onDeadline, Math.max(0, call.deadline - clock.now()))
    signal?.addEventListener('abort', onAbort)
    call.unqueue = () => {
      clock.clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    this.#queue.add(call)
    if (this.#queue.size === 1) this.#host.demand(true)
  }

  #leaveQueue(call: Call): void {
    call.unqueue?.()
    call.unqueue = undefined
    if (this.#queue.delete(call) && this.#queue.size === 0) this.#host.demand(false)
  }
}

function asError(call: Call, fault: Fault): Error {
  const { evidence } = fault
  if (evidence.kind === 'timeout') return new CallTimeoutError(call.method, call.timeoutMs, true, fault)
  if (evidence.rpc && fault.scope === 'call') return new RpcError(evidence.rpc, fault)
  return fault.delivery === 'unknown'
    ? new OutcomeUnknownError(call.method, fault)
    : new CallRefusedError(call.method, fault)
}
