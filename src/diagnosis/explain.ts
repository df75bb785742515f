import type { WireKind } from '../../machines/evidence.js'
import { redactValue } from '../redact.js'
import type { CaseFile } from './case-file.js'
import { checks } from './checks/index.js'
import { bad, type Finding, type Verdict } from './finding.js'
import type { Incident, OpenIncident, PastIncident } from './incident.js'
import { isOvercome, obstacle } from './reading.js'
import { type TimelineEntry, timelineOf } from './timeline.js'
import { plain, span } from './words.js'

/** Why a connection is as it is. Plain data without secrets; times are clock times in milliseconds. */
export interface Explanation {
  readonly name: string
  readonly wire: WireKind
  /** The command, or the address without query and credentials. */
  readonly target: string
  /** When this was explained. */
  readonly at: number
  readonly status: string
  /** Since when it has this status. */
  readonly since: number
  /** The whole of it in one or two sentences. */
  readonly summary: string
  /** The cause of the present trouble, or of the last; absent when nothing is wrong. */
  readonly cause?: Finding
  /** Every question that applies: what is bad first, causes before what follows from them. */
  readonly checklist: readonly Finding[]
  /** The incident that goes on, or the last one. Without `outcome` it goes on. */
  readonly incident?: OpenIncident & Partial<Incident>
  /** The story of that incident. */
  readonly timeline: readonly TimelineEntry[]
  /** Incidents before it. */
  readonly history: readonly PastIncident[]
  readonly lastLifeAt?: number
  readonly nextAttemptAt?: number
  /** Time that the last probe took. */
  readonly rttMs?: number
  readonly server?: { readonly name: string; readonly version: string; readonly protocolVersion: string }
  /** The last that the server process wrote to stderr, when it has to do with the trouble. */
  readonly lastWords?: string
  readonly calls: { readonly made: number; readonly waiting: number }
  readonly host: { readonly library: string; readonly runtime: string; readonly platform: string }
}

const order: Readonly<Record<Verdict, number>> = { bad: 0, unknown: 1, ok: 2 }

/**
 * Works through the checklist. Pure: the same file gives the same explanation.
 *
 * @param secrets values that must not be told, beside whatever looks like a credential
 */
export function explain(file: CaseFile, secrets: readonly string[] = []): Explanation {
  const found = checks
    .filter(({ applies }) => applies?.(file) ?? true)
    .map(({ id, question, look }): Finding => ({ id, question, ...look(file) }))
  const checklist = [...unexplained(file, found), ...found].sort((a, b) => order[a.verdict] - order[b.verdict])
  const [first] = checklist
  const cause = first?.verdict === 'bad' ? first : undefined
  const { session } = file.links.findLast((link) => link.session !== undefined) ?? {}
  const lastWords = cause && wordsOf(file)
  return redactValue(
    {
      name: file.name,
      wire: file.wire,
      target: file.target,
      at: file.now,
      status: file.status,
      since: file.statusSince,
      summary: `${standing(file)}${cause ? ` ${sentence(cause.evidence)}` : ''}`,
      ...(cause && { cause }),
      checklist,
      ...(file.trouble && { incident: file.trouble }),
      timeline: timelineOf(file),
      history: file.history,
      ...(file.lastLifeAt !== undefined && { lastLifeAt: file.lastLifeAt }),
      ...(file.nextAttemptAt !== undefined && { nextAttemptAt: file.nextAttemptAt }),
      ...(file.rttMs !== undefined && { rttMs: file.rttMs }),
      ...(session && { server: { ...session.server, protocolVersion: session.protocolVersion } }),
      ...(lastWords && { lastWords }),
      calls: file.calls,
      host: file.host,
    },
    {},
    secrets,
  )
}

/** What stands in the way and no question is about: a rule of the application's own, something not known before. */
function unexplained(file: CaseFile, found: readonly Finding[]): Finding[] {
  const fault = obstacle(file)
  if (!fault || found.some(({ verdict }) => verdict === 'bad')) return []
  const evidence = `${fault.code}: ${plain(fault.evidence.summary)}`
  return [{ id: 'fault', question: 'What stands in the way?', ...bad(evidence, fault.advice) }]
}

function standing(file: CaseFile): string {
  const { status, statusSince, trouble, now, nextAttemptAt, counters, policy } = file
  const lasts = span(now - statusSince)
  switch (status) {
    case 'ready':
      return isOvercome(file)
        ? `Ready since ${lasts}, after a trouble of ${span(trouble?.durationMs ?? 0)}.`
        : `Ready since ${lasts}.`
    case 'backoff': {
      const next = nextAttemptAt === undefined ? '' : `; the next attempt comes in ${span(nextAttemptAt - now)}`
      return `${trouble?.kind === 'loss' ? 'Lost' : 'Not connected'}, ${counters.attempts} of ${policy.maxAttempts} attempts used${next}.`
    }
    case 'failed':
      return `Given up ${lasts} ago.`
    case 'reauthorizing':
      return `Waiting for a new credential since ${lasts}.`
    case 'idle':
      return trouble?.outcome === 'disconnected' || file.links.length > 0
        ? `Disconnected ${lasts} ago.`
        : 'Not started.'
    case 'closed':
      return `Closed ${lasts} ago.`
    default:
      return `${sentence(status)} since ${lasts}.`.replace('. since', ' since')
  }
}

function sentence(text: string): string {
  // An address keeps its spelling.
  const first = /^\w+:\/\//.test(text) ? text : text.slice(0, 1).toUpperCase() + text.slice(1)
  return /[.!?…]$/.test(first) ? first : `${first}.`
}

/** Of the process that ended, or of the one that is silent. */
function wordsOf(file: CaseFile): string | undefined {
  const fault = obstacle(file) ?? file.trouble?.reason
  if (fault?.evidence.exit?.stderrTail) return fault.evidence.exit.stderrTail
  return fault?.evidence.kind === 'deadline' && file.stderr !== '' ? file.stderr : undefined
}
