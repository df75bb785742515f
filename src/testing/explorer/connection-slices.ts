import type { ConnectionInput } from '../../../machines/index.js'
import { sampleInput } from './connection-samples.js'
import type { ConnectionView } from './connection-view.js'

/** A slice as `explore` takes it; where an extended chart asks for more input, it is added to each. */
export interface ConnectionSlice {
  readonly name: string
  readonly input: ConnectionInput
  readonly within: (snapshot: ConnectionView) => boolean
}

/** How much stands against the connection. */
const held = ({ context: c }: ConnectionView): number =>
  c.attempts + c.renewals + c.authorizations + c.dialectsTried.length + c.earlyExits

const calmLists = (s: ConnectionView): boolean =>
  s.context.lists === 'fresh' &&
  !s.context.listsDirty &&
  (!s.matches({ linked: 'ready' }) || s.matches({ linked: { ready: { catalog: 'fresh' } } }))

const calmCredentials = (s: ConnectionView): boolean =>
  s.context.refreshAt === undefined &&
  (!s.matches({ linked: 'ready' }) || s.matches({ linked: { ready: { credentials: 'valid' } } }))

const calmAround = ({ context: c }: ConnectionView): boolean => c.online && !c.demand && !c.postOnly

/** One kind of counter beside the attempts: that two of them run up together shows nothing that each alone does not. */
const failedOnly = ({ context: c }: ConnectionView): boolean => {
  const kinds = [c.renewals, c.dialectsTried.length].filter((count) => count > 0)
  return kinds.length <= 1 && c.dialectsTried.length <= 1
}

/** Credentials that were got count to their end where little else stands against the connection. */
const fewBeside = (s: ConnectionView): boolean => {
  const others = held(s) - s.context.authorizations
  return others <= (s.context.authorizations > 0 || s.matches({ linked: 'reauthorizing' }) ? 1 : 3)
}

/** The row of refused credentials is at its end; what that forbids is asked of every step that fetches one. */
const refusedEnough = (s: ConnectionView): boolean =>
  s.context.authorizations === 3 && held(s) === 3 && s.matches({ linked: { ready: { health: 'settling' } } })

/**
 * The product of all counters, regions and surroundings of a connection is some hundred thousand states that differ in
 * nothing of interest. Each slice lets one kind of thing vary to its end and holds the others near their beginning;
 * every event case is tried in every state of every slice.
 */
export const connectionSlices: readonly ConnectionSlice[] = [
  {
    name: 'failures',
    input: sampleInput({ authorizer: true }),
    within: (s) =>
      calmLists(s) && (calmCredentials(s) || refusedEnough(s)) && calmAround(s) && failedOnly(s) && fewBeside(s),
  },
  {
    name: 'regions',
    input: sampleInput({ authorizer: true, resumable: true }),
    within: (s) =>
      calmAround(s) &&
      held(s) === s.context.authorizations &&
      held(s) <= (s.matches({ linked: 'ready' }) || s.matches({ linked: 'reauthorizing' }) ? 0 : 1) &&
      s.context.session?.resumable === true,
  },
  {
    name: 'surroundings',
    input: sampleInput({ authorizer: true, resumable: true }),
    within: (s) =>
      calmLists(s) &&
      calmCredentials(s) &&
      s.context.attempts <= 1 &&
      held(s) === s.context.attempts + s.context.authorizations &&
      s.context.authorizations <= (s.matches({ linked: 'reauthorizing' }) ? 0 : 1) &&
      !s.context.postOnly,
  },
  {
    name: 'stdio',
    // More attempts than early exits that are borne, or the crash memory would never be what ends them.
    input: sampleInput({ wire: 'stdio', policy: { maxAttempts: 4 } }),
    within: (s) =>
      calmLists(s) &&
      calmCredentials(s) &&
      held(s) === s.context.attempts + s.context.earlyExits &&
      !s.context.postOnly &&
      !s.context.demand,
  },
  {
    name: 'bare',
    input: sampleInput({
      legacyAllowed: true,
      resumable: true,
      policy: { maxAttempts: 1, keepaliveMs: 0, slowProbeMs: false, onSessionLost: 'fail' },
    }),
    within: (s) => calmLists(s) && calmCredentials(s) && !s.context.demand && failedOnly(s),
  },
]
