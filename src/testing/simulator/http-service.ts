import { isRequest, type JsonRpcMessage, type JsonRpcRequest } from '../../wire/messages.js'
import { EventLog } from './event-log.js'
import type { SimulatedExchange } from './exchange.js'
import type { Service } from './network.js'
import { lossOf, type StatusName, statuses, type Whole } from './refusals.js'
import type { Answer, SimulatedServer } from './server.js'
import type { ServerSession } from './session.js'

/** Answers that stand in for the server's own. */
export interface StandIn {
  readonly status: StatusName
  left: number
  readonly retryAfterS?: number
  /** The server runs the request first: a proxy before it has given up waiting. */
  readonly afterRunning: boolean
}

const eventStream = { 'content-type': 'text/event-stream' }

/** Streamable HTTP in front of the simulated server. */
export class HttpService implements Service {
  standIn: StandIn | undefined
  /** The next call is cut off before or after it has run. */
  cutsCall: 'before' | 'after' | undefined
  /** The session in which the last message came. */
  lastUsed: ServerSession | undefined
  readonly #server: SimulatedServer
  readonly #plan: (ms: number, fn: () => void) => void
  readonly #logs = new WeakMap<ServerSession, Map<string, EventLog>>()
  /** Of a server that gives out no session ids: what it remembers of the last client. */
  #only: ServerSession | undefined
  #streams = 0

  constructor(server: SimulatedServer, plan: (ms: number, fn: () => void) => void) {
    this.#server = server
    this.#plan = plan
  }

  get up(): boolean {
    return this.#server.up
  }

  serve(exchange: SimulatedExchange): void {
    if (exchange.method === 'GET') this.#get(exchange)
    else if (exchange.method === 'DELETE') this.#delete(exchange)
    else this.#post(exchange, JSON.parse(exchange.body ?? 'null'))
  }

  /** All listening streams end as they do before a proxy that has waited long enough. */
  endStreams(): void {
    for (const session of this.#server.sessions.values()) this.#logs.get(session)?.get('listen')?.leave()
  }

  /** The client can be asked for something in this session. */
  isListenedTo(session: ServerSession): boolean {
    return this.#logs.get(session)?.get('listen')?.isRead ?? false
  }

  #post(exchange: SimulatedExchange, message: JsonRpcMessage): void {
    if (!isRequest(message)) {
      const session = this.#find(exchange)
      if (!session) this.#lose(exchange, null)
      else {
        this.#server.asks.hear(session, message)
        exchange.whole({ status: 202 })
      }
      return
    }
    const standIn = this.#takeStandIn()
    if (standIn && !standIn.afterRunning) {
      exchange.asksMs = (standIn.retryAfterS ?? 0) * 1_000
      exchange.whole(standInOf(standIn))
      return
    }
    if (message.method === 'initialize') {
      this.#begin(exchange, message)
      return
    }
    const session = this.#find(exchange)
    if (!session) this.#lose(exchange, message.id)
    else if (standIn) this.#server.handle(session, message, () => exchange.whole(standInOf(standIn)))
    else if (message.method === 'tools/call' && this.cutsCall) this.#cutCall(exchange, session, message)
    else this.#answer(exchange, session, message)
  }

  #takeStandIn(): StandIn | undefined {
    const { standIn } = this
    if (!standIn) return undefined
    standIn.left -= 1
    if (standIn.left <= 0) this.standIn = undefined
    return standIn
  }

  #cutCall(exchange: SimulatedExchange, session: ServerSession, message: JsonRpcRequest): void {
    const when = this.cutsCall
    this.cutsCall = undefined
    if (when === 'before') exchange.reset()
    else this.#server.handle(session, message, () => exchange.reset())
  }

  #begin(exchange: SimulatedExchange, request: JsonRpcRequest): void {
    const session = this.#server.begin()
    this.#only = session
    const headers: Record<string, string> = this.#server.traits.sessions ? { 'mcp-session-id': session.id } : {}
    session.notify = (message) => this.#log(session, 'listen').push(message)
    const result = { jsonrpc: '2.0' as const, id: request.id, result: this.#server.greeting(request) }
    const whole = this.#server.traits.replies === 'json' ? json(result) : asEvent(result)
    exchange.whole({ ...whole, headers })
  }

  #answer(exchange: SimulatedExchange, session: ServerSession, request: JsonRpcRequest): void {
    const { id } = request
    const message = (answer: Answer): JsonRpcMessage => ({ jsonrpc: '2.0', id, ...answer })
    if (this.#server.traits.replies === 'json') {
      this.#server.handle(session, request, (answer) => exchange.whole(json(message(answer))))
      return
    }
    const log = this.#log(session, `reply-${++this.#streams}`)
    exchange.head(200, eventStream)
    log.join(exchange)
    if (log.numbered) log.push(undefined)
    const tell = (meanwhile: JsonRpcMessage) => log.push(meanwhile)
    const finish = (answer: Answer) => {
      log.push(message(answer))
      log.close()
    }
    this.#server.handle(session, request, finish, tell)
  }

  #get(exchange: SimulatedExchange): void {
    const { traits } = this.#server
    const session = this.#find(exchange)
    if (!session) {
      this.#lose(exchange, null)
      return
    }
    const [name = 'listen', after] = exchange.lastEventId?.split(':') ?? []
    if (name === 'listen' && !traits.listening) {
      exchange.whole({ status: 405 })
      return
    }
    const log = this.#logs.get(session)?.get(name) ?? (name === 'listen' ? this.#log(session, name) : undefined)
    if (!log || (after !== undefined && !log.numbered)) exchange.whole({ status: 400 })
    else if (log.taken) exchange.whole({ status: 409 })
    else {
      exchange.head(200, eventStream)
      log.join(exchange, after === undefined ? undefined : Number(after))
    }
  }

  #delete(exchange: SimulatedExchange): void {
    const { endStatus } = this.#server.traits
    // 405: the server lets no client end a session.
    if (endStatus !== 405 && exchange.session !== undefined) this.#server.sessions.delete(exchange.session)
    exchange.whole({ status: endStatus })
  }

  #find(exchange: SimulatedExchange): ServerSession | undefined {
    const id = exchange.session
    const session = !this.#server.traits.sessions ? this.#only : id === undefined ? undefined : this.#server.find(id)
    if (exchange.method === 'POST') this.lastUsed = session
    return session
  }

  #lose(exchange: SimulatedExchange, id: unknown): void {
    const loss = lossOf(this.#server.traits.lossDialect, id)
    exchange.losesSession = exchange.method === 'POST'
    exchange.whole(loss.status === 200 && exchange.method === 'GET' ? { status: 404 } : loss)
  }

  #log(session: ServerSession, name: string): EventLog {
    const logs = this.#logs.get(session) ?? new Map<string, EventLog>()
    this.#logs.set(session, logs)
    const log = logs.get(name) ?? new EventLog(name, this.#server.traits.eventIds, this.#plan)
    logs.set(name, log)
    return log
  }
}

const json = (message: object): Whole => ({ status: 200, type: 'application/json', body: JSON.stringify(message) })

const asEvent = (message: object): Whole => ({
  status: 200,
  type: 'text/event-stream',
  body: `event: message\ndata: ${JSON.stringify(message)}\n\n`,
})

const standInOf = ({ status, retryAfterS }: StandIn): Whole => ({
  ...statuses[status],
  ...(retryAfterS !== undefined && { headers: { 'retry-after': String(retryAfterS) } }),
})
