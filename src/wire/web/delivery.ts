/** A notification or a response of ours on its way: a POST that wants no answer but a good status. */

import { WireError } from '../failure.js'
import type { JsonRpcMessage } from '../messages.js'
import { Refusal } from './body.js'
import type { WebCore } from './core.js'
import { closedEvidence, httpEvidence, networkEvidence, type Sent, thrownEvidence } from './evidence.js'
import type { Exchange, ExchangeSink, ResponseHeaders } from './exchange.js'

export class Delivery implements ExchangeSink {
  /**
   * Resolves with the first good status, whatever the body is (deviation 19); rejects with a {@link WireError}. That one
   * has no `cause`: what a backend throws can name header values.
   */
  readonly done: Promise<void>
  readonly #core: WebCore
  #sent: Sent
  #exchange: Exchange | undefined
  #refusal: Refusal | undefined
  #resolve: () => void = () => {}
  #reject: (error: WireError) => void = () => {}
  #settled = false

  constructor(core: WebCore, message: JsonRpcMessage) {
    this.#core = core
    const method = 'method' in message ? message.method : undefined
    this.#sent = { wire: core.wire, exchange: 'message', target: core.target, ...(method !== undefined && { method }) }
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  async post(message: JsonRpcMessage): Promise<void> {
    const { client, target, headers } = this.#core
    try {
      const made = headers.for('message')
      const outgoing = made instanceof Promise ? await made : made
      if (this.#settled) return
      this.#sent = { ...this.#sent, outgoing }
      const body = client.body(message)
      this.#exchange = client.exchange({ method: 'POST', target, headers: outgoing.headers, body }, this)
    } catch (error) {
      this.#settle(new WireError(thrownEvidence(this.#sent, error)))
    }
  }

  /** The wire closes. */
  abandon(): void {
    this.#refusal?.drop()
    this.#exchange?.abort()
    this.#settle(new WireError(closedEvidence(this.#sent, this.#exchange?.mayHaveLeft === true)))
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#core.alive(status)
    if (status >= 200 && status <= 299) {
      if (this.#exchange) this.#core.linger.add(this.#exchange)
      this.#settle()
      return
    }
    this.#refusal = new Refusal(
      this.#core.clock,
      () => this.#exchange,
      (body) => {
        const evidence = httpEvidence(this.#sent, { status, headers }, body, this.#core.clock.now())
        this.#settle(new WireError(evidence))
      },
    )
  }

  data(chunk: Uint8Array): void {
    this.#refusal?.data(chunk)
  }

  end(): void {
    if (this.#exchange) this.#core.linger.delete(this.#exchange)
    this.#refusal?.end()
  }

  fail(error: unknown, sent: boolean | undefined): void {
    if (this.#exchange) this.#core.linger.delete(this.#exchange)
    if (this.#refusal) this.#refusal.fail()
    else this.#settle(new WireError(networkEvidence(this.#sent, error, sent)))
  }

  #settle(error?: WireError): void {
    if (this.#settled) return
    this.#settled = true
    if (error) this.#reject(error)
    else this.#resolve()
  }
}
