/** The story of the present or last trouble, in the order in which it happened. */
import type { Fault } from '../../machines/faults.js'
import type { CaseFile } from './case-file.js'
import type { Incident } from './incident.js'
import { count, names, plain, span } from './words.js'

export interface TimelineEntry {
  /** Clock time, in milliseconds. */
  readonly at: number
  readonly text: string
}

export function timelineOf({ trouble, changes }: CaseFile): TimelineEntry[] {
  if (!trouble) return []
  const { origin, startedAt, reason, attempts, failures, kind } = trouble
  const began = { start: 'the first connecting failed', loss: 'lost', reconnect: 'tried again, and failed again' }[kind]
  const dropped = failures - attempts.length
  const entries = [
    ...(origin ? [{ at: origin.at, text: `it began with ${told(origin.fault)}` }] : []),
    { at: startedAt, text: `${began}: ${told(reason)}` },
    ...(dropped > 0 ? [{ at: startedAt, text: `${count(dropped, 'further failure')} (left out)` }] : []),
    ...attempts.map(({ at, lastedMs, fault }) => ({
      at,
      text: `an attempt failed after ${span(lastedMs)}, while ${fault.evidence.phase}: ${told(fault)}`,
    })),
    ...(trouble.outcome ? [endOf(trouble as Incident)] : []),
    ...changes
      .filter(({ at }) => at >= startedAt)
      .map((change) => ({ at: change.at, text: `${change.list} read again: ${differences(change)}` })),
  ]
  return entries.sort((a, b) => a.at - b.at)
}

const told = ({ code, evidence }: Fault): string => `${code} (${plain(evidence.summary)})`

const ends: Readonly<Record<Incident['outcome'], string>> = {
  recovered: 'ready again',
  exhausted: 'given up for now: every attempt is used up',
  failed: 'given up: waiting would not cure it',
  disconnected: 'disconnected by the application',
  closed: 'closed by the application',
}

function endOf({ startedAt, durationMs, outcome, resumed, restored = [] }: Incident): TimelineEntry {
  const how = outcome === 'recovered' ? `, ${resumed ? 'in the old session' : 'in a new session'}` : ''
  const [well, ill] = [restored.filter(({ fault }) => !fault), restored.filter(({ fault }) => fault)]
  const put = well.length > 0 ? `; put back: ${names(well.map(named))}` : ''
  const left = ill.length > 0 ? `; not put back: ${names(ill.map(named))}` : ''
  return { at: startedAt + durationMs, text: `${ends[outcome]} after ${span(durationMs)}${how}${put}${left}` }
}

const named = ({ what, value }: { what: string; value: string }): string =>
  what === 'logLevel' ? `log level ${value}` : `subscription to ${value}`

function differences({ added, removed, changed }: CaseFile['changes'][number]): string {
  const parts = [
    ...(added.length > 0 ? [`added ${names(added)}`] : []),
    ...(removed.length > 0 ? [`removed ${names(removed)}`] : []),
    ...(changed.length > 0 ? [`changed ${names(changed)}`] : []),
  ]
  return parts.join('; ')
}
