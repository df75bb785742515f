/**
 * What a connection does when it comes to a state and leaves one: what the link is told, what is said to others, which
 * actors run and which timers, with their times. A plain table written from the design, like the oracle, and knowing
 * nothing of how the chart is put together.
 */
import type { EventObject, SnapshotFrom } from 'xstate'
import type { ConnectionContext, Fault } from '../../machines/index.js'
import type { Invariant, PlannedAction } from '../../src/testing/explorer/index.js'
import type { Chart } from './explored.js'

type Snapshot = SnapshotFrom<Chart>
type Ms = (context: ConnectionContext) => number

interface Doings {
  /** What the link is told. */
  readonly tells?: string
  /** What whoever embeds the connection hears. */
  readonly says?: string
  /** The actor that runs for as long. */
  readonly runs?: string
  readonly timers?: Readonly<Record<string, Ms>>
}

/** The samples' chance is one half. */
const half = (low: number, high: number): number => Math.round((low + high) / 2)
const start =
  (stepMs: Ms): Ms =>
  (c) =>
    c.wire === 'stdio' ? c.policy.connectMs * Math.min(2 ** c.slowStarts, 4) : stepMs(c)

/** Design section 3, "Backoff". */
function pause(c: ConnectionContext, cooled = c.coolMs): number {
  const { baseMs, capMs, jitter } = c.policy.backoff
  if (cooled > 0) return half(0, Math.max(baseMs, cooled / 10))
  if (c.attempts <= 1) return half(0, baseMs)
  const grown = Math.min(c.demand && c.attempts <= 18 ? Math.min(2_000, capMs) : capMs, baseMs * 2 ** (c.attempts - 1))
  return jitter === 'full' || jitter === undefined ? half(0, grown) : half(grown, grown * (1 + jitter))
}

/** The gate named a time, at most an hour, after which the samples' chance adds half of the base or of a tenth; or none. */
function hold(event: EventObject, c: ConnectionContext): number {
  const { forMs } = event as { forMs?: number }
  if (forMs === undefined) return 30_000
  const named = Math.min(forMs, 3_600_000)
  return named + half(0, named > 0 ? Math.max(c.policy.backoff.baseMs, named / 10) : c.policy.backoff.baseMs)
}

const doings: Readonly<Record<string, Doings>> = {
  linked: { runs: 'link' },
  'linked.connecting.opening': { tells: 'open', timers: { connectTimeout: start((c) => c.policy.connectMs) } },
  'linked.connecting.held': { says: 'connection.held', timers: { hold: (c) => c.holdMs } },
  'linked.initializing.resuming': {
    tells: 'resume',
    timers: { initializeTimeout: start((c) => c.policy.initializeMs) },
  },
  'linked.initializing.handshaking': {
    tells: 'negotiate',
    timers: { initializeTimeout: start((c) => c.policy.initializeMs) },
  },
  'linked.discovering': { tells: 'discover', timers: { discoverTimeout: (c) => c.policy.discoverMs } },
  'linked.ready': { says: 'connection.ready' },
  'linked.ready.health': { timers: { stableAfter: (c) => c.policy.stableAfterMs } },
  'linked.ready.health.settling': { timers: { keepalive: (c) => c.policy.keepaliveMs } },
  'linked.ready.health.steady': { timers: { keepalive: (c) => c.policy.keepaliveMs } },
  'linked.ready.health.waking': { timers: { wakePause: () => half(0, 2_000) } },
  'linked.ready.health.probing': { tells: 'probe', timers: { probeTimeout: (c) => c.policy.probeMs } },
  'linked.ready.health.doubting': { timers: { probePause: () => 250 } },
  'linked.ready.catalog.fresh': { timers: { listsQuiet: () => 10_000 } },
  'linked.ready.catalog.gathering': { timers: { gather: (c) => Math.min(5_000, 300 * 2 ** c.listRounds) } },
  'linked.ready.catalog.doubting': { timers: { gather: (c) => Math.min(5_000, 300 * 2 ** c.listRounds) } },
  'linked.ready.catalog.refreshing': { tells: 'refresh', timers: { discoverTimeout: (c) => c.policy.discoverMs } },
  'linked.ready.catalog.stale': {
    timers: {
      listRetry: (c) => {
        const grown = Math.min(60_000, 2_000 * 2 ** Math.max(1, c.listRounds))
        return half(grown, grown * 1.5)
      },
    },
  },
  'linked.ready.credentials.valid': {
    timers: {
      tokenRefresh: (c) => Math.max(1_000, (c.refreshAt ?? 0) - c.now()),
      stableAfter: (c) => c.policy.stableAfterMs,
    },
  },
  'linked.ready.credentials.refreshing': { runs: 'refresh', timers: { authorizeTimeout: () => 30_000 } },
  // Decision 12: a person has ten minutes, and everything else goes on meanwhile.
  'linked.ready.credentials.steppingUp.asking': { runs: 'stepUp', timers: { authorizeTimeout: () => 30_000 } },
  'linked.ready.credentials.steppingUp.awaitingUser': {
    says: 'connection.needs-user',
    timers: { consentTimeout: () => 600_000 },
  },
  'linked.ready.credentials.steppingUp.exchanging': { runs: 'exchange', timers: { authorizeTimeout: () => 30_000 } },
  'linked.reauthorizing.refreshing': { runs: 'refresh', timers: { authorizeTimeout: () => 30_000 } },
  'linked.reauthorizing.awaitingUser': { runs: 'login', says: 'connection.needs-user' },
  'linked.reauthorizing.exchanging': { runs: 'exchange', timers: { authorizeTimeout: () => 30_000 } },
  'backoff.cooling': { timers: { cooling: (c) => c.coolMs } },
  'backoff.waiting': { says: 'connection.retrying', timers: { retryDelay: (c) => c.waitMs } },
  'backoff.offline': { timers: { offlineRecheck: () => 30_000 } },
  'failed.permanent': { says: 'connection.failed' },
  'failed.exhausted.resting': { timers: { rest: (c) => Math.max(c.policy.backoff.capMs, c.coolMs) } },
  'failed.exhausted.open': { timers: { slowProbe: (c) => c.policy.slowProbeMs || 0 } },
  closing: { runs: 'release', timers: { closeTimeout: (c) => c.policy.closeMs } },
  closed: { says: 'connection.closed' },
}

