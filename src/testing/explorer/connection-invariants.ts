import type { AnyTransitionDefinition } from 'xstate'
import type { ConnectionEvent, ConnectionTag, Fault } from '../../../machines/index.js'
import { emitted, linkSteps } from './connection-planned.js'
import type { ConnectionInvariant, ConnectionStep, ConnectionView } from './connection-view.js'
import { ruleOf, valueText } from './structure.js'

type Step = ConnectionStep
type Snapshot = ConnectionView

const eventOf = (step: Step): ConnectionEvent => step.event as ConnectionEvent
const faultOf = (step: Step): Fault | undefined => {
  const event = eventOf(step)
  return event.type === 'fault' ? event.fault : undefined
}
const rulesOf = (step: Step): (string | undefined)[] => step.transitions.map((t: AnyTransitionDefinition) => ruleOf(t))
const places = new WeakMap<object, string>()

/** The configuration as text; kept per state value, since it is asked for many times a step. */
function place({ value }: Snapshot): string {
  if (typeof value === 'string') return value
  const known = places.get(value) ?? valueText(value)
  places.set(value, known)
  return known
}

const linked = (snapshot: Snapshot): boolean => place(snapshot).startsWith('linked')

/** An event that names an older link, or an older credential once the link is open. */
function isStale(step: Step): boolean {
  const { event, before } = step
  if (!before) return false
  const { generation, credentialEpoch } = event as { generation?: number; credentialEpoch?: number }
  return (
    (generation !== undefined && generation < before.context.generation) ||
    (credentialEpoch !== undefined &&
      credentialEpoch < before.context.credentialEpoch &&
      before.context.reached !== 'nothing')
  )
}

/** `draining` is for states that an extension added. */
type OwnTag = Exclude<ConnectionTag, 'draining'>

/** What the states say they are, by tag. */
const tagged = Object.entries({
  usable: /^linked\.ready/,
  busy: /^(?:linked\.(?:connecting\.opening|initializing|discovering|reauthorizing\.(?:refreshing|exchanging))|closing)/,
  waiting: /^(?:backoff|linked\.connecting\.held|failed\.exhausted\.open)/,
  'needs-user': /^linked\.(?:reauthorizing\.awaitingUser|ready.*credentials\.steppingUp\.awaitingUser)/,
  'stepping-up': /^linked\.ready.*credentials\.steppingUp/,
  stopped: /^(?:failed\.permanent|failed\.exhausted\.resting|closed)/,
} satisfies Record<OwnTag, RegExp>) as [OwnTag, RegExp][]

/** Which actors they run. */
const children = Object.entries({
  link: /^linked/,
  refresh: /^linked\.(?:reauthorizing\.refreshing|ready.*credentials\.refreshing)/,
  login: /^linked\.reauthorizing\.awaitingUser/,
  exchange: /^linked\.(?:reauthorizing\.exchanging|ready.*credentials\.steppingUp\.exchanging)/,
  stepUp: /^linked\.ready.*credentials\.steppingUp\.asking/,
  release: /^closing/,
})

/** States of which the library knows nothing, since an extension added them, answer for their own tags. */
const known = (s: Snapshot): boolean =>
  /^(?:idle|linked\.(?:connecting|initializing|discovering|ready|reauthorizing)|backoff|failed|closing|closed)\b/.test(
    place(s),
  )

const resets = (step: Step): boolean =>
  /^(?:retry|connect|reconnect|disconnect|configure|credentials\.changed|auth\.responded|xstate\.after\.stableAfter\.|xstate\.done\.actor\.exchange)/.test(
    step.label,
  ) ||
  // The time was over while a probe was out; its answer is the proof that was missing.
  (step.label.startsWith('probe.answered') && step.before?.context.stable === true)

/** A credential is refused that has held for as long as proves a connection. */
const hasServed = (step: Step): boolean =>
  (faultOf(step)?.evidence.credentialAgeMs ?? 0) >= step.after.context.policy.stableAfterMs

const counters = ['attempts', 'renewals', 'authorizations'] as const

