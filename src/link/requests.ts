/** What we have asked of a server and what is not answered yet: each request settles once, and leaves nothing behind. */
import { MAX_DELAY_MS } from '../../machines/backoff.js'
import type { RpcEvidence, WireEvidence } from '../../machines/evidence.js'
import { type Clock, elapsed } from '../clock.js'
import type { Result } from '../protocol.js'
import { SparseMap } from '../sparse-map.js'
import { evidenceOf, keepAnswer, WireError } from '../wire/failure.js'
import { isResponse, type JsonRpcError, type JsonRpcMessage, type JsonRpcResult } from '../wire/messages.js'
import type { Wire } from '../wire/wire.js'
import type { Letters } from './letters.js'
import type { RequestOptions } from './port.js'
import { shownError } from './rpc-evidence.js'

/** What the requests of one link need of it. */
export interface RequestsHost {
  readonly wire: Wire
  readonly letters: Pick<Letters, 'send'>
  readonly clock: Clock
  /** What must not be shown, should the server repeat it. */
  readonly secrets: readonly string[]
  /** The result as the protocol has it; `undefined`: it is none. */
  read(method: string, result: unknown): Result | undefined
}

interface Open {
  readonly id: number
  readonly method: string
  readonly timeoutMs: number
  readonly options: RequestOptions
  readonly begunAt: number
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
  readonly onAbort: (() => void) | undefined
  timer: unknown
}

/**
 * The requests of ours on one link. The SDK's client has such a table too, but one that never takes its listener off a
 * signal (trap 18), hears of progress after the answer that came with it (report 03.06), looks at its bound only when
 * progress comes (report 07.06), numbers every session from 0 (trap 4), and checks each answer three times over.
 */
export class Requests {
  readonly #host: RequestsHost
  readonly #open = new SparseMap<number, Open>()
  #nextId: number
  #closed = false

  /** @param firstId ids never repeat within a session of the server */
  constructor(host: RequestsHost, firstId: number) {
    this.#host = host
    this.#nextId = firstId
  }

  /** The id that the next request will have. */
  get nextId(): number {
    return this.#nextId
  }

  /**
   * Rejects with a {@link WireError} that carries evidence, or with the reason of the caller's own signal.
   *
   * @param timeoutMs time for the answer, in milliseconds
   */
  ask(
    method: string,
    params: Record<string, unknown> | undefined,
    timeoutMs: number,
    options: RequestOptions,
  ): Promise<Result> {
    const { signal } = options
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (this.#closed) return Promise.reject(this.#notConnected(method))
    const { clock } = this.#host
    return new Promise((resolve, reject) => {
      const id = this.#nextId++
      const onAbort = signal && (() => this.#takeBack(open, signal.reason, signal.reason))
      const begunAt = elapsed(clock)
      const open: Open = { id, method, timeoutMs, options, begunAt, resolve, reject, onAbort, timer: undefined }
      this.#open.set(id, open)
      this.#arm(open, options.firstMs ?? timeoutMs)
      if (onAbort) signal.addEventListener('abort', onAbort)
      this.#host.wire.send(written(open, params)).catch((error: unknown) => {
        if (this.#settle(open)) reject(error)
      })
    })
  }

  /** An answer to one of these, or its progress; anything else is not for us. Must not throw. */
  receive(message: JsonRpcMessage): void {
    if (isResponse(message)) this.#answer(message)
    else if ('method' in message && message.method === 'notifications/progress') this.#progress(message.params ?? {})
  }

  /** Nothing is answered any more. */
  close(): void {
    this.#closed = true
    for (const open of this.#open.values()) {
      this.#settle(open)
      open.reject(this.#failed(open, { kind: 'closed', summary: 'the link was closed' }))
    }
  }

  #answer(message: JsonRpcResult | JsonRpcError): void {
    const open = this.#open.get(idOf(message.id))
    if (open === undefined) return
    this.#settle(open)
    try {
      const result = 'error' in message ? this.#refused(open, message.error) : this.#read(open, message.result)
      if (result instanceof WireError) open.reject(result)
      else open.resolve(result)
    } catch {
      // A transport of the application's may bring anything.
      open.reject(malformed(this.#host.wire, open.method))
    }
  }

  #read({ method }: Open, result: unknown): Result | WireError {
    return this.#host.read(method, result) ?? malformed(this.#host.wire, method)
  }

  /** Only a request with a progress token gets progress, and only a bound lets progress extend its time (report 07.06). */
  #progress({ progressToken, progress, total, message }: Record<string, unknown>): void {
    const open = this.#open.get(idOf(progressToken))
    if (open === undefined || typeof progress !== 'number') return
    const { onProgress, maxTotalMs } = open.options
    if (maxTotalMs !== undefined) {
      this.#host.clock.clearTimeout(open.timer)
      this.#arm(open, open.timeoutMs)
    }
    try {
      onProgress?.({
        progress,
        ...(typeof total === 'number' && { total }),
        ...(typeof message === 'string' && { message }),
      })
    } catch {
      // A listener that throws must not cost the answer.
    }
  }

  /** Sets the timer: so long, but not beyond the bound. */
  #arm(open: Open, ms: number): void {
    const { clock } = this.#host
    const { maxTotalMs } = open.options
    const total = maxTotalMs === undefined ? MAX_DELAY_MS : open.begunAt + maxTotalMs - elapsed(clock)
    const bounded = Math.min(ms, total, MAX_DELAY_MS)
    const afterMs = maxTotalMs !== undefined && total <= ms ? maxTotalMs : open.timeoutMs
    open.timer = clock.setTimeout(() => {
      const summary = `${open.method} was not answered within ${afterMs} ms`
      this.#takeBack(open, 'no answer in time', this.#failed(open, { kind: 'timeout', sent: true, afterMs, summary }))
    }, bounded)
  }

