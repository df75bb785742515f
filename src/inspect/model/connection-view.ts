/** What the page shows of a connection, made of its snapshot and of what stands behind it. */
import type { ConnectionContext } from '../../../machines/types.js'
import type { Status } from '../../connection/index.js'
import type { Catalog, ConnectionRuntime } from '../../link/index.js'
import type { Command, IncidentView, ListView, Tone } from '../messages.js'
import { safeText, safeWord } from '../safe/index.js'

const KEPT_NAMES = 60

export function toneOf(status: Status): Tone {
  switch (status) {
    case 'ready':
      return 'good'
    case 'failed':
      return 'bad'
    case 'idle':
    case 'closed':
      return 'faint'
    case 'backoff':
    case 'reauthorizing':
      return 'wait'
    default:
      return 'busy'
  }
}

/** What it makes sense to tell a connection of this status. */
export function commandsFor(status: Status, breakable: boolean): Command[] {
  switch (status) {
    case 'idle':
      return ['connect']
    case 'closing':
    case 'closed':
      return []
    case 'backoff':
    case 'failed':
      return ['retry', 'disconnect']
    default:
      return breakable ? ['disconnect', 'break'] : ['disconnect']
  }
}

export function sessionRows(context: ConnectionContext, runtime: ConnectionRuntime): (readonly [string, string])[] {
  const { session } = context
  if (!session) return []
  const { capabilities } = runtime.live?.link.session ?? runtime.session ?? {}
  return [
    ['server', safeText(`${session.server.name} ${session.server.version}`, 120) ?? ''],
    ['protocol', safeWord(session.protocolVersion) ?? ''],
    [
      'offers',
      Object.keys(capabilities ?? {})
        .map((name) => safeWord(name))
        .join(', ') || 'nothing',
    ],
    ['session', session.resumable ? 'can be resumed' : 'lives as long as its link'],
    ['link', `${context.generation}${context.resumed ? ', resumed' : ''}`],
    ...(runtime.rttMs === undefined ? [] : [['last probe', `${Math.round(runtime.rttMs)} ms`] as const]),
  ]
}

const listWords = {
  tools: 'tools',
  resources: 'resources',
  resourceTemplates: 'templates',
  prompts: 'prompts',
} as const

export function listViews(catalog: Catalog): ListView[] {
  if (catalog.fetchedAt === 0) return []
  return (Object.keys(listWords) as (keyof typeof listWords)[]).flatMap((kind) => {
    const items: readonly { readonly name: string }[] = catalog[kind]
    const error = catalog.errors[kind]
    if (items.length === 0 && !error) return []
    return [
      {
        list: listWords[kind],
        names: items.slice(0, KEPT_NAMES).map(({ name }) => safeText(name, 80) ?? ''),
        more: Math.max(0, items.length - KEPT_NAMES),
        ...(error && { error: safeWord(error.code) ?? '' }),
      },
    ]
  })
}

/** As much of an incident as there is while it goes on. */
export interface KnownIncident {
  readonly kind: string
  readonly startedAt: number
  readonly reason: { readonly code: string }
  readonly attempts: readonly { readonly at: number; readonly fault: { readonly code: string } }[]
  readonly outcome: string
  readonly durationMs: number
  readonly resumed?: boolean
  readonly restored?: readonly { readonly fault?: unknown }[]
}

export function incidentView(incident: KnownIncident, now: number): IncidentView {
  const { kind, outcome, reason, startedAt, durationMs, attempts, resumed, restored = [] } = incident
  const put = restored.filter(({ fault }) => fault === undefined).length
  const notes = [
    ...(resumed ? ['session resumed'] : []),
    ...(restored.length > 0 ? [`${put} of ${restored.length} put back`] : []),
  ]
  return {
    kind,
    outcome,
    code: safeWord(reason.code) ?? '',
    agoMs: now - startedAt,
    durationMs,
    attempts: attempts.map(({ at, fault }) => ({ agoMs: now - at, code: safeWord(fault.code) ?? '' })),
    ...(notes.length > 0 && { note: notes.join(', ') }),
  }
}