/** What must hold for every step of a connection, whatever was added to its chart. */
export const connectionInvariants: readonly ConnectionInvariant[] = [
  {
    name: 'a tag is worn in the states that it describes, and in no other',
    check: ({ before, after }) => {
      if (!known(after) || after === before) return undefined
      const wrong = tagged.filter(([tag, where]) => after.hasTag(tag) !== where.test(place(after)))
      return wrong.length > 0 ? `${wrong.map(([tag]) => tag).join(', ')} in ${place(after)}` : undefined
    },
  },
  {
    name: 'the running actors match the state',
    check: ({ before, after }) => {
      if (after.status !== 'active' || after === before) return undefined
      const wrong = children.filter(([id, where]) => id in after.children !== where.test(place(after)))
      return wrong.length > 0 ? `${wrong.map(([id]) => id).join(', ')} in ${place(after)}` : undefined
    },
  },
  {
    name: 'at most one link at a time, and each is told what becomes of its session before it ends',
    check: (step) => linkSteps(step),
  },
  {
    name: 'every link has a generation of its own, and nothing else changes it',
    check: ({ before, after, planned }) => {
      const begun = planned.filter(({ type, params }) => type === 'xstate.spawnChild' && idOf(params) === 'link').length
      const rise = after.context.generation - (before?.context.generation ?? 0)
      return rise === begun ? undefined : `${begun} links begun, the generation rose by ${rise}`
    },
  },
  {
    name: 'attempts rise by one, and only by V7',
    check: (step) => {
      const rise = step.after.context.attempts - (step.before?.context.attempts ?? 0)
      const due = rulesOf(step).filter((rule) => rule === 'V7').length
      return rise > 0 && rise !== due ? `rose by ${rise} under ${rulesOf(step).join()}` : undefined
    },
  },
  {
    name: 'attempts never exceed what the policy allows',
    check: ({ after: { context } }) =>
      context.attempts > context.policy.maxAttempts ? String(context.attempts) : undefined,
  },
  {
    name: 'counters are forgotten only by stability, a command or new credentials (P7)',
    check: (step) => {
      const { before, after } = step
      const fallen = counters.filter(
        (name) => after.context[name] < (before?.context[name] ?? 0) && !(name === 'authorizations' && hasServed(step)),
      )
      return fallen.length > 0 && !resets(step) ? `${fallen.join(', ')} fell` : undefined
    },
  },
  {
    name: 'a session is renewed at once only once until the connection has been stable (V5)',
    check: ({ after }) => (after.context.renewals > 1 ? `${after.context.renewals} times` : undefined),
  },
  {
    name: 'a permanent fault is never retried (P5)',
    check: (step) => {
      if (faultOf(step)?.class !== 'permanent' || !step.before || !linked(step.before) || isStale(step))
        return undefined
      return place(step.after) === 'failed.permanent' ? undefined : `goes on in ${place(step.after)}`
    },
  },
  {
    name: 'what is stale changes neither state nor context',
    check: (step) => {
      if (!isStale(step) || !step.before) return undefined
      const moved = place(step.before) !== place(step.after)
      return moved || step.before.context !== step.after.context ? 'it does' : undefined
    },
  },
  {
    name: 'the exhausted notice is given once for each time that the connection gives up',
    check: (step) => {
      const given = emitted(step).filter((type) => type === 'connection.exhausted').length
      const due = rulesOf(step).includes('V8') && !step.before?.context.noticed ? 1 : 0
      return given === due ? undefined : `given ${given} times, due ${due}`
    },
  },
  {
    name: 'nothing but close() leads to closed',
    check: ({ before, event, after }) => {
      const chosen = after.context.after === 'closed' && before?.context.after !== 'closed'
      if (chosen && event.type !== 'close') return `${event.type} chose it`
      const ended =
        place(after) === 'closed' && !(before && place(before) === 'closing' && before.context.after === 'closed')
      return ended ? `from ${before && place(before)}` : undefined
    },
  },
  {
    name: 'a connection that closes for good does nothing else',
    check: ({ before, after }) => {
      if (!before || place(before) !== 'closing' || before.context.after !== 'closed') return undefined
      return /^clos(?:ing|ed)$/.test(place(after)) ? undefined : `it goes to ${place(after)}`
    },
  },
  {
    name: 'a lost session is never gone on with (P9)',
    check: (step) => {
      if (faultOf(step)?.class !== 'session-expired' || !step.before || !linked(step.before) || isStale(step))
        return undefined
      return step.after.context.session ? 'it is still remembered' : undefined
    },
  },
  {
    name: 'a session that got no answer twice in a row is given up',
    check: ({ after: { context } }) =>
      context.unansweredResumes > 1 ? `${context.unansweredResumes} unanswered` : undefined,
  },
  {
    name: 'the session of one target is never offered to another',
    check: ({ event, after }) => {
      const { type, relink } = event as { type: string; relink?: boolean }
      return type === 'configure' && relink && after.context.session ? 'it is still remembered' : undefined
    },
  },
  {
    name: 'only a target elsewhere is waited for offline',
    check: ({ after }) => (place(after) === 'backoff.offline' && !after.context.remote ? 'it is here' : undefined),
  },
  {
    name: 'lost is told exactly when a fault takes the connection out of its link',
    check: (step) => {
      const told = emitted(step).filter((type) => type === 'connection.lost').length
      const own = rulesOf(step).filter((rule) => rule && /^V[1345678]$/.test(rule)).length
      const due = own + (byForeignVerdict(step) && linkEnds(step) ? 1 : 0)
      return told === due ? undefined : `told ${told} times, due ${due}`
    },
  },
  {
    name: 'disconnected is told exactly when the application disconnects what was not resting or ending already',
    check: (step) => {
      const { before, event } = step
      const told = emitted(step).filter((type) => type === 'connection.disconnected').length
      const rests = !before || /^(?:idle|closing|closed)/.test(place(before))
      const due = event.type === 'disconnect' && !rests ? 1 : 0
      return told === due ? undefined : `told ${told} times, due ${due}`
    },
  },
  {
    name: 'the cause of a trouble is kept until it is over (P22)',
    check: (step) => {
      const { before, after } = step
      if (!before?.context.origin || resets(step)) return undefined
      return after.context.origin === before.context.origin ? undefined : 'it changed'
    },
  },
  {
    name: 'the context stays small',
    check: ({ after: { context } }) => {
      const { dialectsTried: tried, authorizations } = context
      if (new Set(tried).size !== tried.length) return `tried twice: ${tried.join(', ')}`
      return authorizations > 3 ? `${authorizations} authorizations` : undefined
    },
  },
]

/** A verdict that an extension added decided on a fault. */
const byForeignVerdict = ({ transitions }: Step): boolean =>
  transitions.some((t: AnyTransitionDefinition) => t.eventType === 'fault' && !/^[FRV]\d$/.test(ruleOf(t) ?? ''))

const linkEnds = ({ planned }: Step): boolean =>
  planned.some(({ type, params }) => type === 'xstate.stopChild' && idOf(params) === 'link')

const idOf = (params: unknown): unknown =>
  typeof params === 'object' && params !== null && 'id' in params ? params.id : undefined
