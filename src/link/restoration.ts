import type { Fault } from '../../machines/faults.js'
import { Turns } from './turns.js'

/** One thing that the server has to remember for us, and whether it does. */
export interface RestoredItem {
  readonly what: 'logLevel' | 'subscription'
  /** The level, or the resource's URI. */
  readonly value: string
  /** Why it could not be put back; it is tried again. */
  readonly fault?: Fault
}

/** What a wish is about, where it is the log level; a subscription is about its resource. */
export const LOG_LEVEL = 'log level'

/** What a session is told. */
type Telling = Pick<RestoredItem, 'what' | 'value'>

/** Asks the server something. */
export type Ask = (method: string, params: Record<string, unknown>) => Promise<unknown>

/**
 * What the application asked the server to remember: the log level and resource subscriptions. It belongs to the
 * session, so every new session has to be told again; one that is gone on with remembers.
 */
export class Restoration {
  #logLevel: string | undefined
  #subscriptions: Set<string> | undefined
  /** What the present session was told: the last level, and the resources. */
  #toldLevel: string | undefined
  #told: Set<string> | undefined
  #turns: Turns | undefined

  get logLevel(): string | undefined {
    return this.#logLevel
  }
  get subscriptions(): readonly string[] {
    return [...(this.#subscriptions ?? [])]
  }

  wantLogLevel(level: string | undefined): void {
    this.#logLevel = level
  }
  wantSubscription(uri: string): void {
    this.#subscriptions ??= new Set()
    this.#subscriptions.add(uri)
  }
  dropSubscription(uri: string): void {
    this.#subscriptions?.delete(uri)
    this.#told?.delete(uri)
  }

  /** The present session was told of it. What was given up meanwhile is being taken back. */
  noteTold(what: RestoredItem['what'], value: string): void {
    if (what === 'logLevel') this.#toldLevel = value
    else if (this.#subscriptions?.has(value)) {
      this.#told ??= new Set()
      this.#told.add(value)
    }
  }

  /** A new session knows nothing. */
  forgetTold(): void {
    this.#toldLevel = undefined
    this.#told = undefined
  }

  /** What the application asks the server to remember is asked in the order of its wishes, and of what is restored. */
  inTurn<T>(subject: string, work: () => Promise<T>): Promise<T> {
    this.#turns ??= new Turns()
    return this.#turns.take(subject, work)
  }

  /**
   * Tells the session what it does not know yet, each item for itself. `live`: the application's own requests get
   * through, so that what it is just asking for is left to them.
   */
  restore(
    ask: Ask,
    can: { logging: boolean; subscribe: boolean },
    judge: (error: unknown) => Fault,
    live = false,
  ): Promise<RestoredItem[]> {
    const tellings = this.#untold(can).flatMap((telling) => {
      const subject = telling.what === 'logLevel' ? LOG_LEVEL : telling.value
      const tell = () => this.#tell(telling, ask, judge)
      if (!this.#turns?.has(subject)) return [this.inTurn(subject, tell)]
      return live ? [] : [tell()]
    })
    return Promise.all(tellings)
  }

  #untold(can: { logging: boolean; subscribe: boolean }): Telling[] {
    const level = this.#logLevel
    const uris = can.subscribe ? this.subscriptions.filter((uri) => !this.#told?.has(uri)) : []
    return [
      ...(can.logging && level !== undefined && level !== this.#toldLevel
        ? [{ what: 'logLevel' as const, value: level }]
        : []),
      ...uris.map((value) => ({ what: 'subscription' as const, value })),
    ]
  }

  async #tell({ what, value }: Telling, ask: Ask, judge: (error: unknown) => Fault): Promise<RestoredItem> {
    try {
      await (what === 'logLevel'
        ? ask('logging/setLevel', { level: value })
        : ask('resources/subscribe', { uri: value }))
    } catch (error) {
      return { what, value, fault: judge(error) }
    }
    this.noteTold(what, value)
    return { what, value }
  }
}
