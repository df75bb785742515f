/** The HTTP+SSE transport of revision 2024-11-05, without what makes the stock one silently lose its session. */
import { type Observable, Subject } from 'rxjs'
import type { WireEvidence } from '../../../machines/evidence.js'
import { elapsed, systemClock } from '../../clock.js'
import { answeredId } from '../answered-id.js'
import { evidenceOf, failureResponse, WireError } from '../failure.js'
import {
  isCancellation,
  isRequest,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
} from '../messages.js'
import {
  closedEvidence,
  Delivery,
  defaultMaxMessageBytes,
  HttpClient,
  Linger,
  OpenRequests,
  RequestHeaders,
  readAddress,
  type Target,
  type WebCore,
} from '../web/index.js'
import type { SendOptions, Wire, WireEvent } from '../wire.js'
import type { SseCore } from './core.js'
import { lostRequest } from './evidence.js'
import type { SseWireOptions } from './options.js'
import { PostedRequest } from './posted-request.js'
import { SessionStream } from './session-stream.js'

const done = Promise.resolve()

/** What waits for `start()`. */
interface Opening {
  readonly resolve: () => void
  readonly reject: (error: WireError) => void
}

/**
 * A transport over HTTP+SSE. It fits the SDK's `Transport` interface and keeps the promises of {@link Wire}. The stream
 * is the session: when it ends, or the server begins another session on it, the wire ends, and so does every call in
 * it. A new wire is then needed, with a handshake of its own; this one never reconnects by itself. A half-open
 * connection is not noticed here, but by whoever sends a ping.
 */
export class SseWire implements Wire {
  readonly kind = 'sse'
  readonly events$: Observable<WireEvent>
  onclose?: () => void
  onerror?: (error: Error) => void
  // biome-ignore lint/suspicious/noExplicitAny: as in TransportLike
  onmessage?: (message: any, extra?: any) => void

  readonly #options: SseWireOptions
  readonly #clock
  readonly #events = new Subject<WireEvent>()
  readonly #requests: OpenRequests<PostedRequest>
  readonly #deliveries = new Set<Delivery>()
  #state: 'new' | 'starting' | 'open' | 'closed' = 'new'
  #opening: Opening | undefined
  #web: WebCore | undefined
  #stream: SessionStream | undefined
  #core: SseCore | undefined
  #released: Promise<void> = done
  #lastLifeAt = 0
  #noise = 0

