/** One request of ours: its POST, which only has to be accepted. The answer comes on the stream. */
import type { WireEvidence } from '../../../machines/evidence.js'
import type { JsonRpcId, JsonRpcRequest } from '../messages.js'
import {
  type Answerable,
  Collected,
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
  thrownEvidence,
  written,
} from '../web/index.js'
import type { SseCore } from './core.js'

export class PostedRequest implements Answerable, ExchangeSink {
  readonly id: JsonRpcId
  readonly method: string
  readonly #core: SseCore
  settled = false
  #sent: Sent
  #exchange: Exchange | undefined
  #head: Head | undefined
  #refusal: Refusal | undefined
  /** The body of a good answer, where it can be JSON. */
  #body: Collected | undefined
  #over = false

  constructor(core: SseCore, { id, method }: JsonRpcRequest) {
    this.#core = core
    this.id = id
    this.method = method
    this.#sent = { wire: core.wire, exchange: 'message', target: core.target, method }
  }

  /** What it went out with. */
  get sent(): Sent {
    return this.#sent
  }

  /** Whether it has left us, as far as anyone can tell. */
  get hasLeft(): boolean {
    return this.#exchange?.mayHaveLeft === true
  }

  post(message: JsonRpcRequest): void {
    const outgoing = this.#core.headers.for('message')
    if (outgoing instanceof Promise) {
      outgoing.then(
        (ready) => this.#dispatch(message, ready),
        (error: unknown) => this.#core.refuse(this, thrownEvidence(this.#sent, error)),
      )
    } else this.#dispatch(message, outgoing)
  }

  /** What is left of its POST may end by itself; the server may be slow to accept what it has answered already. */
  finish(): void {
    this.settled = true
    this.#refusal?.drop()
    if (this.#exchange && !this.#over) this.#core.linger.add(this.#exchange)
  }

  abandon(): void {
    this.settled = true
    this.#over = true
    this.#refusal?.drop()
    this.#exchange?.abort()
  }

  malformed(what: string): WireEvidence {
    return malformedEvidence(this.#sent, undefined, '', what)
  }

  oversize(): WireEvidence {
    return oversizeEvidence(this.#sent, undefined, this.#core.maxMessageBytes)
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#core.alive(status)
    if (this.settled) return
    const head = { status, headers }
    this.#head = head
    if (status < 200 || status > 299) this.#refused(head)
    else if (mayBeJson(headers)) this.#body = new Collected()
    else if (this.#exchange) this.#core.linger.add(this.#exchange)
  }

  data(chunk: Uint8Array): void {
    if (this.#refusal) this.#refusal.data(chunk)
    if (this.#body === undefined || this.settled) return
    this.#body.add(chunk)
    if (this.#body.bytes <= this.#core.maxMessageBytes) return
    this.#exchange?.abort()
    this.#core.refuse(this, this.oversize())
  }

  end(): void {
    this.#leave()
    this.#refusal?.end()
    if (this.#body && !this.settled) this.#takeBody(this.#body.text())
  }

  fail(error: unknown, sent: boolean | undefined): void {
    this.#leave()
    if (this.#refusal) this.#refusal.fail()
    // Accepted is accepted: the answer can still come.
    else if (!this.#head) this.#core.refuse(this, networkEvidence(this.#sent, error, sent))
  }

  #dispatch(message: JsonRpcRequest, outgoing: Outgoing): void {
    // Cancelled, or the wire closed, while the token was being read.
    if (this.settled) return
    const { client, target } = this.#core
    this.#sent = { ...this.#sent, outgoing }
    const body = written(client, message, this.#sent, (evidence) => this.#core.refuse(this, evidence))
    if (body === undefined) return
    this.#exchange = client.exchange({ method: 'POST', target, headers: outgoing.headers, body }, this)
  }

  #refused(head: Head): void {
    this.#refusal = new Refusal(
      this.#core.clock,
      () => this.#exchange,
      (body) => {
        this.#over = true
        this.#core.refuse(this, httpEvidence(this.#sent, head, body, this.#core.clock.now()))
      },
    )
  }

  /** Most servers write `Accepted` here, or nothing; some the answer itself. */
  #takeBody(text: string): void {
    if (!/^\s*[{[]/.test(text)) return
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return
    }
    this.#core.receive(value, this)
  }

  #leave(): void {
    this.#over = true
    if (this.#exchange) this.#core.linger.delete(this.#exchange)
  }
}

function mayBeJson(headers: ResponseHeaders): boolean {
  const type = mediaType(headers)
  return type === undefined || type === 'application/json' || type.endsWith('+json')
}
