import type { Fault } from '../../machines/faults.js'
import type { Link } from './port.js'

/** One thing that the server has to remember for us, and whether it does. */
export interface RestoredItem {
  readonly what: 'logLevel' | 'subscription'
  /** The level, or the resource's URI. */
  readonly value: string
  /** Why it could not be put back; it is tried again. */
  readonly fault?: Fault
}

/**
 * What the application asked the server to remember: the log level and resource subscriptions. It belongs to the
 * session, so every new session has to be told again; one that is gone on with remembers.
 */
export class Restoration {
  #logLevel: string | undefined
  readonly #subscriptions = new Set<string>()
  /** What the present session was told. */
  readonly #told = new Set<string>()

  get logLevel(): string | undefined {
    return this.#logLevel
  }
  get subscriptions(): readonly string[] {
    return [...this.#subscriptions]
  }

  wantLogLevel(level: string | undefined): void {
    this.#logLevel = level
  }
  wantSubscription(uri: string): void {
    this.#subscriptions.add(uri)
  }
  dropSubscription(uri: string): void {
    this.#subscriptions.delete(uri)
    this.#told.delete(keyOf('subscription', uri))
  }

  /** The present session was told of it. */
  noteTold(what: RestoredItem['what'], value: string): void {
    this.#told.add(keyOf(what, value))
  }

  /** A new session knows nothing. */
  forgetTold(): void {
    this.#told.clear()
  }

  /** Tells the session what it does not know yet, each item for itself. */
  async restore(
    link: Link,
    can: { logging: boolean; subscribe: boolean },
    judge: (error: unknown) => Fault,
  ): Promise<RestoredItem[]> {
    const due: { what: RestoredItem['what']; value: string; method: string; params: Record<string, unknown> }[] = []
    if (can.logging && this.#logLevel !== undefined) {
      due.push({
        what: 'logLevel',
        value: this.#logLevel,
        method: 'logging/setLevel',
        params: { level: this.#logLevel },
      })
    }
    for (const uri of can.subscribe ? this.#subscriptions : []) {
      due.push({ what: 'subscription', value: uri, method: 'resources/subscribe', params: { uri } })
    }
    const untold = due.filter(({ what, value }) => !this.#told.has(keyOf(what, value)))
    return Promise.all(
      untold.map(async ({ what, value, method, params }): Promise<RestoredItem> => {
        try {
          await link.request(method, params)
          this.noteTold(what, value)
          return { what, value }
        } catch (error) {
          return { what, value, fault: judge(error) }
        }
      }),
    )
  }
}

const keyOf = (what: RestoredItem['what'], value: string): string => `${what} ${value}`