  constructor(options: SseWireOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.events$ = this.#events.asObservable()
    this.#requests = new OpenRequests({
      hand: (message) => this.#hand(message),
      noise: (text) => this.#tellNoise(text),
    })
  }

  get lastLifeAt(): number {
    return this.#lastLifeAt
  }

  get pending(): number {
    return this.#requests.size
  }

  /** Called by the SDK with the negotiated version, which every later message names. */
  setProtocolVersion(version: string): void {
    this.#web?.headers.adopt(undefined, version)
  }

  /**
   * Opens the stream; resolves when the server has named its endpoint, and waits for that as long as it takes: `close()`
   * ends the waiting at once.
   *
   * @throws {WireError} `config` for a url that cannot be used, or an endpoint on another origin; `http` for a bad
   *   status; `malformed` for an answer that is no event stream; `network`; `stream` when it ends before the endpoint
   *   came; `closed` when the wire was closed meanwhile or started before.
   */
  start(): Promise<void> {
    if (this.#state !== 'new') return Promise.reject(new WireError(this.#notOpen()))
    this.#state = 'starting'
    return new Promise((resolve, reject) => {
      this.#opening = { resolve, reject }
      void this.#open()
    })
  }

  /**
   * A request never rejects once the wire is started: its failure comes as an error response, its answer on the stream.
   * A notification or response resolves with the first 2xx and rejects with a {@link WireError} otherwise.
   */
  send(message: JsonRpcMessage, _options?: SendOptions): Promise<void> {
    const core = this.#core
    if (core === undefined || this.#state !== 'open') return this.#sendNowhere(message)
    if (isRequest(message)) return this.#request(core, message)
    if (isCancellation(message) && this.#cancel(message)) return done
    return this.#deliver(core, message)
  }

  /** Ends everything of this wire, the session included; a given client is left as it is. Waits for no answer. */
  close(): Promise<void> {
    this.#end(closedEvidence({ wire: this.kind }, false), true)
    return this.#released
  }

  async #open(): Promise<void> {
    const { fetch, url } = this.#options
    try {
      const { target, basic } = readAddress(this.kind, url)
      const client = this.#options.client ?? new HttpClient({ ...(fetch && { fetch }) })
      this.#web = this.#lend(client, target, new RequestHeaders(this.#options, basic, 'address'))
      // A new session asks the configured address again.
      client.forgetRedirects()
      await client.ready()
      if (this.#state !== 'starting') return
      this.#stream = new SessionStream(this.#web, {
        began: (endpoint) => this.#begin(endpoint),
        message: (value) => this.#requests.receive(value),
        oversize: (head, tail) => this.#tooLarge(head, tail),
        ended: (evidence) => this.#end(evidence, false),
      })
      this.#stream.open()
    } catch (error) {
      const summary = 'what sends requests could not be loaded'
      this.#end(evidenceOf(error) ?? { kind: 'thrown', wire: this.kind, summary, sent: false }, false)
    }
  }

  #lend(client: HttpClient, target: Target, headers: RequestHeaders): WebCore {
    return {
      wire: this.kind,
      client,
      target,
      headers,
      clock: this.#clock,
      linger: new Linger(this.#clock),
      maxMessageBytes: this.#options.maxMessageBytes ?? defaultMaxMessageBytes,
      alive: (status) => {
        if (status < 500) this.#lastLifeAt = this.#clock.now()
        return elapsed(this.#clock)
      },
      noise: (text) => this.#tellNoise(text),
    }
  }

  #begin(endpoint: Target): void {
    const web = this.#web
    if (web === undefined) return
    this.#core = {
      ...web,
      target: endpoint,
      receive: (value, from) => this.#requests.receive(value, from),
      refuse: (request, evidence) => this.#requests.refuse(request, evidence),
    }
    this.#state = 'open'
    this.#opening?.resolve()
  }

  #end(evidence: WireEvidence, byUs: boolean): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#stream?.abandon()
    this.#opening?.reject(new WireError(evidence))
    this.#requests.closeAll((request) => lostRequest(request, evidence))
    for (const delivery of this.#deliveries) delivery.abandon()
    this.#web?.linger.clear()
    if (!this.#options.client) this.#released = this.#web?.client.close() ?? done
    this.#events.next({ type: 'closed', evidence, byUs })
    this.#events.complete()
    this.#guarded(() => this.onclose?.())
  }

  #request(core: SseCore, message: JsonRpcRequest): Promise<void> {
    if (this.#requests.has(message.id)) {
      const summary = `a request with the id ${message.id} is still open`
      return Promise.reject(new WireError({ kind: 'thrown', wire: this.kind, summary, sent: false }))
    }
    const request = new PostedRequest(core, message)
    this.#requests.add(request)
    request.post(message)
    return done
  }

  async #deliver(core: SseCore, message: JsonRpcMessage): Promise<void> {
    const delivery = new Delivery(core, message)
    this.#deliveries.add(delivery)
    void delivery.post(message)
    try {
      await delivery.done
    } finally {
      this.#deliveries.delete(delivery)
    }
  }

  /** Forgets the request; true when the server need not hear of it: it never left, or must not be cancelled. */
  #cancel({ params }: JsonRpcNotification): boolean {
    const request = this.#requests.forget(params?.requestId)
    if (request === undefined) return false
    // Its POST is left to be accepted: cut, it could overtake the notification and look like a crash of ours.
    request.finish()
    return !request.hasLeft || request.method === 'initialize'
  }

  #sendNowhere(message: JsonRpcMessage): Promise<void> {
    const evidence = this.#notOpen()
    if (this.#state !== 'closed' || !isRequest(message)) return Promise.reject(new WireError(evidence))
    const { id, method } = message
    // Later, as an answer that came from within `send` would be there before anybody waits for it.
    queueMicrotask(() => this.#hand(failureResponse(id, { ...evidence, method })))
    return done
  }

  /** Only the call whose answer it was is lost with it; who that is, its two ends tell, or nobody knows. */
  #tooLarge(head: string, tail: string): void {
    const request = this.#requests.find(answeredId(head, tail))
    if (request) this.#requests.refuse(request, request.oversize())
    else {
      const summary = 'the server sent a message over the size limit, which was skipped'
      this.#events.next({ type: 'suspect', evidence: { kind: 'oversize', wire: this.kind, summary } })
    }
  }

  #tellNoise(text: string): void {
    this.#events.next({ type: 'noise', text, count: ++this.#noise })
  }

  #hand(message: JsonRpcMessage): void {
    this.#guarded(() => this.onmessage?.(message))
  }

  /** A handler that throws must break neither the stream its message came on nor the end of the wire. */
  #guarded(handler: () => void): void {
    try {
      handler()
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error('a handler threw'))
    }
  }

  #notOpen(): WireEvidence {
    const isOver = this.#state === 'closed'
    const summary = isOver ? 'the wire has ended; a new one is needed' : 'the wire is not started, or started twice'
    return { kind: 'closed', wire: this.kind, summary, sent: false }
  }
}
