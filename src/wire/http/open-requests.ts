/** The requests of ours that are unanswered, and whatever comes in: each is settled exactly once. */
import type { WireEvidence } from '../../../machines/evidence.js'
import { failureResponse } from '../failure.js'
import { isMessage, type JsonRpcId, type JsonRpcMessage } from '../messages.js'
import type { OpenRequest } from './core.js'
import type { PendingRequest } from './pending-request.js'

/** What the requests need of their wire. */
export interface OpenRequestsOwner {
  /** Hands a message on; must not throw. */
  hand(message: JsonRpcMessage): void
  /** `initialize` was answered with a result. */
  initialized(request: PendingRequest, result: Record<string, unknown>): void
  noise(text: string): void
  /** No answer can come on a listening stream. */
  readonly postOnly: boolean
}

export class OpenRequests {
  readonly #owner: OpenRequestsOwner
  readonly #pending = new Map<JsonRpcId, PendingRequest>()
  /** Accepted without an answer: it can only come on the listening stream. */
  readonly #parked = new Set<PendingRequest>()

  constructor(owner: OpenRequestsOwner) {
    this.#owner = owner
  }

  get size(): number {
    return this.#pending.size
  }

  has(id: JsonRpcId): boolean {
    return this.#pending.has(id)
  }

  add(request: PendingRequest): void {
    this.#pending.set(request.id, request)
  }

  /** Takes a request out without an answer; `undefined` when it is not open. */
  forget(id: unknown): PendingRequest | undefined {
    const request = typeof id === 'string' || typeof id === 'number' ? this.#pending.get(id) : undefined
    if (request) this.#takeOut(request)
    return request
  }

  /** Answers all of them: the wire is gone. */
  closeAll(): void {
    for (const request of [...this.#pending.values()]) {
      const evidence = request.closedEvidence()
      request.abandon()
      this.#settle(request, failureResponse(request.id, evidence))
    }
  }

  /** `from`: the request on whose reply the value stood. */
  receive(value: unknown, from?: OpenRequest): void {
    if (Array.isArray(value)) {
      for (const one of value) this.receive(one, from)
    } else if (!isMessage(value)) this.#receiveNonsense(value, from)
    else if ('method' in value) this.#owner.hand(value)
    else this.#receiveResponse(value, from)
  }

  refuse(request: OpenRequest, evidence: WireEvidence): void {
    const pending = this.#own(request)
    if (pending) this.#settle(pending, failureResponse(pending.id, evidence))
  }

  park(request: OpenRequest): void {
    const pending = this.#own(request)
    if (!pending) return
    this.#parked.add(pending)
    if (this.#owner.postOnly) this.refuseParked()
  }

  refuseParked(): void {
    for (const request of [...this.#parked]) {
      this.refuse(request, request.malformed('accepted without an answer, and no listening stream to answer on'))
    }
  }

  #receiveResponse(value: Exclude<JsonRpcMessage, { method: string }>, from: OpenRequest | undefined): void {
    const request = this.#requestOf(value.id, from)
    if (request === undefined) {
      this.#owner.noise(value.id == null ? 'an error for no request' : 'a response to an unknown id')
      return
    }
    if ('result' in value && request.method === 'initialize') this.#owner.initialized(request, value.result)
    this.#settle(request, value.id === request.id ? value : { ...value, id: request.id })
  }

  /**
   * Which request a response is for. An error without an id, on the reply to a request, can only be for that one (SDK
   * trap 25); some servers write a number as a string (report 07.03).
   */
  #requestOf(id: JsonRpcId | null | undefined, from: OpenRequest | undefined): PendingRequest | undefined {
    if (id === null || id === undefined) return from && this.#own(from)
    return this.#pending.get(id) ?? (typeof id === 'string' ? this.#pending.get(Number(id)) : undefined)
  }

  #receiveNonsense(value: unknown, from: OpenRequest | undefined): void {
    const request = from && this.#own(from)
    const meant = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined
    if (request && meant === request.id) this.refuse(request, request.malformed('no JSON-RPC response'))
    else if (value !== null) this.#owner.noise('a value that is no JSON-RPC message')
  }

  /** The request itself, unless it was settled; its id may have been given to another one since. */
  #own(request: OpenRequest): PendingRequest | undefined {
    const pending = this.#pending.get(request.id)
    return pending === request ? pending : undefined
  }

  #settle(request: PendingRequest, answer: JsonRpcMessage): void {
    this.#takeOut(request)
    request.finish()
    this.#owner.hand(answer)
  }

  #takeOut(request: PendingRequest): void {
    this.#pending.delete(request.id)
    this.#parked.delete(request)
    request.settled = true
  }
}
