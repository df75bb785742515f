/** One request of ours: its POST, the reading of its reply, and the resuming of a reply that broke. */

import type { WireEvidence } from '../../../machines/evidence.js'
import { elapsed } from '../../clock.js'
import type { JsonRpcId, JsonRpcRequest } from '../messages.js'
import {
  type BodySink,
  Collected,
  closedEvidence,
  EventStream,
  type Exchange,
  type ExchangeSink,
  type Head,
  httpEvidence,
  malformedEvidence,
  mediaType,
  networkEvidence,
  type Outgoing,
  oversizeEvidence,
  Refusal,
  type ResponseHeaders,
  type Sent,
  streamEvidence,
  thrownEvidence,
  written,
} from '../web/index.js'
import type { OpenRequest, WireCore } from './core.js'
import { Resumption } from './resume.js'

export class PendingRequest implements OpenRequest, ExchangeSink {
  readonly id: JsonRpcId
  readonly method: string
  readonly #core: WireCore
  settled = false
  parked = false
  #sent: Sent
  #head: Head | undefined
  #headAt = 0
  #lastAt = 0
  #exchange: Exchange | undefined
  #body: BodySink | undefined
  #refusal: Refusal | undefined
  #resumption: Resumption | undefined

  constructor(core: WireCore, message: JsonRpcRequest) {
    this.#core = core
    this.id = message.id
    this.method = message.method
    this.#sent = { wire: core.wire, exchange: 'message', target: core.target, method: message.method }
  }

  get sent(): Sent {
    return this.#sent
  }

  /** The session id the server named in the head of its reply. */
  get namedSession(): string | undefined {
    return this.#head?.headers.get('mcp-session-id') || undefined
  }

  /** Whether the request has left us, as far as anyone can tell. */
  get hasLeft(): boolean {
    return this.#exchange?.mayHaveLeft === true
  }

  post(message: JsonRpcRequest): void {
    const outgoing = this.#core.headers.for(message.method === 'initialize' ? 'initialize' : 'message')
    if (!(outgoing instanceof Promise)) {
      this.#dispatch(message, outgoing)
      return
    }
    outgoing.then(
      (ready) => this.#dispatch(message, ready),
      (error: unknown) => this.#core.refuse(this, thrownEvidence(this.#sent, error)),
    )
  }

  #dispatch(message: JsonRpcRequest, outgoing: Outgoing): void {
    // Cancelled, or the wire closed, while the token was being read.
    if (this.settled) return
    const { client, target } = this.#core
    this.#sent = { ...this.#sent, method: this.method, outgoing }
    const body = written(client, message, this.#sent, (evidence) => this.#core.refuse(this, evidence))
    if (body === undefined) return
    const exchange = client.exchange({ method: 'POST', target, headers: outgoing.headers, body }, this)
    this.#exchange = exchange
    if (this.settled) exchange.abort()
  }

  /** Its reply stream broke, and no other is open in its place. */
  get adrift(): boolean {
    return this.#resumption !== undefined && !this.#resumption.streaming
  }

