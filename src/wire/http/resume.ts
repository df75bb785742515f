/**
 * Goes on with a reply stream that ended or broke before its response, after an event that had an id: GET with
 * Last-Event-ID (specification 2025-11-25, transports, resumability). Bounded: tries that bring nothing new are counted,
 * and it stops at once when its request is settled or cancelled (report 07.04).
 */
import { elapsed } from '../../clock.js'
import {
  clampDelay,
  EventStream,
  type Exchange,
  type ExchangeSink,
  type Head,
  httpEvidence,
  mediaType,
  type Outgoing,
  type ResponseHeaders,
  retryAfterMs,
  type Sent,
  streamEvidence,
  thrownEvidence,
} from '../web/index.js'
import type { OpenRequest, WireCore } from './core.js'

/** Below this a server's `retry: 0` would be a hot loop (SDK trap 12). */
const floorMs = 100
const baseMs = 250
const capMs = 10_000

/** Refusals that may pass; any other one means that this server will not resume this stream. */
const mayPass = (status: number) => [401, 408, 409, 425, 429].includes(status) || status >= 500

export class Resumption implements ExchangeSink {
  readonly #core: WireCore
  readonly #request: OpenRequest
  readonly #replyHead: Head
  #lastEventId: string | undefined
  #retryMs: number | undefined
  /** Tries in a row that brought no new event id. */
  #fruitless = 0
  #sent: Sent
  #timer: unknown
  #exchange: Exchange | undefined
  #stream: EventStream | undefined
  #faultTold = false
  #over = false

  constructor(core: WireCore, request: OpenRequest, replyHead: Head, broken: EventStream) {
    this.#core = core
    this.#request = request
    this.#replyHead = replyHead
    this.#lastEventId = broken.lastEventId
    this.#retryMs = broken.retryMs
    this.#sent = { wire: core.wire, exchange: 'listen', target: core.target, method: request.method }
  }

  /** A resumed stream is open now. */
  get streaming(): boolean {
    return this.#exchange !== undefined && this.#stream !== undefined
  }

  start(): void {
    this.#schedule(0)
  }

  /** The response came: what is left of the resumed stream may end by itself. */
  finish(): void {
    this.#over = true
    this.#core.clock.clearTimeout(this.#timer)
    if (this.#exchange) this.#core.linger.add(this.#exchange)
  }

  stop(): void {
    this.#over = true
    this.#core.clock.clearTimeout(this.#timer)
    this.#exchange?.abort()
  }

  #schedule(atLeastMs: number): void {
    if (this.#fruitless >= this.#core.maxResumes) {
      this.#giveUp()
      return
    }
    const backoff = Math.min(baseMs * 2 ** this.#fruitless, capMs)
    const minimum = Math.max(floorMs, atLeastMs, this.#retryMs ?? 0)
    const delay = clampDelay(Math.max(minimum, backoff / 2) + (backoff / 2) * this.#core.random())
    this.#timer = this.#core.clock.setTimeout(() => this.#open(), delay)
  }

  #open(): void {
    const outgoing = this.#core.headers.for('listen')
    if (!(outgoing instanceof Promise)) {
      this.#get(outgoing)
      return
    }
    outgoing.then(
      (ready) => this.#get(ready),
      (error: unknown) => this.#core.refuse(this.#request, { ...thrownEvidence(this.#sent, error), sent: true }),
    )
  }

  #get(outgoing: Outgoing): void {
    if (this.#over || this.#lastEventId === undefined) return
    const { client, target } = this.#core
    this.#sent = { ...this.#sent, outgoing }
    this.#stream = undefined
    const headers = { ...outgoing.headers, 'last-event-id': this.#lastEventId }
    this.#exchange = client.exchange({ method: 'GET', target, headers }, this)
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#core.alive(status)
    if (status >= 200 && status <= 299 && mediaType(headers) === 'text/event-stream') {
      this.#stream = new EventStream(
        {
          message: (value) => this.#core.receive(value, this.#request),
          garbage: () => this.#core.noise('an event of a resumed stream that is no JSON'),
          oversize: () => this.#giveUp(),
        },
        this.#core.maxMessageBytes,
      )
      return
    }
    this.#exchange?.abort()
    this.#exchange = undefined
    this.#refused({ status, headers })
  }

  data(chunk: Uint8Array): void {
    this.#core.alive(200)
    this.#stream?.feed(chunk)
  }

  end(): void {
    if (this.#exchange) this.#core.linger.delete(this.#exchange)
    this.#exchange = undefined
    this.#stream?.finish()
    if (this.#over) return
    const reached = this.#stream?.lastEventId
    const isNew = reached !== undefined && reached !== this.#lastEventId
    this.#lastEventId = reached ?? this.#lastEventId
    this.#retryMs = this.#stream?.retryMs ?? this.#retryMs
    this.#fruitless = isNew ? 0 : this.#fruitless + 1
    this.#schedule(0)
  }

  fail(): void {
    this.end()
  }

  #refused(head: Head): void {
    const now = elapsed(this.#core.clock)
    const evidence = httpEvidence(this.#sent, head, '', now)
    if (head.status === 404) this.#core.emit({ type: 'suspect', evidence })
    if (!mayPass(head.status)) {
      this.#giveUp(head)
      return
    }
    if (head.status === 401 && !this.#faultTold) {
      this.#faultTold = true
      this.#core.emit({ type: 'fault', evidence })
    }
    this.#fruitless += 1
    this.#schedule(retryAfterMs(head.headers, now) ?? 0)
  }

  #giveUp(last: Head = this.#replyHead): void {
    this.stop()
    this.#core.refuse(this.#request, streamEvidence(this.#request.sent, 'reply', last))
  }
}