const placesOf = ({ _nodes }: Snapshot): string[] => _nodes.map(({ id }) => id.replace(/^connection\.?/, ''))

/** States that are left and come to at once, so that everything of them begins anew. */
function begunAnew(before: Snapshot, event: EventObject, after: Snapshot): (place: string) => boolean {
  const { type, fault } = event as EventObject & { fault?: Fault }
  const anew: ((place: string) => boolean)[] = []
  if (after.context.generation > before.context.generation) anew.push((place) => place.startsWith('linked'))
  if (/probeTimeout/.test(type)) anew.push((place) => place.endsWith('.probing'))
  if (type === 'demand.raised' && !before.context.hurried) anew.push((place) => place === 'backoff.waiting')
  // The time of a refresh is one of the clock: it is counted anew when that jumps.
  if (type === 'credentials.changed' || type === 'clock.jumped')
    anew.push((place) => place.endsWith('credentials.valid'))
  // There is something to keep alive after all, so the time until the next probe runs anew.
  if (type === 'link.listening' && before.context.postOnly)
    anew.push((place) => /health\.(settling|steady)$/.test(place))
  if (fault?.class === 'unauthorized' && fault.evidence.phase === 'reauthorizing')
    anew.push((place) => place.endsWith('.awaitingUser'))
  return (place) => anew.some((is) => is(place))
}

/** Something of an earlier trouble counts against the connection. */
const isHeldAgainst = (c: ConnectionContext): boolean =>
  c.origin !== undefined ||
  c.dialectsTried.length > 0 ||
  c.attempts + c.renewals + c.authorizations + c.earlyExits + c.slowStarts > 0

/** A credential was renewed without a word to the application, and the link stands. */
const goesOn = (before: Snapshot, after: Snapshot): boolean =>
  before.matches({ linked: { reauthorizing: 'refreshing' } }) && after.matches({ linked: 'ready' })

/** The link goes on, beside which a credential was got or told of. */
function isAdopted(before: Snapshot, event: EventObject, after: Snapshot): boolean {
  const { type, output } = event as EventObject & { output?: { type: string } }
  const goesOn = (state: 'discovering' | 'ready') =>
    before.matches({ linked: state }) && after.matches({ linked: state })
  if (type === 'credentials.changed') return goesOn('discovering') || goesOn('ready')
  if (!goesOn('ready')) return false
  return /^xstate\.done\.actor\.(refresh|stepUp|exchange)/.test(type) && output?.type === 'granted'
}

