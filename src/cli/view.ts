/** What is shown of one connection: plain data, made of snapshots and news. */
import type { Fault } from '../../machines/faults.js'
import {
  type Catalog,
  type ConfigError,
  type ConnectionEmitted,
  type ConnectionSnapshot,
  type Incident,
  type ServerStatus,
  statusOf,
} from '../index.js'
import type { Tone } from './style.js'
import { printable } from './text.js'

export interface View {
  readonly name: string
  /** What it connects to, without anything that may be secret: `stdio node`, `http host:port`. */
  readonly where: string
  readonly status: ServerStatus['status']
  /** The whole state, with the regions that are active at once in brackets. */
  readonly state: string
  /** Clock time at which the status began. */
  readonly since: number
  /** Clock time at which the connection was lost, while it is not back. */
  readonly downSince?: number
  /** What to run where only a person who logs in can help; absent otherwise. */
  readonly login?: string
  /** Absent until the lists were read once. */
  readonly tools?: number
  /** Attempts in a row that failed, and how many there may be. */
  readonly attempts: number
  readonly maxAttempts: number
  /** Clock time of the next attempt, while one is waited for and its time is known. */
  readonly nextAt?: number
  readonly fault?: Explained & { readonly at: number; readonly source: Fault | ConfigError }
  /** The last incident that is over. */
  readonly incident?: {
    readonly reason: string
    readonly outcome: Incident['outcome']
    readonly durationMs: number
    readonly endedAt: number
  }
}

/** A fault in the words for a person. */
interface Explained {
  readonly code: string
  readonly summary: string
  readonly advice: string
}

export function initialView(name: string, where: string, now: number): View {
  return {
    name: printable(name),
    where: printable(where),
    status: 'idle',
    state: 'idle',
    since: now,
    attempts: 0,
    maxAttempts: 0,
  }
}

/** A server without a connection: one that is disabled, or whose configuration cannot be used. */
export function withStatus(view: View, { status, error }: ServerStatus, now: number): View {
  const since = status === view.status ? view.since : now
  const known = error === view.fault?.source
  const fault = error && { code: 'config', summary: printable(error.message), advice: CORRECT, at: now, source: error }
  return { ...view, status, state: status, since, fault: known ? view.fault : fault }
}

const CORRECT = 'Correct the configuration; the change is taken up.'

/** `loginCommand`: what a person runs to log in to this server. */
export function withSnapshot(view: View, snapshot: ConnectionSnapshot, now: number, loginCommand?: string): View {
  const status = statusOf(snapshot)
  const state = stateText(snapshot.value)
  const { attempts, policy, coolMs, fault } = snapshot.context
  const cooling = state === 'backoff.cooling' && state !== view.state
  return {
    ...view,
    status,
    state,
    since: status === view.status ? view.since : now,
    login: snapshot.hasTag('needs-user') ? loginCommand : undefined,
    attempts,
    maxAttempts: policy.maxAttempts,
    nextAt: cooling ? now + coolMs : status === 'backoff' ? view.nextAt : undefined,
    ...(fault && fault !== view.fault?.source && { fault: { ...explained(fault), at: now, source: fault } }),
  }
}

/** News come before the snapshot that they belong to. */
export function withNews(view: View, news: ConnectionEmitted, now: number): View {
  switch (news.type) {
    case 'connection.lost':
      return { ...view, downSince: view.downSince ?? now }
    case 'connection.retrying':
      return { ...view, nextAt: now + news.inMs }
    case 'connection.ready':
      return { ...view, downSince: undefined }
    default:
      return view
  }
}

export function withCatalog(view: View, { tools, fetchedAt }: Catalog): View {
  return fetchedAt === 0 ? view : { ...view, tools: tools.length }
}

export function withIncident(view: View, { reason, outcome, durationMs }: Incident, now: number): View {
  return { ...view, incident: { reason: printable(reason.code), outcome, durationMs, endedAt: now } }
}

/** `backoff.waiting`; `linked.ready (health.steady, catalog.fresh, credentials.valid)`. */
export function stateText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const parts = Object.entries(value).map(([name, inner]) => {
    const rest = stateText(inner)
    return rest.startsWith('(') ? `${name} ${rest}` : `${name}.${rest}`
  })
  return parts.length === 1 ? String(parts[0]) : `(${parts.join(', ')})`
}

/** The state without its regions. */
export const mainState = (view: View): string => view.state.replace(/ \(.*$/, '')

/** How the state feels, for colours and marks. */
export function toneOf({ status }: View): Tone {
  switch (status) {
    case 'ready':
      return 'good'
    case 'failed':
      return 'bad'
    case 'idle':
    case 'closed':
    case 'disabled':
      return 'faint'
    default:
      return 'busy'
  }
}

function explained({ code, advice, evidence }: Fault): Explained {
  return { code: printable(code), summary: printable(evidence.summary), advice: printable(advice) }
}
