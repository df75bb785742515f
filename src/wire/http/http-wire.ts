/** The Streamable HTTP transport (specification 2025-03-26 to 2025-11-25), steered and told of in full. */

import { type Observable, Subject } from 'rxjs'
import type { WireEvidence } from '../../../machines/evidence.js'
import { elapsed, systemClock, systemRandom } from '../../clock.js'
import { WireError } from '../failure.js'
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
} from '../web/index.js'
import type { SendOptions, Wire, WireEvent } from '../wire.js'
import type { OpenRequest, WireCore } from './core.js'
import { deleteSession } from './end-session.js'
import { Listening } from './listening.js'
import { defaultMaxResumes, type HttpWireOptions } from './options.js'
import { PendingRequest } from './pending-request.js'

const done = Promise.resolve()

/**
 * A transport over Streamable HTTP. It fits the SDK's `Transport` interface and keeps the promises of {@link Wire};
 * beyond those the session, the listening stream and its end are in the caller's hands.
 */
export class HttpWire implements Wire {
  readonly kind = 'http'
  readonly events$: Observable<WireEvent>
  onclose?: () => void
  onerror?: (error: Error) => void
  // biome-ignore lint/suspicious/noExplicitAny: as in TransportLike
  onmessage?: (message: any, extra?: any) => void

  readonly #options: HttpWireOptions
  readonly #clock
  readonly #events = new Subject<WireEvent>()
  readonly #requests: OpenRequests<PendingRequest>
  readonly #deliveries = new Set<Delivery>()
  #state: 'new' | 'open' | 'closed' = 'new'
  #draining = false
  #core: WireCore | undefined
  #listening: Listening | undefined
  #closing: Promise<void> | undefined
  #lastLifeAt = 0
  #noise = 0

