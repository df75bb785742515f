import type { Fault } from '../../machines/faults.js'
import type { ConnectionEmitted } from '../../machines/types.js'
import type { FailedAttempt, Incident, OpenIncident, PastIncident, RestoredThing } from '../diagnosis/index.js'

const KEPT_ATTEMPTS = 20
const KEPT_INCIDENTS = 10

/** Makes incidents of the news of one connection, and remembers the last ones. */
export class IncidentLog {
  #everReady = false
  #open: OpenIncident | undefined
  #last: Incident | undefined
  #earlier: readonly PastIncident[] | undefined
  /** What the present row of incidents goes back to, until the connection is ready or the application interferes. */
  #origin: { readonly at: number; readonly fault: Fault } | undefined

  /** The incident that goes on now. */
  get open(): OpenIncident | undefined {
    return this.#open
  }

  /** The incident that goes on, or the last one. */
  get trouble(): (OpenIncident & Partial<Incident>) | undefined {
    return this.#open ?? this.#last
  }

  /** Incidents before that. */
  get history(): readonly PastIncident[] {
    const earlier = this.#earlier ?? []
    return this.#open && this.#last ? [...earlier, past(this.#last)] : earlier
  }

  /**
   * Takes one piece of news; returns the incident that ended with it.
   *
   * @param attempt when the attempt began that these news are about
   */
  take(
    news: ConnectionEmitted,
    now: number,
    attempt: { readonly begunAt: number },
    restored: readonly RestoredThing[] = [],
  ): Incident | undefined {
    switch (news.type) {
      case 'connection.lost':
        this.#lost(news.fault, now, now - attempt.begunAt)
        return undefined
      case 'connection.ready':
        this.#everReady = true
        return this.end('recovered', now, { resumed: news.resumed, restored })
      case 'connection.exhausted':
        return this.end('exhausted', now)
      case 'connection.failed':
        return this.end('failed', now)
      case 'connection.disconnected':
        return this.end('disconnected', now)
      case 'connection.closed':
        return this.end('closed', now)
      default:
        return undefined
    }
  }

  end(outcome: Incident['outcome'], now: number, more?: Pick<Incident, 'resumed' | 'restored'>): Incident | undefined {
    const open = this.#open
    this.#open = undefined
    // Given up is not over: what comes next goes back to the same disconnect.
    this.#origin =
      open && (outcome === 'exhausted' || outcome === 'failed')
        ? (open.origin ?? { at: open.startedAt, fault: open.reason })
        : undefined
    if (!open) return undefined
    if (this.#last) this.#earlier = [...(this.#earlier ?? []), past(this.#last)].slice(-KEPT_INCIDENTS)
    this.#last = { ...open, outcome, ...more, durationMs: now - open.startedAt }
    return this.#last
  }

  #lost(fault: Fault, now: number, lastedMs: number): void {
    const open = this.#open
    if (!open) {
      const kind = this.#origin ? 'reconnect' : this.#everReady ? 'loss' : 'start'
      const origin = this.#origin
      this.#open = { kind, startedAt: now, reason: fault, ...(origin && { origin }), attempts: [], failures: 0 }
      return
    }
    const failed: FailedAttempt = { at: now, lastedMs, fault }
    this.#open = {
      ...open,
      attempts: [...open.attempts, failed].slice(-KEPT_ATTEMPTS),
      failures: open.failures + 1,
    }
  }
}

function past({ kind, startedAt, failures, outcome, durationMs, reason: { code } }: Incident): PastIncident {
  return { kind, startedAt, failures, outcome, durationMs, code }
}
