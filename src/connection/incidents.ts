import type { Fault } from '../../machines/faults.js'
import type { ConnectionEmitted } from '../../machines/types.js'
import type { RestoredItem } from '../link/index.js'

/** From a loss to the recovery, or to the giving up: what began it, what was tried, how long it took. */
export interface Incident {
  /** `start`: the first connecting failed. `loss`: a connection that had been ready was lost. */
  readonly kind: 'start' | 'loss'
  /** Clock time in milliseconds. */
  readonly startedAt: number
  /** The fault that began it. What failed later is in `attempts`. */
  readonly reason: Fault
  /** What failed after that, in order; the last 20. */
  readonly attempts: readonly { readonly at: number; readonly fault: Fault }[]
  readonly outcome: 'recovered' | 'exhausted' | 'failed' | 'closed'
  /** What was put back into a new session, item by item. Only for `recovered`. */
  readonly restored?: readonly RestoredItem[]
  /** The old session was gone on with. Only for `recovered`. */
  readonly resumed?: boolean
  readonly durationMs: number
}

const KEPT_ATTEMPTS = 20

/** Makes incidents of the news of one connection. */
export class IncidentLog {
  #everReady = false
  #open:
    | { kind: 'start' | 'loss'; startedAt: number; reason: Fault; attempts: { at: number; fault: Fault }[] }
    | undefined

  /** Takes one piece of news; returns the incident that ended with it. */
  take(news: ConnectionEmitted, now: number, restored: readonly RestoredItem[] = []): Incident | undefined {
    switch (news.type) {
      case 'connection.lost':
        this.#lost(news.fault, now)
        return undefined
      case 'connection.ready':
        this.#everReady = true
        return this.#end('recovered', now, { resumed: news.resumed, restored })
      case 'connection.exhausted':
        return this.#end('exhausted', now)
      case 'connection.failed':
        return this.#end('failed', now)
      case 'connection.closed':
        return this.#end('closed', now)
      default:
        return undefined
    }
  }

  #lost(fault: Fault, now: number): void {
    if (!this.#open) {
      this.#open = { kind: this.#everReady ? 'loss' : 'start', startedAt: now, reason: fault, attempts: [] }
      return
    }
    this.#open.attempts.push({ at: now, fault })
    if (this.#open.attempts.length > KEPT_ATTEMPTS) this.#open.attempts.shift()
  }

  #end(outcome: Incident['outcome'], now: number, more?: Pick<Incident, 'resumed' | 'restored'>): Incident | undefined {
    const open = this.#open
    this.#open = undefined
    return open && { ...open, outcome, ...more, durationMs: now - open.startedAt }
  }
}
