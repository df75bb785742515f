/**
 * What a connection does, a second time: written from the design's rules and its table of verdicts, in plain code and
 * in another shape than the chart, and knowing nothing of it. Where the two disagree, one of them is wrong.
 */

/** A connection as the design speaks of it: where it is, and what stands for or against it. */
export interface Model {
  place: string
  /** Regions of ready. */
  health?: string
  catalog?: string
  credentials?: string

  attempts: number
  renewals: number
  authorizations: number
  earlyExits: number
  dialects: readonly string[]
  trouble: boolean
  noticed: boolean

  resumable: boolean
  refreshes: boolean
  demand: boolean
  online: boolean
  reached: string
  linkLost: boolean
  postOnly: boolean
  lists: string
  dirty: boolean
  missed: number
  /** Ready for long enough. */
  proven: boolean
  /** Resumes in a row that got no answer. */
  unanswered: number
  /** Somebody wants the next attempt. */
  wished: boolean
  hurried: boolean
  cooled: boolean
  leadsTo: string
  links: number
}

/** What does not change while exploring. */
export interface Setting {
  readonly remote: boolean
  readonly authorizer: boolean
  readonly maxAttempts: number
  readonly keepalive: boolean
  readonly slowProbe: boolean
  readonly renews: boolean
}

export interface Happening {
  readonly type: string
  readonly stale: boolean
  readonly fault?: {
    class: string
    dialect?: string
    early: boolean
    many?: boolean
    cools: boolean
    ofAuthorization: boolean
    unanswered?: boolean
    served?: boolean
  }
  readonly complete?: boolean
  readonly known?: boolean
  readonly unchanged?: boolean
  readonly relink?: boolean
  readonly resumable?: boolean
  readonly refreshes?: boolean
  readonly renewed?: boolean
  readonly outcome?: 'granted' | 'needs-user' | 'failed' | 'refused' | 'none'
}

type Fault = NonNullable<Happening['fault']>
type Next = Partial<Model>

const forgiven = {
  attempts: 0,
  renewals: 0,
  authorizations: 0,
  earlyExits: 0,
  dialects: [],
  trouble: false,
  noticed: false,
}
const wished = { ...forgiven, wished: true }
const outOfReady = { health: undefined, catalog: undefined, credentials: undefined }

const link = (m: Model, also: Next = {}): Model => ({
  ...m,
  ...outOfReady,
  reached: 'nothing',
  linkLost: false,
  postOnly: false,
  lists: 'fresh',
  dirty: false,
  missed: 0,
  hurried: false,
  cooled: false,
  ...also,
  place: 'linked.connecting.opening',
  links: m.links + 1,
})

/** Lists that changed, or were not read on this link, are read again at once. */
const ready = (m: Model, health = 'settling'): Model => {
  const rereads = m.lists === 'unverified' || m.lists === 'changed' || m.dirty
  const catalog = rereads ? 'refreshing' : m.lists
  return { ...m, place: 'linked.ready', health, missed: 0, proven: false, credentials: 'valid', catalog, dirty: false }
}

/** The lists were read, or their time is over; a change that was told meanwhile is not forgotten. */
const discovered = (m: Model, complete: boolean, health?: string): Model => {
  const lists = complete ? (m.dirty ? 'changed' : 'fresh') : 'stale'
  return ready({ ...m, reached: 'ready', lists, dirty: false }, health)
}

const go = (m: Model, place: string, also: Next = {}): Model => ({ ...m, ...outOfReady, ...also, place })

const transient = (ofAuthorization = false): Fault => ({
  class: 'transient',
  early: false,
  cools: false,
  ofAuthorization,
})

