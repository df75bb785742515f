import type { ConnectionTag } from '../../machines/types.js'

/** One word for people. Programs ask for tags, which also hold for states that an extension added. */
export type Status =
  | 'idle'
  | 'connecting'
  | 'initializing'
  | 'discovering'
  | 'ready'
  | 'backoff'
  | 'reauthorizing'
  | 'failed'
  | 'closing'
  | 'closed'

const statuses: ReadonlySet<string> = new Set([
  'idle',
  'connecting',
  'initializing',
  'discovering',
  'ready',
  'backoff',
  'reauthorizing',
  'failed',
  'closing',
  'closed',
] satisfies Status[])

const isStatus = (name: string | undefined): name is Status => name !== undefined && statuses.has(name)

/** As much of a snapshot as a status is read from. */
export interface StatusSource {
  readonly value: unknown
  hasTag(tag: ConnectionTag): boolean
}

export function statusOf(snapshot: StatusSource): Status {
  const [top, sub, held] = path(snapshot.value)
  // Held at the gate: nothing is dialled, it only waits.
  if (sub === 'connecting' && held === 'held') return 'backoff'
  if (top === 'linked' && isStatus(sub)) return sub
  if (isStatus(top)) return top
  // A state that an extension added: its tags say what it is like.
  if (snapshot.hasTag('usable')) return 'ready'
  if (snapshot.hasTag('stopped')) return 'failed'
  if (snapshot.hasTag('waiting')) return 'backoff'
  return snapshot.hasTag('busy') ? 'connecting' : 'idle'
}

/** The names of the active states from the root down, as far as only one is active. */
function path(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  const entries = Object.entries(value)
  const [first] = entries
  return entries.length === 1 && first ? [first[0], ...path(first[1])] : []
}
