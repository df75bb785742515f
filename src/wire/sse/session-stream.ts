/**
 * The GET that is the session: asked for once, told of the endpoint, read until it ends. It is never asked for again; a
 * server that ends it, or begins another session on it, has ended the wire.
 */
import type { WireEvidence } from '../../../machines/evidence.js'
import { elapsed } from '../../clock.js'
import {
  clampDelay,
  type Exchange,
  type ExchangeSink,
  type Head,
  httpEvidence,
  malformedEvidence,
  mediaType,
  networkEvidence,
  type Outgoing,
  Refusal,
  type ResponseHeaders,
  type Sent,
  streamEvidence,
  type Target,
  thrownEvidence,
  type WebCore,
} from '../web/index.js'
import { readEndpoint } from './endpoint.js'
import { anotherSession, lostStream } from './evidence.js'
import { LastingStream } from './lasting-stream.js'

export interface SessionStreamOwner {
  /** The server has begun a session, and takes its messages there. */
  began(endpoint: Target): void
  message(value: unknown): void
  /** A message over the size limit went by: what it began and ended with. */
  oversize(head: string, tail: string): void
  /** There will be no session, or no more of it. Once. */
  ended(evidence: WireEvidence): void
}

export class SessionStream implements ExchangeSink {
  readonly #core: WebCore
  readonly #owner: SessionStreamOwner
  readonly #events: LastingStream
  #sent: Sent
  #exchange: Exchange | undefined
  #head: Head | undefined
  #refusal: Refusal | undefined
  #hasBegun = false
  #openedAt = 0
  #lastAt = 0
  #over = false

  /** `core.target`: the address of the stream. */
  constructor(core: WebCore, owner: SessionStreamOwner) {
    this.#core = core
    this.#owner = owner
    this.#sent = { wire: core.wire, exchange: 'open', target: core.target }
    this.#events = new LastingStream(
      {
        message: (value) => {
          if (!this.#over) owner.message(value)
        },
        garbage: () => core.noise('an event that is no JSON'),
        oversize: (head, tail) => {
          if (!this.#over) owner.oversize(head, tail)
        },
        named: (event, data) => this.#named(event, data),
      },
      core.maxMessageBytes,
    )
  }

  open(): void {
    Promise.resolve(this.#core.headers.for('listen')).then(
      (outgoing) => this.#get(outgoing),
      (error: unknown) => this.#end(thrownEvidence(this.#sent, error)),
    )
  }

  /** Nothing more is heard of it. */
  abandon(): void {
    this.#over = true
    this.#refusal?.drop()
    this.#exchange?.abort()
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#openedAt = this.#lastAt = this.#core.alive(status)
    const head = { status, headers }
    this.#head = head
    const type = mediaType(headers)
    if (status < 200 || status > 299) {
      this.#refusal = new Refusal(
        this.#core.clock,
        () => this.#exchange,
        (body) => this.#end(httpEvidence(this.#sent, head, body, this.#core.clock.now())),
      )
    } else if (type !== 'text/event-stream') {
      // Its body can be a page without end, and explains nothing.
      this.#end(malformedEvidence(this.#sent, head, '', `content type ${type ?? 'missing'}`))
    }
  }

  data(chunk: Uint8Array): void {
    if (this.#refusal) {
      this.#refusal.data(chunk)
      return
    }
    this.#lastAt = this.#core.alive(200)
    this.#events.feed(chunk)
  }

  end(): void {
    if (this.#refusal) this.#refusal.end()
    else this.#ended()
  }

  fail(error: unknown, sent: boolean | undefined): void {
    if (this.#refusal) this.#refusal.fail()
    else if (this.#head) this.#ended(error)
    else this.#end(networkEvidence(this.#sent, error, sent))
  }

  #get(outgoing: Outgoing): void {
    // Closed while the token was being read.
    if (this.#over) return
    const { client, target } = this.#core
    this.#sent = { ...this.#sent, outgoing }
    this.#exchange = client.exchange({ method: 'GET', target, headers: outgoing.headers }, this)
  }

  #named(event: string, data: string): void {
    if (event !== 'endpoint' || this.#over) return
    if (this.#hasBegun) {
      this.#end(anotherSession)
      return
    }
    const endpoint = readEndpoint(data, this.#core.target)
    if ('kind' in endpoint) {
      this.#end(endpoint)
      return
    }
    this.#hasBegun = true
    this.#owner.began(endpoint)
  }

  #ended(error?: unknown): void {
    this.#events.finish()
    if (this.#over || !this.#head) return
    const now = elapsed(this.#core.clock)
    const times = { idleMs: Math.round(now - this.#lastAt), livedMs: Math.round(now - this.#openedAt) }
    const evidence = streamEvidence(this.#sent, undefined, this.#head, error, times)
    const { retryMs } = this.#events
    const told = this.#hasBegun ? lostStream(evidence) : evidence
    this.#end(retryMs === undefined ? told : { ...told, retryAfterMs: clampDelay(retryMs) })
  }

  #end(evidence: WireEvidence): void {
    if (this.#over) return
    this.abandon()
    this.#owner.ended(evidence)
  }
}