/** States that are only passed through. */
function passed(before: Snapshot, event: EventObject, after: Snapshot): string[] {
  const place = (end: string) => placesOf(after).some((one) => one.endsWith(end))
  const doubted =
    (event.type.includes('discoverTimeout') && before.matches({ linked: 'discovering' })) || goesOn(before, after)
  if (doubted) return ['linked.ready.health.settling']
  if (event.type === 'probe.answered' && place('health.steady') && isHeldAgainst(before.context))
    return ['linked.ready.health.settling']
  const isLost = !before.matches('backoff') && place('backoff.waiting')
  return isLost ? ['backoff.cooling'] : []
}

function expectedOf(before: Snapshot, event: EventObject, after: Snapshot): string[] {
  const [from, to] = [placesOf(before), placesOf(after)]
  const anew = begunAnew(before, event, after)
  const through = passed(before, event, after)
  const entered = [...to.filter((place) => !from.includes(place) || anew(place)), ...through]
  const left = [...from.filter((place) => !to.includes(place) || (to.includes(place) && anew(place))), ...through]
  const effects = [...entered.flatMap((place) => onEntry(place, after.context)), ...left.flatMap(onExit)]
  if (from.includes('linked.ready.health.waking') && to.includes('linked.ready.health.probing'))
    effects.push('tell relisten')
  // Decision 10: the listening stream, or a message, may have been refused under the old credential.
  if (goesOn(before, after) || isAdopted(before, event, after)) effects.push('tell renewed')
  if (event.type === 'disconnect' && !before.matches('closing') && after.matches('closing'))
    effects.push('say connection.disconnected')
  if (left.includes('linked')) {
    const { fault } = event as { fault?: Fault }
    const ends = event.type === 'reconnect' || event.type === 'configure' || fault?.endsSession === true
    effects.push(
      `tell detach and ${ends ? 'end' : 'keep'} the session, ${underWayOf(before, event, after)} what is under way`,
    )
  }
  return effects
}

/** Decision 35: what the fault says of other requests. */
function underWayOf({ context }: Snapshot, event: EventObject, after: Snapshot): string {
  const { fault } = event as EventObject & { fault?: Fault }
  const isThere = context.online || !context.remote
  // Whoever gives out credentials is away; the server is not.
  const isStep = /^xstate\.(done|error)\.actor\.(refresh|login|exchange)/.test(event.type)
  if (isStep && (after.matches('backoff') || after.matches({ failed: 'exhausted' })))
    return context.wire === 'http' && isThere ? 'drain' : 'cut'
  if (!fault || fault.endsSession) return 'cut'
  // Whatever else was asked in a lost session is being refused as well, and is waited for.
  if (fault.class === 'session-expired') return 'refusals'
  const { kind, wire, errno, http } = fault.evidence
  const isSaid = http !== undefined || (fault.delivery !== 'unknown' && kind !== 'deadline')
  const isHeard = isSaid && errno !== 'UND_ERR_CONNECT_TIMEOUT' && isThere
  return fault.class === 'transient' && wire === 'http' && isHeard ? 'drain' : 'cut'
}

function onEntry(place: string, context: ConnectionContext): string[] {
  const { tells, says, runs, timers = {} } = doings[place] ?? {}
  return [
    ...(tells ? [`tell ${tells}`] : []),
    ...(says ? [`say ${says}`] : []),
    ...(runs ? [`run ${runs}`] : []),
    ...Object.entries(timers).map(([name, ms]) => `set ${name} of ${place} to ${Math.round(ms(context))}`),
  ]
}

function onExit(place: string): string[] {
  const { runs, timers = {} } = doings[place] ?? {}
  return [...(runs ? [`stop ${runs}`] : []), ...Object.keys(timers).map((name) => `clear ${name} of ${place}`)]
}

