import { Observable } from 'rxjs'
import type { Fault } from '../../machines/faults.js'
import type { ConnectionEmitted } from '../../machines/types.js'
import type { Incident } from '../diagnosis/index.js'
import type { ListChange } from '../link/index.js'
import { redactValue } from '../redact.js'
import type { Connection } from './connection.js'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** One line of a structured log: plain data without secrets. */
export interface LogEvent {
  readonly level: LogLevel
  /** Stable and for programs: `connection.lost`, `connection.status`, `incident.ended`, `lists.changed`, … */
  readonly event: string
  /** Name of the connection. */
  readonly connection: string
  /** One sentence for a person. */
  readonly message: string
  /** Figures and codes of the event: `code`, `phase`, `attempt`, `inMs`, `durationMs`, … */
  readonly fields: Readonly<Record<string, string | number | boolean | readonly string[]>>
}

/** As much of a logger as is needed here; those of pino, bunyan and Fastify fit. */
export interface LoggerLike {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * What happens to a connection, as structured log events: its news, changes of its status and lists, and every incident
 * when it ends. Completes when the connection is over. Costs nothing while nobody subscribes.
 */
export function logEvents(connection: Connection): Observable<LogEvent> {
  return new Observable((subscriber) => {
    const tell = ([level, event, message, fields]: Line) =>
      subscriber.next(redactValue({ level, event, connection: connection.name, message, fields }))
    const news = connection.actor.on('*', (one) => tell(newsLine(one)))
    const incidents = connection.incidents$.subscribe((incident) => tell(incidentLine(incident)))
    const changes = connection.changes$.subscribe((lists) => {
      for (const change of lists) tell(changeLine(change))
    })
    const statuses = connection.status$.subscribe({
      next: (status) => tell(['debug', 'connection.status', `the connection is ${status}`, { status }]),
      complete: () => subscriber.complete(),
    })
    return () => {
      for (const subscription of [news, incidents, changes, statuses]) subscription.unsubscribe()
    }
  })
}

/**
 * Writes the events of {@link logEvents} to a logger: `logTo(connection, pino())`.
 *
 * @returns what ends it; it ends by itself with the connection
 */
export function logTo(connection: Connection, logger: LoggerLike): () => void {
  const subscription = logEvents(connection).subscribe(({ level, event, connection: name, message, fields }) => {
    logger[level]({ event, connection: name, ...fields }, message)
  })
  return () => subscription.unsubscribe()
}

type Line = readonly [level: LogLevel, event: string, message: string, fields: LogEvent['fields']]

function newsLine(news: ConnectionEmitted): Line {
  const { type } = news
  switch (type) {
    case 'connection.ready': {
      const { generation, resumed } = news
      return ['info', type, `ready${resumed ? ' again, in the old session' : ''}`, { generation, resumed }]
    }
    case 'connection.lost':
      return ['warn', type, `lost: ${told(news.fault)}`, faultFields(news.fault)]
    case 'connection.retrying': {
      const { attempt, inMs } = news
      return ['info', type, `attempt ${attempt} comes in ${Math.round(inMs)} ms`, { attempt, inMs: Math.round(inMs) }]
    }
    case 'connection.held': {
      const { because, inMs } = news
      return ['info', type, `held at the gate (${because})`, { because, inMs: Math.round(inMs) }]
    }
    case 'connection.exhausted':
      return ['error', type, `given up for now: ${told(news.fault)}`, faultFields(news.fault)]
    case 'connection.failed':
      return ['error', type, `given up: ${told(news.fault)}`, faultFields(news.fault)]
    case 'connection.needs-user':
      return ['warn', type, 'a person has to log in', {}]
    case 'connection.disconnected':
      return ['info', type, 'disconnected by the application', {}]
    case 'connection.closed':
      return ['info', type, 'closed by the application', {}]
    default:
      // News of an extended chart. What they carry is the application's, and may be secret.
      return ['info', type satisfies never, 'told by an added state', {}]
  }
}

const told = ({ code, evidence, advice }: Fault): string => `${code}, ${evidence.summary}. ${advice}`

function faultFields({ code, class: kind, evidence, advice, retryAfterMs }: Fault): LogEvent['fields'] {
  const { phase, http, errno, exit } = evidence
  return {
    code,
    class: kind,
    phase,
    summary: evidence.summary,
    advice,
    ...(http && { status: http.status }),
    ...(errno !== undefined && { errno }),
    ...(exit && { exitCode: exit.code ?? -1, ...(exit.signal && { signal: exit.signal }) }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

function incidentLine({ kind, outcome, durationMs, failures, reason, resumed }: Incident): Line {
  const message = `${kind} by ${reason.code}, ${outcome} after ${durationMs} ms and ${failures} failed attempts`
  const fields = { kind, outcome, durationMs, failures, code: reason.code, ...(resumed !== undefined && { resumed }) }
  return [outcome === 'recovered' ? 'info' : 'warn', 'incident.ended', message, fields]
}

function changeLine({ list, added, removed, changed }: ListChange): Line {
  const message = `${list}: ${added.length} added, ${removed.length} removed, ${changed.length} changed`
  return [removed.length > 0 ? 'warn' : 'info', 'lists.changed', message, { list, added, removed, changed }]
}