  constructor(options: HttpWireOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.events$ = this.#events.asObservable()
    this.#requests = new OpenRequests({
      hand: (message) => this.#hand(message),
      initialized: (request, result) => this.#adoptSession(request, result),
      noise: (text) => this.#core?.noise(text),
    })
  }

  /** The session the server named in its successful answer to `initialize`, or the one this wire goes on under. */
  get sessionId(): string | undefined {
    return this.#core ? this.#core.headers.session : this.#options.session?.id
  }

  get protocolVersion(): string | undefined {
    return this.#core ? this.#core.headers.version : this.#options.session?.protocolVersion
  }

  /** Id of the last event that came on the listening stream, to go on after it in another wire. */
  get lastEventId(): string | undefined {
    return this.#listening?.reached
  }

  get lastLifeAt(): number {
    return this.#lastLifeAt
  }

  get pending(): number {
    return this.#requests.size
  }

  get adrift(): number {
    return this.#requests.count((request) => request.adrift)
  }

  /** Called by the SDK with the negotiated version, which every later request names. */
  setProtocolVersion(version: string): void {
    this.#core?.headers.adopt(this.#core.headers.session, version)
  }

  /** Makes ready; opens no socket. Rejects with a {@link WireError} when the URL cannot be used. */
  async start(): Promise<void> {
    if (this.#core !== undefined || this.#state === 'closed') throw new WireError(this.#notOpen())
    const { target, basic } = readAddress(this.kind, this.#options.url)
    const headers = new RequestHeaders(this.#options, basic)
    const { session, fetch } = this.#options
    if (session) headers.adopt(session.id, session.protocolVersion)
    this.#core = {
      wire: this.kind,
      client: this.#options.client ?? new HttpClient({ ...(fetch && { fetch }) }),
      target,
      headers,
      clock: this.#clock,
      random: this.#options.random ?? systemRandom,
      linger: new Linger(this.#clock),
      maxMessageBytes: this.#options.maxMessageBytes ?? defaultMaxMessageBytes,
      maxResumes: this.#options.maxResumes ?? defaultMaxResumes,
      alive: (status) => {
        if (status < 500) this.#lastLifeAt = this.#clock.now()
        return elapsed(this.#clock)
      },
      receive: (value, from) => this.#requests.receive(value, from),
      refuse: (request, evidence) => this.#requests.refuse(request, evidence),
      park: (request) => this.#park(request),
      busy: () => this.#requests.count((request) => !request.parked) > 0,
      emit: (event) => this.#events.next(event),
      noise: (text) => this.#events.next({ type: 'noise', text, count: ++this.#noise }),
    }
    this.#listening = new Listening(this.#core, session !== undefined, () => this.#refuseParked())
    await this.#core.client.ready()
    // close() came while the backend was loaded.
    if (this.#closing !== undefined) throw new WireError(this.#notOpen())
    this.#state = 'open'
  }

  /**
   * A request never rejects: its failure comes as an error response. A notification or response resolves with the
   * first 2xx and rejects with a {@link WireError} otherwise.
   */
  send(message: JsonRpcMessage, _options?: SendOptions): Promise<void> {
    const core = this.#core
    if (core === undefined || this.#state !== 'open') return Promise.reject(new WireError(this.#notOpen()))
    if (isRequest(message)) return this.#request(core, message)
    if (isCancellation(message) && this.#cancel(message)) return done
    return this.#deliver(core, message)
  }

  /**
   * Asks for the listening stream now, if it is neither open nor being asked for: with `listen: 'manual'`, under a
   * remembered session, or after credentials were renewed. What comes of it is told as events.
   */
  listen(lastEventId?: string): void {
    if (this.#state === 'open') this.#listening?.open(lastEventId)
  }

  relisten(): void {
    this.#core?.client.renewSockets()
    this.#listening?.openAnew()
  }

  answered(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(resolve, timeoutMs)
      this.#requests.whenNone(() => {
        this.#clock.clearTimeout(timer)
        resolve()
      })
    })
  }

  /** What can only be answered on the listening stream fails as well. Answers to the server's requests still go out. */
  drain(without: (method: string) => boolean): Promise<void> | undefined {
    this.#draining = true
    this.#listening?.close()
    // Sockets that were open before may lead to a server that is about to end, and would take what comes next with it.
    this.#core?.client.renewSockets()
    this.#requests.closeWhere(
      (request) => request.parked || !request.hasLeft || without(request.method),
      (request) => request.closedEvidence(),
    )
    if (this.#requests.size === 0) return undefined
    return new Promise((resolve) => this.#requests.whenNone(resolve))
  }

  /** Ends the session at the server by DELETE; any answer, a failure or `timeoutMs` is the end of it. Never rejects. */
  async endSession(timeoutMs: number): Promise<void> {
    const core = this.#core
    if (core === undefined || this.#state !== 'open' || core.headers.session === undefined) return
    await deleteSession(core, timeoutMs)
    core.headers.adopt(undefined, core.headers.version)
  }

  /** Ends everything of this wire; the session is left as it is (see `endSession`) and so is a given client. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#state = 'closed'
    this.#listening?.close()
    this.#requests.closeAll((request) => request.closedEvidence())
    for (const delivery of this.#deliveries) delivery.abandon()
    this.#core?.linger.clear()
    this.#events.next({ type: 'closed', evidence: closedEvidence({ wire: this.kind }, false), byUs: true })
    this.#events.complete()
    this.onclose?.()
    if (!this.#options.client) await this.#core?.client.close()
  }

  #request(core: WireCore, message: JsonRpcRequest): Promise<void> {
    if (this.#draining) return Promise.reject(new WireError(this.#notOpen()))
    if (this.#requests.has(message.id)) {
      const summary = `a request with the id ${message.id} is still open`
      return Promise.reject(new WireError({ kind: 'thrown', wire: 'http', summary, sent: false }))
    }
    if (message.method === 'initialize') core.client.forgetRedirects()
    const request = new PendingRequest(core, message)
    this.#requests.add(request)
    request.post(message)
    return done
  }

  async #deliver(core: WireCore, message: JsonRpcMessage): Promise<void> {
    const delivery = new Delivery(core, message)
    this.#deliveries.add(delivery)
    void delivery.post(message)
    try {
      await delivery.done
    } finally {
      this.#deliveries.delete(delivery)
    }
    const isReady = 'method' in message && message.method === 'notifications/initialized'
    if (isReady && this.#options.listen !== 'manual') this.listen()
  }

  /** Forgets the request; true when the server need not hear of it: it never left, or must not be cancelled. */
  #cancel({ params }: JsonRpcNotification): boolean {
    const request = this.#requests.forget(params?.requestId)
    if (request === undefined) return false
    const told = request.hasLeft && request.method !== 'initialize'
    // The notification first: a server may take the broken socket for a crash of ours.
    if (told) queueMicrotask(() => request.abandon())
    else request.abandon()
    this.#releaseWhenIdle()
    return !told
  }

  #park(request: OpenRequest): void {
    request.parked = true
    if (this.#draining || this.#listening?.postOnly) this.#refuseParked()
  }

  #refuseParked(): void {
    this.#requests.refuseWhere(
      (request) => request.parked,
      (request) => request.malformed('accepted without an answer, and no listening stream to answer on'),
    )
  }

  #adoptSession(request: PendingRequest, { protocolVersion }: Record<string, unknown>): void {
    this.#core?.headers.adopt(request.namedSession, typeof protocolVersion === 'string' ? protocolVersion : undefined)
  }

  /** A handler that throws must not break the stream its message came on. */
  #hand(message: JsonRpcMessage): void {
    try {
      this.onmessage?.(message)
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error('a message handler threw'))
    }
    this.#releaseWhenIdle()
  }

  #releaseWhenIdle(): void {
    if (this.#listening?.holds && !this.#core?.busy()) this.#listening.release()
  }

  #notOpen(): WireEvidence {
    const isNew = this.#state === 'new'
    const summary = isNew ? 'the wire is not started, or started twice' : 'the wire is closed, or about to be'
    return { kind: 'closed', wire: 'http', summary, sent: false }
  }
}
