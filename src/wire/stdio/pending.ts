import { SparseMap } from '../../sparse-map.js'
import type { JsonRpcId } from '../messages.js'
import type { Parcel } from './outbox.js'

/** One request of ours that is unanswered. */
export class OpenRequest implements Parcel {
  readonly method: string
  /** Whether any byte of it may have reached the server. */
  wasSent = false

  constructor(method: string) {
    this.method = method
  }

  sent(): void {
    this.wasSent = true
  }
}

/** The requests of ours that are unanswered, by id. */
export class Pending {
  readonly #open = new SparseMap<JsonRpcId, OpenRequest>()

  get size(): number {
    return this.#open.size
  }

  add(id: JsonRpcId, method: string): OpenRequest {
    const request = new OpenRequest(method)
    this.#open.set(id, request)
    return request
  }

  /** Takes out the request an answer belongs to. A server that turns the number 7 into "7" is understood. */
  take(id: JsonRpcId): OpenRequest | undefined {
    const request = this.#open.get(id)
    if (request) {
      this.#open.delete(id)
      return request
    }
    const other = typeof id === 'string' ? Number(id) : String(id)
    const odd = this.#open.get(other)
    if (odd) this.#open.delete(other)
    return odd
  }

  /** Takes out all, in the order they were sent. */
  takeAll(): [JsonRpcId, OpenRequest][] {
    const all = this.#open.entries()
    this.#open.clear()
    return all
  }
}