/** Design section 3: the verdicts, first match wins. */
function judged(m: Model, s: Setting, f: Fault): Model {
  const waits = !['permanent', 'mismatch', 'unauthorized'].includes(f.class)
  if (m.place.startsWith('linked.reauthorizing') && !f.ofAuthorization) {
    if (f.class === 'unauthorized') return m
    if (waits) return { ...m, linkLost: true, resumable: m.resumable && f.class !== 'session-expired' }
  }
  const unanswered = m.unanswered + (f.unanswered ? 1 : 0)
  const kept = m.resumable && f.class !== 'session-expired' && unanswered < 2
  const noted: Model = {
    ...m,
    trouble: true,
    resumable: kept,
    unanswered: kept ? unanswered : 0,
    wished: false,
    earlyExits: m.earlyExits + (f.early ? 1 : 0),
  }
  // Three in a row are enough: a login that is refused as often is not asked for again.
  if (m.place.startsWith('linked.reauthorizing') && f.class === 'unauthorized' && m.authorizations < 3) {
    return go(counted(noted), 'linked.reauthorizing.awaitingUser')
  }
  // A wire that did not serve is not stayed with.
  const untried = { dialects: m.reached === 'nothing' ? m.dialects.filter((d) => !d.startsWith('wire ')) : m.dialects }
  const table: readonly (readonly [boolean, () => Model])[] = [
    [
      f.class === 'mismatch' && f.dialect !== undefined && !m.dialects.includes(f.dialect),
      () => link(noted, { dialects: [...m.dialects, f.dialect ?? ''] }),
    ],
    [f.class === 'permanent' || f.class === 'mismatch', () => go(noted, 'failed.permanent')],
    [
      f.class === 'unauthorized' && s.authorizer && (m.authorizations < 3 || f.served === true),
      // What has served ends the row of refused ones.
      () => go(noted, 'linked.reauthorizing.refreshing', { authorizations: f.served ? 0 : m.authorizations }),
    ],
    [f.class === 'unauthorized', () => go(noted, 'failed.permanent')],
    [f.class === 'session-expired' && !s.renews, () => go(noted, 'failed.permanent')],
    [f.class === 'session-expired' && m.renewals < 1 && !f.cools, () => link(noted, { renewals: m.renewals + 1 })],
    [s.remote && !m.online && !f.cools, () => go(noted, 'backoff.offline', untried)],
    [
      m.attempts < s.maxAttempts * (m.demand ? 2 : 1) && !(f.early && (noted.earlyExits >= 3 || f.many)),
      () =>
        go(noted, f.cools ? 'backoff.cooling' : 'backoff.waiting', {
          ...untried,
          attempts: m.attempts + 1,
          hurried: false,
          cooled: f.cools,
        }),
    ],
    [true, () => go(noted, 'failed.exhausted.resting', { ...untried, noticed: true })],
  ]
  return table.find(([holds]) => holds)?.[1]() ?? m
}

/** Where closing leads: the session is ended in any case. */
function closed(m: Model): Model {
  const ended = { ...m, resumable: false }
  if (m.leadsTo === 'closed') return go(ended, 'closed')
  return m.leadsTo === 'linked' || m.demand ? link(ended) : go(ended, 'idle')
}

const unblemished = (m: Model): boolean =>
  !m.trouble && m.attempts + m.renewals + m.authorizations + m.earlyExits + m.dialects.length === 0

/** A credential was got; three in a row, each refused, are enough. */
const counted = (m: Model): Model => ({ ...m, authorizations: Math.min(m.authorizations + 1, 3) })

/** With a new credential the link goes on from where it was, if it still stands, and is asked for a sign of life. */
function resumed(m: Model): Model {
  if (m.linkLost || m.reached === 'nothing') return link(counted(m))
  return m.reached === 'ready' ? ready(counted(m), 'probing') : go(counted(m), 'linked.discovering')
}

type Answer = (m: Model, s: Setting, h: Happening) => Model | undefined
const at = (m: Model, ...places: string[]): boolean => places.some((p) => m.place === p || m.place.startsWith(`${p}.`))
const unlessClosing = (m: Model): Model | undefined => {
  if (!at(m, 'closing')) return undefined
  return m.leadsTo === 'closed' ? m : { ...m, leadsTo: 'linked' }
}
const credential = (m: Model, h: Happening): Model => ({ ...m, refreshes: h.refreshes ?? false })
const failure = (m: Model, s: Setting, h: Happening): Model =>
  judged(m, s, h.outcome === 'refused' ? { ...transient(true), class: 'unauthorized' } : transient(true))