/** What was planned, in the same words; what is said of losing and giving up has sentences of its own. */
function plannedOf(planned: readonly PlannedAction[]): string[] {
  return planned.flatMap(({ type, params }) => {
    const {
      id = '',
      sendId = '',
      delay,
      targetId,
      event,
    } = Object(params) as Record<string, string | undefined> & {
      event?: { type: string; keep?: boolean; underWay?: string }
    }
    const timer = (name: string) => name.replace(/^xstate\.after\.(\w+)\.connection\./, '$1 of ')
    switch (type) {
      case 'xstate.raise':
        return delay === undefined ? [] : [`set ${timer(id)} to ${delay}`]
      case 'xstate.cancel':
        return [`clear ${timer(sendId)}`]
      case 'xstate.spawnChild':
        return [`run ${id}`]
      case 'xstate.stopChild':
        return [`stop ${id}`]
      case 'xstate.emit':
        return /lost|exhausted/.test(event?.type ?? '') ? [] : [`say ${event?.type}`]
      case 'xstate.sendTo': {
        const { keep, underWay } = event ?? {}
        const how = keep === undefined ? '' : ` and ${keep ? 'keep' : 'end'} the session, ${underWay} what is under way`
        return [`tell ${event?.type}${how}${targetId === 'link' ? '' : ` to ${targetId}`}`]
      }
      default:
        return [type]
    }
  })
}

/** Once per step: each thing as often as it is due, and nothing else. */
export const effectsAgree: Invariant<Chart> = {
  name: 'what is done upon coming and leaving is what the table says',
  check: ({ before, event, after, planned }) => {
    if (!before) return after.matches('idle') ? undefined : 'it does not begin idle'
    if (before === after && planned.length === 0) return undefined
    const due = expectedOf(before, event, after)
    const odd: string[] = []
    for (const is of plannedOf(planned)) {
      const at = due.indexOf(is)
      if (at < 0) odd.push(`odd: ${is}`)
      else due.splice(at, 1)
    }
    odd.push(...due.map((what) => `missing: ${what}`))
    return odd.length > 0 ? odd.join('; ') : undefined
  },
}

/** Of the credential that was told of and the one at hand: nothing goes back to an older one. */
const newest = (event: EventObject, { credentialEpoch }: ConnectionContext): number =>
  Math.max((event as { epoch?: number }).epoch ?? 0, credentialEpoch)

/** What of the context no state shows at once, and yet decides later. */
export const contextAgrees: Invariant<Chart> = {
  name: 'what is remembered is what the design says',
  check: ({ before, event, after }) => {
    if (!before) return undefined
    const [was, is] = [before.context, after.context]
    const { type, policy, relink } = event as EventObject & { policy?: unknown; relink?: boolean }
    const begun = is.generation > was.generation
    const waits = (after.matches('backoff') && !before.matches('backoff')) || (type === 'demand.raised' && !was.hurried)
    const named = (event as { fault?: Fault }).fault?.retryAfterMs ?? 0
    const gaveUp = after.matches('backoff') || after.matches({ failed: 'exhausted' })
    const wrong = {
      'the newest credential is known by its number':
        event.type === 'credentials.changed' && is.credentialEpoch !== newest(event, was),
      'a time that was named is served, up to an hour':
        event.type === 'fault' &&
        before.matches('linked') &&
        gaveUp &&
        is !== was &&
        is.coolMs !== (named > 0 ? Math.min(named, 3_600_000) : 0),
      'the policy given is adopted': type === 'configure' && policy !== undefined && is.policy !== policy,
      'a hold is as long as was named and a little more, or until it is looked again':
        type === 'link.held' &&
        after.matches({ linked: { connecting: 'held' } }) &&
        !before.matches({ linked: { connecting: 'held' } }) &&
        is.holdMs !== hold(event, is),
      'nothing of another target is believed': relink === true && (is.everReady || Object.keys(is.dialect).length > 0),
      'the pause is that of the policy':
        waits && after.matches({ backoff: 'waiting' }) && is.waitMs !== Math.round(pause(is, 0)),
      'the pause after a time that was named is spread by it':
        before.matches({ backoff: 'cooling' }) &&
        after.matches({ backoff: 'waiting' }) &&
        is.waitMs !== Math.round(pause(is)),
      'quiet lists are forgiven':
        type.startsWith('xstate.after.listsQuiet') && isHere(before, type) && is.listRounds !== 0,
      'a new link begins with lists at rest': begun && is.listRounds !== 0,
      'outside of closing nothing leads elsewhere': !after.matches('closing') && is.after === 'linked',
    }
    const broken = Object.entries(wrong).flatMap(([sentence, isWrong]) => (isWrong ? [sentence] : []))
    return broken.length > 0 ? `not so: ${broken.join('; ')}` : undefined
  },
}

const isHere = (before: Snapshot, type: string): boolean => before._nodes.some(({ id }) => type.endsWith(`.${id}`))
