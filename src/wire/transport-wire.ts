import { type Observable, Subject } from 'rxjs'
import type { WireEvidence } from '../../machines/evidence.js'
import { type Clock, systemClock } from '../clock.js'
import { SparseMap } from '../sparse-map.js'
import { failureResponse, WireError } from './failure.js'
import { isRequest, isResponse, type JsonRpcId, type JsonRpcMessage } from './messages.js'
import { errnoOf } from './web/index.js'
import type { SendOptions, TransportLike, Wire, WireEvent } from './wire.js'

/** How long a transport may take to close, in milliseconds. */
const CLOSE_MS = 2_000

/** Makes a wire of any transport: it settles what the transport leaves open, and ends once. */
export class TransportWire implements Wire {
  readonly kind = 'custom'
  readonly events$: Observable<WireEvent>
  lastLifeAt = 0
  onclose?: () => void
  onerror?: (error: Error) => void
  // biome-ignore lint/suspicious/noExplicitAny: as in TransportLike
  onmessage?: (message: any, extra?: any) => void

  readonly #inner: TransportLike
  readonly #clock: Clock
  readonly #events = new Subject<WireEvent>()
  readonly #open = new SparseMap<JsonRpcId, string>()
  #closing: Promise<void> | undefined
  /** Ends a start that is under way. */
  #giveUp: (() => void) | undefined
  #ended = false

  constructor(inner: TransportLike, clock: Clock = systemClock) {
    this.#inner = inner
    this.#clock = clock
    this.events$ = this.#events
  }

  get pending(): number {
    return this.#open.size
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version)
  }

  async start(): Promise<void> {
    const inner = this.#inner
    inner.onmessage = (message: JsonRpcMessage, extra?: unknown) => this.#receive(message, extra)
    inner.onerror = (error) => this.onerror?.(error)
    inner.onclose = () => this.#end(false)
    try {
      // Some transports never settle their start when they are closed meanwhile.
      const gaveUp = new Promise<void>((resolve) => {
        this.#giveUp = resolve
      })
      await Promise.race([inner.start(), gaveUp])
    } catch (cause) {
      await this.close()
      throw new WireError(this.#failed('the transport did not start', cause, { sent: false }), { cause })
    }
    this.#giveUp = undefined
    if (this.#ended) throw new WireError(this.#evidence('the transport was closed', { kind: 'closed', sent: false }))
  }

  send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    if (!isRequest(message)) return this.#sendOther(message, options)
    const { id, method } = message
    this.#open.set(id, method)
    if (this.#ended) this.#fail(id, { sent: false })
    else this.#sendRequest(id, message, options)
    return Promise.resolve()
  }

  #sendRequest(id: JsonRpcId, message: JsonRpcMessage, options?: SendOptions): void {
    const failed = (error: unknown) => this.#notSent(id, error)
    try {
      this.#inner.send(message, options).catch(failed)
    } catch (error) {
      // Not from within `send`: nobody would wait for the answer yet.
      queueMicrotask(() => failed(error))
    }
  }

  async #sendOther(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    if ('method' in message && message.method === 'notifications/cancelled') {
      const { requestId } = message.params ?? {}
      if (typeof requestId === 'string' || typeof requestId === 'number') this.#open.delete(requestId)
    }
    if (this.#ended) throw new WireError(this.#evidence('the transport is closed', { kind: 'closed', sent: false }))
    try {
      await this.#inner.send(message, options)
    } catch (cause) {
      throw new WireError(this.#failed('the transport could not send', cause, {}), { cause })
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    // The transport may call onclose at once, later, or never; whoever waits for answers is told now.
    this.#end(true)
    this.#giveUp?.()
    try {
      await this.#bounded(this.#inner.close())
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error('the transport could not be closed', { cause: error }))
    }
  }

  /** A transport that does not come to an end is left to itself: nothing may wait for it for ever. */
  async #bounded(closing: Promise<void>): Promise<void> {
    let timer: unknown
    const late = new Promise<void>((resolve) => {
      timer = this.#clock.setTimeout(resolve, CLOSE_MS)
    })
    await Promise.race([closing, late])
    this.#clock.clearTimeout(timer)
  }

  #receive(message: JsonRpcMessage, extra?: unknown): void {
    if (this.#ended) return
    this.lastLifeAt = this.#clock.now()
    if (isResponse(message) && message.id !== undefined) this.#open.delete(message.id)
    this.onmessage?.(message, extra)
  }

  #notSent(id: JsonRpcId, error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error('the transport could not send', { cause: error }))
    this.#fail(id, this.#failed('the transport could not send', error, {}))
  }

  #fail(id: JsonRpcId, more: Partial<WireEvidence>): void {
    const method = this.#open.get(id)
    if (!this.#open.delete(id)) return
    this.onmessage?.(
      failureResponse(id, this.#evidence('the transport could not send', { kind: 'closed', method, ...more })),
    )
  }

  #end(byUs: boolean): void {
    if (this.#ended) return
    this.#ended = true
    const evidence = this.#evidence(byUs ? 'the connection was closed here' : 'the transport closed', {
      kind: 'closed',
    })
    for (const [id, method] of this.#open.entries()) this.onmessage?.(failureResponse(id, { ...evidence, method }))
    this.#open.clear()
    this.#events.next({ type: 'closed', evidence, byUs })
    this.#events.complete()
    this.onclose?.()
  }

  /** A failure of the transport's own; where it bears an error code of the system, that tells more than we know. */
  #failed(what: string, cause: unknown, more: Partial<WireEvidence>): WireEvidence {
    const errno = errnoOf(cause)
    const summary = errno === undefined ? what : `${what}: ${errno}`
    return this.#evidence(summary, {
      kind: errno === undefined ? 'closed' : 'network',
      ...(errno && { errno }),
      ...more,
    })
  }

  #evidence(summary: string, more: Partial<WireEvidence> & Pick<WireEvidence, 'kind'>): WireEvidence {
    return { wire: this.kind, summary, ...more }
  }
}