  /** We wait no longer, and the server need not go on. */
  #takeBack(open: Open, reason: unknown, error: unknown): void {
    if (!this.#settle(open)) return
    open.reject(error)
    const params = { requestId: open.id, reason: textOf(reason) }
    this.#host.letters.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {})
  }

  #settle(open: Open): boolean {
    if (!this.#open.delete(open.id)) return false
    this.#host.clock.clearTimeout(open.timer)
    if (open.onAbort) open.options.signal?.removeEventListener('abort', open.onAbort)
    return true
  }

  #refused(open: Open, error: JsonRpcError['error']): WireError {
    const known = evidenceOf({ data: error.data })
    if (known) return new WireError(known)
    return refusedBy(this.#host, open.method, error)
  }

  #notConnected(method: string): WireError {
    const wire = this.#host.wire.kind
    return new WireError({ kind: 'closed', wire, method, sent: false, summary: 'there is no link' })
  }

  #failed({ method }: Open, evidence: Pick<WireEvidence, 'kind' | 'summary' | 'sent' | 'afterMs'>): WireError {
    return new WireError({ wire: this.#host.wire.kind, method, ...evidence })
  }
}

/** A reason can be anything, also what cannot be written. */
function textOf(reason: unknown): string {
  try {
    return String(reason)
  } catch {
    return 'aborted'
  }
}

/** Some servers write a number as a string (report 07.03). */
export const idOf = (value: unknown): number =>
  typeof value === 'string' || typeof value === 'number' ? Number(value) : -1

/** The server's error as evidence; its texts are passed on but never judged. */
export function refusedBy(
  { wire, secrets }: Pick<RequestsHost, 'wire' | 'secrets'>,
  method: string,
  { code, message, data }: RpcEvidence,
): WireError {
  if (typeof code !== 'number' || typeof message !== 'string') return malformed(wire, method)
  const answer = { code, message, data }
  const rpc = shownError(answer, secrets)
  // On the older wire the stream is the session, and every request goes into it.
  const sessionSent = wire.sessionId !== undefined || wire.kind === 'sse'
  const summary = rpc.message
  return new WireError(
    keepAnswer({ kind: 'rpc', wire: wire.kind, method, sent: true, sessionSent, rpc, summary }, answer),
  )
}

export function malformed({ kind }: Wire, method: string, options?: ErrorOptions): WireError {
  const summary = `the answer to ${method} is malformed`
  return new WireError({ kind: 'malformed', wire: kind, method, summary }, options)
}

/** `params` are the caller's, and left as they are. */
function written({ id, method, options }: Open, params: Record<string, unknown> | undefined): JsonRpcMessage {
  if (options.onProgress === undefined && options.maxTotalMs === undefined)
    return params === undefined ? { method, jsonrpc: '2.0', id } : { method, params, jsonrpc: '2.0', id }
  const meta = { ...Object(params?._meta), progressToken: id }
  return { method, params: { ...params, _meta: meta }, jsonrpc: '2.0', id }
}
