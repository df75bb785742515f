import type { ConnectionView } from './connection-view.js'

/**
 * What of a connection's context influences what it does next.
 *
 * Left out is what only names or measures: fault texts, generations and epochs (event cases are made relative to them),
 * lengths of waits, rounds of list reading. What is forgotten before it is looked at again counts only where it is
 * looked at: `after` in closing, `missedProbes` while probing, and so on.
 */
export function connectionKey(snapshot: ConnectionView): unknown {
  const { context: c } = snapshot
  const waits = snapshot.matches('backoff')
  const probes = snapshot.matches({ linked: { ready: { health: 'probing' } } })
  const renews = snapshot.matches({ linked: { reauthorizing: 'refreshing' } })
  // A renewal without a person goes on with its link where that stands; every other way leads to a new one.
  const goesOn = renews && !c.linkLost && c.reached === 'ready'
  const ready = snapshot.matches({ linked: 'ready' }) || goesOn
  return [
    c.attempts,
    c.renewals,
    c.authorizations,
    Math.min(c.earlyExits, 3),
    c.dialectsTried,
    c.origin !== undefined,
    c.noticed,
    c.insists,
    c.session?.resumable === true,
    c.refreshAt !== undefined,
    c.demand,
    // A target on this machine does not depend on the network.
    c.remote && c.online,
    snapshot.matches('linked') && c.postOnly,
    snapshot.matches({ linked: 'reauthorizing' }) && [c.reached === 'nothing', renews && [c.reached, c.linkLost]],
    ready && c.lists,
    waits && [c.hurried, c.coolMs > 0],
    probes && c.missedProbes,
    ready && c.stable,
    c.session?.resumable === true && c.unansweredResumes,
    snapshot.matches('linked') && (!snapshot.matches({ linked: 'reauthorizing' }) || renews) && c.listsDirty,
    snapshot.matches('closing') && c.after,
  ]
}
