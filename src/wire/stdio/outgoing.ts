import type { Writable } from 'node:stream'
import type { WireEvidence } from '../../../machines/evidence.js'
import { WireError } from '../failure.js'
import { bytesOf, jsonPieces } from '../json-pieces.js'
import type { JsonRpcId, JsonRpcMessage, JsonRpcRequest } from '../messages.js'
import { stdioEvidence } from './evidence.js'
import { Outbox, type Parcel } from './outbox.js'
import type { Pending } from './pending.js'

const DONE = Promise.resolve()

export interface OutgoingOptions {
  stdin: Writable
  maxMessageBytes: number
  pending: Pending
  /** Answers a request that could not be sent. */
  fail(id: JsonRpcId, evidence: WireEvidence): void
}

/** Sends messages to an open process, and keeps the promises of {@link Wire} about what becomes of them. */
export class Outgoing {
  readonly #options: OutgoingOptions
  readonly #outbox: Outbox
  /** One for each notification and response that still waits for the pipe. */
  readonly #undelivered = new Set<(error: WireError) => void>()

  constructor(options: OutgoingOptions) {
    this.#options = options
    this.#outbox = new Outbox(options.stdin, options.maxMessageBytes)
  }

  /** Never rejects and never waits: what becomes of a request is told by its answer. */
  request(request: JsonRpcRequest): Promise<void> {
    const { pending, fail } = this.#options
    const refusal = this.#post(request, pending.add(request.id, request.method))
    if (refusal) {
      pending.take(request.id)
      fail(request.id, { ...refusal, method: request.method })
    }
    return DONE
  }

  /** Resolves when the message has been handed to the pipe. */
  other(message: JsonRpcMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#undelivered.add(reject)
      const sent = (): void => {
        this.#undelivered.delete(reject)
        resolve()
      }
      const refusal = this.#post(message, { sent })
      if (!refusal) return
      this.#undelivered.delete(reject)
      reject(new WireError(refusal))
    })
  }

  /** The wire ended: what still waits will never go out. */
  lose(evidence: WireEvidence): void {
    const undelivered = [...this.#undelivered]
    this.#undelivered.clear()
    for (const reject of undelivered) reject(new WireError({ ...evidence, sent: false }))
  }

  #post(message: JsonRpcMessage, parcel: Parcel): WireEvidence | undefined {
    let line: string | Buffer
    try {
      const pieces = jsonPieces(message)
      line = pieces.length === 1 ? `${pieces[0]}\n` : bytesOf([...pieces, '\n'])
    } catch {
      return stdioEvidence('thrown', 'the message cannot be written as JSON', { sent: false, subject: 'message' })
    }
    if (this.#outbox.post(line, parcel)) return undefined
    const waiting = this.#outbox.queuedBytes
    const summary =
      waiting === 0
        ? `the message is over the limit of ${this.#options.maxMessageBytes} bytes`
        : `the server does not read its input: ${waiting} bytes wait, and no more are taken`
    return stdioEvidence('oversize', summary, { sent: false })
  }
}
