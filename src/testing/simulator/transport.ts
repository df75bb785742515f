import { isRequest, type JsonRpcMessage } from '../../wire/messages.js'
import type { TransportLike } from '../../wire/wire.js'
import type { DrivenClock } from './driven-clock.js'
import { networkError, type Path } from './exchange.js'
import type { SimulatedServer } from './server.js'
import type { ServerSession } from './session.js'

interface Way extends Path {
  readonly reachable: boolean
  readonly transports: Set<SimulatedTransport>
}

/** A transport as an application brings one, over the same network and server: one session for as long as it is open. */
export class SimulatedTransport implements TransportLike {
  onclose?: () => void
  onerror?: (error: Error) => void
  // biome-ignore lint/suspicious/noExplicitAny: as in TransportLike
  onmessage?: (message: any) => void
  silent = false
  state: 'new' | 'open' | 'over' = 'new'
  readonly #clock: DrivenClock
  readonly #way: Way
  readonly #server: SimulatedServer
  #session: ServerSession | undefined
  #reaches = { there: 0, back: 0 }

  constructor(clock: DrivenClock, way: Way, server: SimulatedServer) {
    this.#clock = clock
    this.#way = way
    this.#server = server
  }

  /** What the server remembers of whoever is at the other end. */
  get session(): ServerSession | undefined {
    return this.#session
  }

  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#way.transports.add(this)
      this.#travel('there', () => {
        if (this.#way.reachable) {
          this.state = 'open'
          resolve()
          return
        }
        this.#end()
        reject(networkError('ECONNREFUSED'))
      })
    })
  }

  send(message: JsonRpcMessage): Promise<void> {
    if (this.state !== 'open') return Promise.reject(new Error('not open'))
    // As the SDK's own transports do, the message is written before anybody can change it.
    const sent: JsonRpcMessage = JSON.parse(JSON.stringify(message))
    this.#travel('there', () => this.#receive(sent))
    return Promise.resolve()
  }

  close(): Promise<void> {
    if (this.state !== 'over') {
      this.#end()
      this.onclose?.()
    }
    return Promise.resolve()
  }

  /** The other side is gone, or the way to it. */
  cut(): void {
    if (this.state !== 'open') return
    this.#end()
    this.onclose?.()
  }

  #receive(message: JsonRpcMessage): void {
    if (!isRequest(message)) {
      if (this.#session) this.#server.asks.hear(this.#session, message)
      return
    }
    const respond = (body: object) => this.#back({ jsonrpc: '2.0', id: message.id, ...body } as JsonRpcMessage)
    if (message.method === 'initialize') {
      const session = this.#server.begin()
      session.notify = (notification) => this.#back(notification)
      this.#session = session
      respond({ result: this.#server.greeting(message) })
    } else if (this.#session) this.#server.handle(this.#session, message, respond, (meanwhile) => this.#back(meanwhile))
  }

  #back(message: JsonRpcMessage): void {
    this.#travel('back', () => this.onmessage?.(message))
  }

  /** In order, each way for itself. */
  #travel(direction: 'there' | 'back', fn: () => void): void {
    const at = Math.max(this.#reaches[direction], this.#clock.elapsed + this.#way.latency())
    this.#reaches[direction] = at
    this.#clock.plan(at - this.#clock.elapsed, () => {
      if (this.state === 'over') return
      this.silent ||= this.#way.silent
      if (!this.silent) fn()
    })
  }

  #end(): void {
    this.state = 'over'
    this.#way.transports.delete(this)
    if (this.#session) this.#server.sessions.delete(this.#session.id)
  }
}
