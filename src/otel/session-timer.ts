import type { ConnectionEmitted } from '../../machines/types.js'
import { type Clock, elapsed } from '../clock.js'
import type { Attributes } from './types.js'

/**
 * How long sessions last. A session outlives its links where it is gone on with; it ends when the server loses it, when
 * another takes its place, or when the application has done with it.
 */
export class SessionTimer {
  readonly #clock: Clock
  readonly #describe: () => Attributes
  readonly #record: (durationMs: number, attributes: Attributes) => void
  #session: { readonly begunAt: number; readonly attributes: Attributes } | undefined
  /** When and how the link was lost under it; whether the session lives, the next link tells. */
  #lost: { readonly at: number; readonly code: string } | undefined

  /** `describe` is asked when a session begins: at its end there may be none to ask about. */
  constructor(clock: Clock, describe: () => Attributes, record: (durationMs: number, attributes: Attributes) => void) {
    this.#clock = clock
    this.#describe = describe
    this.#record = record
  }

  take(news: ConnectionEmitted): void {
    switch (news.type) {
      case 'connection.lost':
        this.#lost ??= { at: elapsed(this.#clock), code: news.fault.code }
        break
      case 'connection.ready':
        if (news.resumed && this.#session) this.#lost = undefined
        else {
          this.end()
          this.begin()
        }
        break
      case 'connection.disconnected':
      case 'connection.closed':
      case 'connection.failed':
      case 'connection.exhausted':
        this.end()
    }
  }

  begin(): void {
    this.#session = { begunAt: elapsed(this.#clock), attributes: this.#describe() }
  }

  end(): void {
    const [session, lost] = [this.#session, this.#lost]
    this.#session = undefined
    this.#lost = undefined
    if (!session) return
    const durationMs = (lost?.at ?? elapsed(this.#clock)) - session.begunAt
    this.#record(durationMs, { ...session.attributes, ...(lost && { 'error.type': lost.code }) })
  }
}
