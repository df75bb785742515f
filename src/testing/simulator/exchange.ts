import { SimulatedBody } from './body.js'
import type { DrivenClock, DrivenTimer } from './driven-clock.js'
import type { Whole } from './refusals.js'

export interface ExchangeHead {
  readonly number: number
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** What the weather on the way does to what travels. */
export interface Path {
  /** One way, in milliseconds. */
  latency(): number
  /** Nothing gets through, and nobody is told. */
  readonly silent: boolean
}

/** To the server itself, and not about credentials. */
export const isOfServer = ({ url }: SimulatedExchange): boolean => /^\/(mcp|\d)$/.test(url.pathname)

/** A failure as `fetch` reports it: the code hides in the cause. */
export const networkError = (code: string): Error =>
  Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(code), { code }) })

/** One HTTP exchange on its way through the network: a request there, a head and chunks back, in order. */
export class SimulatedExchange {
  readonly number: number
  readonly url: URL
  readonly method: string
  readonly session: string | undefined
  readonly lastEventId: string | undefined
  readonly authorization: string | undefined
  readonly body: string | undefined
  readonly answered: Promise<Response>
  /** Nothing more of it gets through, and neither side knows. */
  silent = false
  over = false
  /** The server got it. */
  arrived = false
  /** The status, once the head has reached the client. */
  status: number | undefined
  /** Tells the server side that nobody reads any more. */
  onGone: (() => void) | undefined
  /** Tells what watches that an answer came whole. */
  onEnd: (() => void) | undefined
  /** Tells what watches that the connection broke. */
  onBroken: ((code: string) => void) | undefined
  /** Tells what watches that the client gave it up. */
  onAborted: (() => void) | undefined
  /** The answer says that the server does not know the session. */
  losesSession = false
  /** The answer asks for so much time, in milliseconds. */
  asksMs = 0
  readonly #clock: DrivenClock
  readonly #path: Path
  readonly #onOver: (exchange: SimulatedExchange) => void
  readonly #travelling = new Set<DrivenTimer>()
  #resolve: (response: Response) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  #body: SimulatedBody | undefined
  #reachesAt = 0

  constructor(head: ExchangeHead, clock: DrivenClock, path: Path, onOver: (exchange: SimulatedExchange) => void) {
    this.number = head.number
    this.method = head.method
    this.session = head.headers['mcp-session-id']
    this.lastEventId = head.headers['last-event-id']
    this.authorization = head.headers.authorization
    this.url = head.url
    this.body = head.body
    this.#clock = clock
    this.#path = path
    this.#onOver = onOver
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** Brings the request to the other side. */
  travel(arrive: () => void): void {
    this.#deliver(() => {
      this.arrived = true
      arrive()
    })
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    this.#deliver(() => {
      this.status = status
      this.#body = new SimulatedBody()
      // As much of a Response as a client of HTTP looks at.
      const response = { status, ok: status < 300, headers: new Headers(headers), body: this.#body }
      this.#resolve(response as unknown as Response)
    })
  }

  chunk(text: string): void {
    this.#deliver(() => this.#body?.push(text))
  }

  end(): void {
    this.#deliver(() => {
      this.#finish()
      this.#body?.end()
      this.onEnd?.()
    })
  }

  whole({ status, type, headers, body }: Whole): void {
    this.head(status, { ...(type && { 'content-type': type }), ...headers })
    if (body !== undefined) this.chunk(body)
    this.end()
  }

  /** The request is not taken: nobody listens there. */
  refuse(code: string): void {
    this.#deliver(() => this.reset(code))
  }

  /** The connection breaks now; both sides are told. */
  reset(code = 'ECONNRESET'): void {
    if (this.over) return
    this.#finish()
    const error = networkError(code)
    if (this.#body) this.#body.fail(error)
    else this.#reject(error)
    this.onGone?.()
    this.onBroken?.(code)
  }

  /** The client has no more use for it. */
  abort(reason: unknown): void {
    if (this.over) return
    const { silent } = this
    this.#finish()
    if (this.#body) this.#body.fail(reason)
    else this.#reject(reason)
    // Where nothing gets through, the server does not hear of it either.
    if (!silent && !this.#path.silent) this.onGone?.()
    this.onAborted?.()
  }

  #deliver(fn: () => void): void {
    if (this.over) return
    const at = Math.max(this.#reachesAt, this.#clock.elapsed + this.#path.latency())
    this.#reachesAt = at
    const timer = this.#clock.plan(at - this.#clock.elapsed, () => {
      this.#travelling.delete(timer)
      if (this.over) return
      this.silent ||= this.#path.silent
      if (!this.silent) fn()
    })
    this.#travelling.add(timer)
  }

  #finish(): void {
    this.over = true
    for (const timer of this.#travelling) this.#clock.clearTimeout(timer)
    this.#travelling.clear()
    this.#onOver(this)
  }
}