/** By event; no answer: nothing happens. */
const answers: Readonly<Record<string, Answer>> = {
  connect: (m) => (at(m, 'idle') ? link(m) : at(m, 'failed') ? link({ ...m, ...wished }) : unlessClosing(m)),
  reconnect: (m) => {
    if (at(m, 'idle')) return link({ ...m, resumable: false, wished: true })
    return at(m, 'linked', 'backoff', 'failed') ? link({ ...m, ...wished, resumable: false }) : unlessClosing(m)
  },
  retry: (m) => (at(m, 'idle', 'backoff', 'failed') ? link({ ...m, ...wished }) : unlessClosing(m)),
  disconnect: (m) => {
    if (at(m, 'idle') || (at(m, 'closing') && m.leadsTo === 'closed')) return m
    return go({ ...m, ...wished }, 'closing', { leadsTo: 'idle' })
  },
  close: (m) => go(m, 'closing', { leadsTo: 'closed' }),
  configure: (m, _, { relink }) => {
    const told = { ...m, ...forgiven, resumable: m.resumable && !relink }
    return at(m, 'backoff', 'failed') || (at(m, 'linked') && relink) ? link({ ...told, wished: true }) : told
  },
  'demand.raised': (m) => {
    const raised = { ...m, demand: true }
    if (at(m, 'idle', 'failed.exhausted.open')) return link(raised)
    return at(m, 'backoff.waiting') && !m.hurried ? { ...raised, hurried: true, cooled: false } : raised
  },
  'demand.cleared': (m) => ({ ...m, demand: false }),
  'network.online': (m) => {
    const told = { ...m, online: true }
    if (at(m, 'backoff.offline')) return go(told, 'backoff.waiting', { hurried: true })
    return m.health === 'settling' || m.health === 'steady' ? { ...told, health: 'waking' } : told
  },
  'network.offline': (m, s) => {
    const told = { ...m, online: false }
    return at(m, 'backoff.waiting') && s.remote ? go(told, 'backoff.offline') : told
  },
  'clock.jumped': (m) => (m.health === 'settling' || m.health === 'steady' ? { ...m, health: 'waking' } : m),
  'credentials.changed': (m, _, h) => {
    const told = credential(m, h)
    if (at(m, 'linked.reauthorizing.awaitingUser')) return link({ ...told, ...forgiven })
    // What another process refreshed is no reason to try again; what somebody logged in for is.
    if (at(m, 'backoff', 'failed')) return h.renewed ? told : link({ ...told, ...forgiven })
    return m.credentials?.startsWith('steppingUp') && !h.renewed ? { ...told, credentials: 'valid' } : told
  },
  'auth.responded': (m) => {
    if (at(m, 'linked.reauthorizing.awaitingUser')) return go(m, 'linked.reauthorizing.exchanging')
    if (at(m, 'idle', 'backoff', 'failed')) return link({ ...m, ...wished })
    const waits =
      m.credentials === 'valid' || m.credentials === 'refreshing' || m.credentials === 'steppingUp.awaitingUser'
    return waits ? { ...m, credentials: 'steppingUp.exchanging' } : m
  },

  'link.opened': (m) =>
    at(m, 'linked.connecting.opening')
      ? go(m, `linked.initializing.${m.resumable ? 'resuming' : 'handshaking'}`, { wished: false })
      : m,
  'link.held': (m) => (at(m, 'linked.connecting.opening') ? go(m, 'linked.connecting.held') : m),
  'link.called': (m) => (at(m, 'linked.connecting.held') ? go(m, 'linked.connecting.opening') : m),
  'link.initialized': (m, _, { resumable = false }) => {
    return at(m, 'linked.initializing.handshaking')
      ? go(m, 'linked.discovering', { reached: 'session', resumable, unanswered: 0, online: true })
      : m
  },
  'link.resumed': (m, _, { known }) => {
    if (!at(m, 'linked.initializing.resuming')) return m
    // Lists that are known serve at once; where none is, they are read first.
    return known
      ? ready({ ...m, reached: 'ready', lists: 'unverified', unanswered: 0, online: true })
      : go(m, 'linked.discovering', { reached: 'session', unanswered: 0, online: true })
  },
  'link.postOnly': (m) => (at(m, 'linked') ? { ...m, postOnly: true } : m),
  'link.listening': (m) => (at(m, 'linked') ? { ...m, postOnly: false } : m),
  'link.discovered': (m, _, { complete }) => (at(m, 'linked.discovering') ? discovered(m, complete === true) : m),
  'lists.changed': (m) => {
    if (m.catalog === 'gathering') return m
    if (m.catalog && m.catalog !== 'refreshing') return { ...m, catalog: 'gathering', lists: 'changed' }
    return at(m, 'linked') ? { ...m, dirty: true } : m
  },
  // Decision 36: what was read before the server could tell of a change is read again when the link has proved itself.
  'lists.unheard': (m) => {
    if (m.catalog === 'fresh') return { ...m, catalog: m.proven ? 'refreshing' : 'unheard', lists: 'unheard' }
    return at(m, 'linked') ? { ...m, dirty: true } : m
  },
  'lists.refreshed': (m, _, { complete, unchanged }) => {
    if (m.catalog !== 'refreshing') return m
    if (!complete) return { ...m, catalog: 'stale', lists: 'stale' }
    if (m.dirty) return { ...m, catalog: 'gathering', lists: 'changed' }
    // A change that was told of and is not to be seen may come yet; it is looked for once more.
    if (m.lists === 'changed' && unchanged) return { ...m, catalog: 'doubting', lists: 'unverified' }
    return { ...m, catalog: 'fresh', lists: 'fresh' }
  },
  'probe.answered': (m) => {
    if (m.health !== 'probing' && m.health !== 'doubting') return m
    if (unblemished(m)) return { ...m, health: 'steady', missed: 0 }
    return m.proven ? { ...m, ...forgiven, health: 'steady', missed: 0 } : { ...m, health: 'settling', missed: 0 }
  },
  'probe.failed': (m, s, { fault }) => {
    if (m.health !== 'probing' || !fault) return m
    return m.missed === 0
      ? { ...m, health: 'doubting', missed: 1 }
      : judged(m, s, { ...transient(), cools: fault.cools })
  },
  suspect: (m, _, { stale }) =>
    m.health && m.health !== 'probing' && m.health !== 'doubting' && !stale ? { ...m, health: 'probing' } : m,
  'scope.insufficient': (m, s, { stale }) => {
    const free = m.credentials === 'valid' || m.credentials === 'refreshing'
    if (!free || stale || !s.authorizer || m.authorizations >= 3) return m
    return { ...m, credentials: 'steppingUp.asking' }
  },
  fault: (m, s, { fault, stale }) => {
    if (!fault || stale) return m
    if (at(m, 'linked')) return judged(m, s, fault)
    // Decision 35: a call that drains is told so, too.
    return fault.class === 'session-expired' ? { ...m, resumable: false } : m
  },

  // Every deadline of section 3, rule 2.
  hold: (m) => (at(m, 'linked.connecting.held') ? go(m, 'linked.connecting.opening') : m),
  connectTimeout: (m, s) => (at(m, 'linked.connecting.opening') ? judged(m, s, transient()) : m),
  initializeTimeout: (m, s) =>
    at(m, 'linked.initializing')
      ? judged(m, s, { ...transient(), unanswered: at(m, 'linked.initializing.resuming') })
      : m,
  discoverTimeout: (m) => {
    if (at(m, 'linked.discovering')) return discovered(m, false, 'probing')
    return m.catalog === 'refreshing' ? { ...m, catalog: 'stale', lists: 'stale' } : m
  },
  authorizeTimeout: (m, s) => {
    if (at(m, 'linked.reauthorizing')) return judged(m, s, transient(true))
    if (m.credentials === 'steppingUp.asking' || m.credentials === 'steppingUp.exchanging')
      return { ...m, credentials: 'valid' }
    return m.credentials === 'refreshing' ? { ...m, credentials: 'valid', refreshes: true } : m
  },
  consentTimeout: (m) => (m.credentials === 'steppingUp.awaitingUser' ? { ...m, credentials: 'valid' } : m),
  closeTimeout: (m) => (at(m, 'closing') ? closed(m) : m),
  // Time alone proves nothing while an answer is being waited for.
  stableAfter: (m) => {
    if (!at(m, 'linked.ready')) return m
    const catalog = m.catalog === 'unheard' ? 'refreshing' : m.catalog
    const dirty = m.dirty && m.catalog !== 'unheard'
    const proven = { ...m, proven: true, catalog, dirty }
    return m.health === 'settling' ? { ...proven, ...forgiven, health: 'steady' } : proven
  },
  credentialHolds: (m) => (m.credentials === 'valid' ? { ...m, authorizations: 0 } : m),
  keepalive: (m, s) =>
    (m.health === 'steady' || m.health === 'settling') && s.keepalive && !m.postOnly ? { ...m, health: 'probing' } : m,
  probePause: (m) => (m.health === 'doubting' ? { ...m, health: 'probing' } : m),
  wakePause: (m) => (m.health === 'waking' ? { ...m, health: 'probing' } : m),
  probeTimeout: (m, s) => {
    if (m.health !== 'probing') return m
    return m.missed === 0 ? { ...m, missed: 1 } : judged(m, s, transient())
  },
  cooling: (m) => (at(m, 'backoff.cooling') ? go(m, 'backoff.waiting') : m),
  retryDelay: (m) => (at(m, 'backoff.waiting') ? link(m) : m),
  offlineRecheck: (m) => (at(m, 'backoff.offline') ? link(m) : m),
  rest: (m) => (at(m, 'failed.exhausted.resting') ? go(m, 'failed.exhausted.open') : m),
  slowProbe: (m, s) => (at(m, 'failed.exhausted.open') && s.slowProbe ? link(m) : m),
  gather: (m) =>
    m.catalog === 'gathering' || m.catalog === 'doubting' ? { ...m, catalog: 'refreshing', dirty: false } : m,
  listRetry: (m) => (m.catalog === 'stale' ? { ...m, catalog: 'refreshing', dirty: false } : m),
  listsQuiet: (m) => m,
  tokenRefresh: (m) => (m.credentials === 'valid' && m.refreshes ? { ...m, credentials: 'refreshing' } : m),

  // Actors.
  'done refresh': (m, s, h) => {
    if (at(m, 'linked.reauthorizing.refreshing')) {
      if (h.outcome === 'needs-user') return go(m, 'linked.reauthorizing.awaitingUser')
      if (h.outcome === 'failed' || h.outcome === 'refused') return failure(m, s, h)
      return resumed(h.outcome === 'granted' ? credential(m, h) : m)
    }
    if (m.credentials !== 'refreshing') return m
    if (h.outcome === 'granted') return { ...credential(m, h), credentials: 'valid' }
    return { ...m, credentials: 'valid', refreshes: h.outcome !== 'needs-user' }
  },
  'done exchange': (m, s, h) => {
    if (m.credentials === 'steppingUp.exchanging') {
      return { ...(h.outcome === 'granted' ? counted(credential(m, h)) : m), credentials: 'valid' }
    }
    if (!at(m, 'linked.reauthorizing.exchanging')) return m
    // A new login makes up for all failures but those of logins.
    if (h.outcome === 'granted') {
      return link({ ...credential(m, h), ...forgiven, authorizations: counted(m).authorizations })
    }
    return h.outcome === 'needs-user' ? go(m, 'linked.reauthorizing.awaitingUser') : failure(m, s, h)
  },
  'done stepUp': (m, _, h) => {
    if (m.credentials !== 'steppingUp.asking') return m
    if (h.outcome === 'needs-user') return { ...m, credentials: 'steppingUp.awaitingUser' }
    return { ...(h.outcome === 'granted' ? counted(credential(m, h)) : m), credentials: 'valid' }
  },
  'done release': (m) => (at(m, 'closing') ? closed(m) : m),
  'error link': (m, s) => (at(m, 'linked') ? judged(m, s, transient()) : m),
  'error refresh': (m, s) => {
    if (at(m, 'linked.reauthorizing.refreshing')) return judged(m, s, transient(true))
    return m.credentials === 'refreshing' ? { ...m, credentials: 'valid', refreshes: true } : m
  },
  'error login': (m, s) => (at(m, 'linked.reauthorizing.awaitingUser') ? judged(m, s, transient(true)) : m),
  'error exchange': (m, s) => {
    if (m.credentials === 'steppingUp.exchanging') return { ...m, credentials: 'valid' }
    return at(m, 'linked.reauthorizing.exchanging') ? judged(m, s, transient(true)) : m
  },
  'error stepUp': (m) => (m.credentials === 'steppingUp.asking' ? { ...m, credentials: 'valid' } : m),
  'error release': (m) => (at(m, 'closing') ? closed(m) : m),
}

/** What the design expects of a connection to which something happens. */
export function expected(model: Model, setting: Setting, happening: Happening): Model {
  const answer = answers[happening.type]
  if (!answer) throw new Error(`the oracle knows nothing of '${happening.type}'`)
  return answer(model, setting, happening) ?? model
}
