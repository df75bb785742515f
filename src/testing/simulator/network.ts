import type { Chance } from './chance.js'
import type { DrivenClock } from './driven-clock.js'
import { type Path, SimulatedExchange } from './exchange.js'
import type { SimulatedTransport } from './transport.js'

/** Whoever serves what arrives. */
export interface Service {
  readonly up: boolean
  serve(exchange: SimulatedExchange): void
}

/** The way between the connection and its server, with its weather. */
export class SimulatedNetwork implements Path {
  silent = false
  refusing = false
  extraMs = 0
  readonly exchanges = new Set<SimulatedExchange>()
  readonly transports = new Set<SimulatedTransport>()
  readonly #clock: DrivenClock
  readonly #chance: Chance
  readonly #latencyMs: readonly [number, number]
  readonly #service: Service
  readonly #serviceOf: (url: URL) => Service | undefined
  readonly #seen: (exchange: SimulatedExchange) => void
  #number = 0

  constructor(
    clock: DrivenClock,
    chance: Chance,
    latencyMs: readonly [number, number],
    service: Service,
    /** Who else serves an address; without anybody, `service` does. */
    serviceOf: (url: URL) => Service | undefined,
    /** Hears of every exchange when it begins. */
    seen: (exchange: SimulatedExchange) => void,
  ) {
    this.#clock = clock
    this.#chance = chance
    this.#latencyMs = latencyMs
    this.#service = service
    this.#serviceOf = serviceOf
    this.#seen = seen
  }

  latency(): number {
    const [least, most] = this.#latencyMs
    return this.#chance.whole(least, most) + this.extraMs
  }

  /** Whether a new connection is taken just now. */
  get reachable(): boolean {
    return this.#service.up && !this.refusing
  }

  readonly fetch: typeof globalThis.fetch = (input, init = {}) => {
    const { method = 'GET', headers, body, signal } = init
    const url = new URL(String(input))
    const head = {
      number: ++this.#number,
      url,
      method,
      headers: headers instanceof Headers ? Object.fromEntries(headers) : ((headers ?? {}) as Record<string, string>),
      body: body === undefined || body === null ? undefined : String(body),
    }
    const service = this.#serviceOf(url) ?? this.#service
    const exchange = new SimulatedExchange(head, this.#clock, this, (over) => {
      this.exchanges.delete(over)
      signal?.removeEventListener('abort', abort)
    })
    const abort = () => exchange.abort(signal?.reason)
    this.exchanges.add(exchange)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort)
    this.#seen(exchange)
    exchange.travel(() => {
      if (!service.up || this.refusing) exchange.refuse('ECONNREFUSED')
      else service.serve(exchange)
    })
    return exchange.answered
  }

  /** Everything that is open breaks, where the other side has it; and what is dead without a sign shows it. */
  cut(): void {
    for (const exchange of [...this.exchanges]) exchange.reset()
    for (const transport of [...this.transports]) transport.cut()
  }

  /** Only what was dead without a sign shows it. */
  cutSilent(): void {
    for (const exchange of [...this.exchanges]) if (exchange.silent) exchange.reset()
    for (const transport of [...this.transports]) if (transport.silent) transport.cut()
  }

  /** From now on nothing of what is open gets through, and nobody is told: it went with the machine's sleep. */
  hush(): void {
    for (const exchange of this.exchanges) exchange.silent = true
    for (const transport of this.transports) transport.silent = true
  }
}
