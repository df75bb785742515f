import type { EventObject, SnapshotFrom } from 'xstate'
import type { Fault } from '../../machines/index.js'
import type { Invariant } from '../../src/testing/explorer/index.js'
import type { Chart } from './explored.js'
import { expected, type Happening, type Model, type Setting } from './oracle.js'

type Snapshot = SnapshotFrom<Chart>

/** The chart's snapshot in the oracle's words. What is looked at in one place only counts only there. */
function read(snapshot: Snapshot, links = 0): Model {
  const { context: c, value } = snapshot
  const leaf = (v: unknown): string =>
    typeof v === 'string'
      ? v
      : Object.entries(v as object)
          .map(([key, below]) => `${key}.${leaf(below)}`)
          .join()
  const regions = (value as { linked?: { ready?: Partial<Model> } }).linked?.ready
  const place = regions ? 'linked.ready' : leaf(value)
  const authorizes = place.startsWith('linked.reauthorizing')
  const waits = place.startsWith('backoff')
  return {
    place,
    health: regions?.health,
    catalog: regions?.catalog,
    credentials: regions?.credentials && leaf(regions.credentials),
    attempts: c.attempts,
    renewals: c.renewals,
    authorizations: c.authorizations,
    earlyExits: c.earlyExits,
    dialects: c.dialectsTried,
    trouble: c.origin !== undefined,
    noticed: c.noticed,
    resumable: c.session?.resumable === true,
    refreshes: c.refreshAt !== undefined,
    demand: c.demand,
    online: c.online,
    reached: place.startsWith('linked') ? c.reached : '-',
    linkLost: authorizes && c.linkLost,
    postOnly: place.startsWith('linked') && c.postOnly,
    lists: place.startsWith('linked') ? c.lists : '-',
    dirty: place.startsWith('linked') && c.listsDirty,
    missed: regions ? c.missedProbes : 0,
    proven: regions !== undefined && c.stable,
    unanswered: c.session?.resumable === true ? c.unansweredResumes : 0,
    wished: c.insists,
    hurried: waits && c.hurried,
    cooled: waits && c.coolMs > 0,
    leadsTo: place === 'closing' ? c.after : '-',
    links,
  }
}

/** The same cut for what the oracle expects. */
const cut = (m: Model): Model => ({
  ...m,
  reached: m.place.startsWith('linked') ? m.reached : '-',
  linkLost: m.place.startsWith('linked.reauthorizing') && m.linkLost,
  postOnly: m.place.startsWith('linked') && m.postOnly,
  lists: m.place.startsWith('linked') ? m.lists : '-',
  dirty: m.place.startsWith('linked') && m.dirty,
  missed: m.health ? m.missed : 0,
  proven: m.place === 'linked.ready' && m.proven,
  unanswered: m.resumable ? m.unanswered : 0,
  hurried: m.place.startsWith('backoff') && m.hurried,
  cooled: m.place.startsWith('backoff') && m.cooled,
  leadsTo: m.place === 'closing' ? m.leadsTo : '-',
})

const setting = ({ context: { remote, authorizer, policy } }: Snapshot): Setting => ({
  remote,
  authorizer,
  maxAttempts: policy.maxAttempts,
  keepalive: policy.keepaliveMs > 0,
  slowProbe: policy.slowProbeMs !== false,
  renews: policy.onSessionLost === 'renew',
})

/** The fields that event cases use. */
type Fields = EventObject & {
  generation?: number
  credentialEpoch?: number
  fault?: Fault
  complete?: boolean
  known?: boolean
  unchanged?: boolean
  relink?: boolean
  session?: { resumable: boolean }
  refreshAt?: number
  renewed?: boolean
  output?: { type: 'granted' | 'needs-user' | 'failed'; refreshAt?: number; evidence?: { subject?: string } }
}

function told(before: Snapshot, event: Fields): Happening {
  const { context } = before
  const { fault, output } = event
  const refused = output?.evidence?.subject === 'login'
  return {
    type: event.type
      .replace(/^xstate\.after\.stableAfter\..*\.credentials\.valid$/, 'credentialHolds')
      .replace(/^xstate\.after\.(\w+)\..*/, '$1')
      .replace(/^xstate\.(done|error)\.actor\./, '$1 '),
    stale:
      (event.generation ?? context.generation) < context.generation ||
      // The refusal of what opens a link is heeded under whatever credential it was asked.
      ((event.credentialEpoch ?? context.credentialEpoch) < context.credentialEpoch && context.reached !== 'nothing'),
    ...(fault && {
      fault: {
        class: fault.class,
        dialect: fault.dialect && Object.entries(fault.dialect).map(dialectName).join(),
        early: /exited-early|interpreter/.test(fault.code),
        many: (fault.evidence.earlyExits ?? 0) >= 3,
        cools: (fault.retryAfterMs ?? 0) > 0,
        ofAuthorization: fault.evidence.phase === 'reauthorizing',
        served: (fault.evidence.credentialAgeMs ?? 0) >= context.policy.stableAfterMs + 1,
        unanswered: fault.evidence.phase === 'resuming' && fault.evidence.kind === 'deadline',
      },
    }),
    complete: event.complete,
    known: event.known,
    unchanged: event.unchanged,
    relink: event.relink,
    resumable: event.session?.resumable,
    refreshes: event.refreshAt !== undefined || output?.refreshAt !== undefined,
    renewed: event.renewed,
    outcome: output ? (refused ? 'refused' : output.type) : 'none',
  }
}

const dialectName = ([key, value]: [string, unknown]): string =>
  key === 'endSession' ? 'end session' : `${key} ${value}`

/** A timer of one state says nothing in another: `discoverTimeout` is of two. */
const concerns = (before: Snapshot, type: string): boolean => {
  const node = /^xstate\.after\.\w+\.connection\.(.*)/.exec(type)?.[1]
  if (!node) return true
  return before._nodes.some(({ id }) => id === `connection.${node}`)
}

/** Asks the oracle about every step, and counts how often. */
export function agreement(): { readonly invariant: Invariant<Chart>; readonly compared: () => number } {
  let compared = 0
  let last: { before: Snapshot; from: Model; set: Setting } | undefined
  const check: Invariant<Chart>['check'] = ({ before, event, after }) => {
    if (!before) return undefined
    compared += 1
    // All cases of one state come in a row.
    if (last?.before !== before) last = { before, from: read(before), set: setting(before) }
    const { from, set } = last
    const next = concerns(before, event.type) ? expected(from, set, told(before, event)) : from
    if (next === from && after === before) return undefined
    const due = cut(next)
    const is = read(after, after.context.generation - before.context.generation)
    const differs = (Object.keys(is) as (keyof Model)[]).filter((k) => String(is[k]) !== String(due[k]))
    if (differs.length === 0) return undefined
    return differs.map((k) => `${k}: expected ${String(due[k])}, is ${String(is[k])}`).join('; ')
  }
  return { invariant: { name: 'the oracle agrees', check }, compared: () => compared }
}
