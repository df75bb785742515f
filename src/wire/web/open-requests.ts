/** The requests of ours that are unanswered, and whatever comes in: each is settled exactly once. */
import type { WireEvidence } from '../../../machines/evidence.js'
import { SparseMap } from '../../sparse-map.js'
import { failureResponse } from '../failure.js'
import { isMessage, type JsonRpcId, type JsonRpcMessage } from '../messages.js'

/** One request of ours that is not answered yet. */
export interface Answerable {
  readonly id: JsonRpcId
  readonly method: string
  /** Answered, failed or forgotten: whatever still comes is not for it. */
  settled: boolean
  /** Settled by an answer: what is left of its exchange may end by itself. */
  finish(): void
  /** Forgotten or closed: nothing of it may go on. */
  abandon(): void
  /** Evidence that its answer is not one the protocol knows. */
  malformed(what: string): WireEvidence
}

/** What the requests need of their wire. */
export interface OpenRequestsOwner<R> {
  /** Hands a message on; must not throw. */
  hand(message: JsonRpcMessage): void
  /** `initialize` was answered with a result. */
  initialized?(request: R, result: Record<string, unknown>): void
  noise(text: string): void
}

/** Enough of a request to find it again. */
type Ref = Pick<Answerable, 'id'>

export class OpenRequests<R extends Answerable> {
  readonly #owner: OpenRequestsOwner<R>
  readonly #pending = new SparseMap<JsonRpcId, R>()
  #whenNone: (() => void)[] = []

  constructor(owner: OpenRequestsOwner<R>) {
    this.#owner = owner
  }

  get size(): number {
    return this.#pending.size
  }

  /** Calls back, once, when none is open any more; it must not throw. */
  whenNone(callback: () => void): void {
    if (this.#pending.size === 0) callback()
    else this.#whenNone.push(callback)
  }

  count(which: (request: R) => boolean): number {
    let count = 0
    for (const request of this.#pending.values()) if (which(request)) count++
    return count
  }

  has(id: JsonRpcId): boolean {
    return this.#pending.has(id)
  }

  add(request: R): void {
    this.#pending.set(request.id, request)
  }

  /** The request with this id, also when a server has written a number as a string (report 07.03). */
  find(id: unknown): R | undefined {
    if (typeof id === 'number') return this.#pending.get(id)
    return typeof id === 'string' ? (this.#pending.get(id) ?? this.#pending.get(Number(id))) : undefined
  }

  /** Takes a request out without an answer; `undefined` when it is not open. */
  forget(id: unknown): R | undefined {
    const request = typeof id === 'string' || typeof id === 'number' ? this.#pending.get(id) : undefined
    if (request) this.#takeOut(request)
    return request
  }

  /** Answers all of them: the wire is gone. */
  closeAll(evidence: (request: R) => WireEvidence): void {
    this.closeWhere(() => true, evidence)
  }

  /** Answers these, and nothing of them goes on: for them the wire is gone. */
  closeWhere(which: (request: R) => boolean, evidence: (request: R) => WireEvidence): void {
    for (const request of this.#pending.values().filter(which)) {
      const told = evidence(request)
      request.abandon()
      this.#settle(request, failureResponse(request.id, told))
    }
  }

  /** `from`: the request on whose reply the value stood. */
  receive(value: unknown, from?: Ref): void {
    if (Array.isArray(value)) {
      for (const one of value) this.receive(one, from)
    } else if (!isMessage(value)) this.#receiveNonsense(value)
    else if ('method' in value) this.#owner.hand(value)
    else this.#receiveResponse(value, from)
  }

  refuse(request: Ref, evidence: WireEvidence): void {
    const pending = this.#own(request)
    if (pending) this.#settle(pending, failureResponse(pending.id, evidence))
  }

  refuseWhere(which: (request: R) => boolean, evidence: (request: R) => WireEvidence): void {
    for (const request of this.#pending.values()) if (which(request)) this.refuse(request, evidence(request))
  }

  #receiveResponse(value: Exclude<JsonRpcMessage, { method: string }>, from: Ref | undefined): void {
    // An error without an id, on the reply to a request, can only be for that one (SDK trap 25).
    const request = value.id == null ? from && this.#own(from) : this.find(value.id)
    if (request === undefined) {
      this.#owner.noise(value.id == null ? 'an error for no request' : 'a response to an unknown id')
      return
    }
    if ('result' in value && request.method === 'initialize') this.#owner.initialized?.(request, value.result)
    this.#settle(request, value.id === request.id ? value : { ...value, id: request.id })
  }

  /** What bears the id of a request of ours can only be its answer, and no better one will come. */
  #receiveNonsense(value: unknown): void {
    const isAnswer = typeof value === 'object' && value !== null && 'id' in value && !('method' in value)
    const request = isAnswer ? this.find(value.id) : undefined
    if (request) this.refuse(request, request.malformed('no JSON-RPC response'))
    else if (value !== null) this.#owner.noise('a value that is no JSON-RPC message')
  }

  /** The request itself, unless it was settled; its id may have been given to another one since. */
  #own(request: Ref): R | undefined {
    const pending = this.#pending.get(request.id)
    return pending === request ? pending : undefined
  }

  #settle(request: R, answer: JsonRpcMessage): void {
    this.#takeOut(request)
    request.finish()
    this.#owner.hand(answer)
  }

  #takeOut(request: R): void {
    this.#pending.delete(request.id)
    request.settled = true
    if (this.#pending.size > 0 || this.#whenNone.length === 0) return
    const callbacks = this.#whenNone
    this.#whenNone = []
    for (const callback of callbacks) callback()
  }
}