  /** Settled by an answer: what is left of the reply may end by itself. */
  finish(): void {
    this.settled = true
    this.#resumption?.finish()
    if (this.#exchange && this.#body) this.#core.linger.add(this.#exchange)
  }

  /** Forgotten or closed: nothing of it may go on, only its own exchange is destroyed. */
  abandon(): void {
    this.settled = true
    this.#resumption?.stop()
    this.#refusal?.drop()
    this.#exchange?.abort()
  }

  closedEvidence(): WireEvidence {
    return closedEvidence(this.#sent, this.hasLeft)
  }

  /** Evidence that the answer is not one the protocol knows. */
  malformed(what: string): WireEvidence {
    return this.#head ? malformedEvidence(this.#sent, this.#head, '', what) : closedEvidence(this.#sent, this.hasLeft)
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#headAt = this.#lastAt = this.#core.alive(status)
    const head: Head = { status, headers }
    this.#head = head
    this.#body = this.#bodyFor(head)
  }

  data(chunk: Uint8Array): void {
    if (this.#head !== undefined) this.#lastAt = this.#core.alive(this.#head.status)
    this.#body?.data(chunk)
  }

  end(): void {
    const body = this.#body
    this.#body = undefined
    if (this.#exchange) this.#core.linger.delete(this.#exchange)
    body?.end()
  }

  fail(error: unknown, sent: boolean | undefined): void {
    const body = this.#body
    this.#body = undefined
    if (this.#exchange) this.#core.linger.delete(this.#exchange)
    if (body) body.fail(error)
    else this.#core.refuse(this, networkEvidence(this.#sent, error, sent))
  }

  #bodyFor(head: Head): BodySink {
    const { status } = head
    if (status < 200 || status > 299)
      return this.#refusalBody((text) => httpEvidence(this.#sent, head, text, this.#core.clock.now()))
    const type = mediaType(head.headers)
    if (type === 'text/event-stream') return this.#eventBody(head)
    // A missing type is forgiven when JSON comes.
    if (type === undefined || type === 'application/json' || type.endsWith('+json')) return this.#jsonBody(head)
    if (status === 202) return this.#acceptedBody()
    return this.#refusalBody((text) => malformedEvidence(this.#sent, head, text, `content type ${type}`))
  }

  #refusalBody(evidence: (text: string) => WireEvidence): BodySink {
    this.#refusal = new Refusal(
      this.#core.clock,
      () => this.#exchange,
      (text) => this.#core.refuse(this, evidence(text)),
    )
    return this.#refusal
  }

  #acceptedBody(): BodySink {
    this.#core.park(this)
    return { data() {}, end() {}, fail() {} }
  }

  #jsonBody(head: Head): BodySink {
    const { maxMessageBytes } = this.#core
    const collected = new Collected()
    const over = () => this.#tooLarge(head)
    if (Number(head.headers.get('content-length')) > maxMessageBytes) queueMicrotask(over)
    return {
      data: (chunk) => {
        if (this.settled) return
        collected.add(chunk)
        if (collected.bytes > maxMessageBytes) over()
      },
      end: () => this.#takeJson(head, collected.text()),
      fail: (error) => this.#core.refuse(this, this.#broken(head, error)),
    }
  }

  #takeJson(head: Head, text: string): void {
    if (this.settled) return
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      if (head.status === 202) {
        this.#core.park(this)
        return
      }
      const what = text.trim() === '' ? 'an empty answer' : 'no JSON'
      this.#core.refuse(this, malformedEvidence(this.#sent, head, text, what))
      return
    }
    this.#core.receive(value, this)
    if (this.settled) return
    if (head.status === 202) {
      this.#core.park(this)
      return
    }
    this.#core.refuse(this, malformedEvidence(this.#sent, head, text, 'no response to this request'))
  }

  #eventBody(head: Head): BodySink {
    let isGarbled = false
    const stream = new EventStream(
      {
        message: (value) => this.#core.receive(value, this),
        garbage: () => {
          isGarbled = true
          this.#core.noise('an event of a reply stream that is no JSON')
        },
        oversize: () => this.#tooLarge(head),
      },
      this.#core.maxMessageBytes,
    )
    const over = (error?: unknown) => {
      stream.finish()
      if (this.settled) return
      if (stream.lastEventId !== undefined) return this.#resume(stream, head)
      if (head.status === 202 && error === undefined) return this.#core.park(this)
      const evidence = isGarbled
        ? malformedEvidence(this.#sent, head, '', 'an event that is no JSON')
        : this.#broken(head, error)
      this.#core.refuse(this, evidence)
    }
    return { data: (chunk) => stream.feed(chunk), end: () => over(), fail: over }
  }

  #broken(head: Head, error: unknown): WireEvidence {
    const now = elapsed(this.#core.clock)
    const times = { idleMs: Math.round(now - this.#lastAt), livedMs: Math.round(now - this.#headAt) }
    return streamEvidence(this.#sent, 'reply', head, error, times)
  }

  #tooLarge(head: Head): void {
    if (this.settled) return
    this.#exchange?.abort()
    this.#core.refuse(this, oversizeEvidence(this.#sent, head, this.#core.maxMessageBytes))
  }

  #resume(stream: EventStream, head: Head): void {
    this.#resumption = new Resumption(this.#core, this, head, stream)
    this.#resumption.start()
  }
}
