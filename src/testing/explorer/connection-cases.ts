import type { AnyStateMachine, EventObject } from 'xstate'
import type { ConnectionContext, Dialect, Fault } from '../../../machines/index.js'
import { timerCases } from './cases.js'
import { failedStep, granted, sampleFault, sampleSession } from './connection-samples.js'
import type { ConnectionView } from './connection-view.js'

/** Cases by descriptor, as `EventCases`, for the connection's chart and for those that extend it. */
export type ConnectionCases = Readonly<Record<string, readonly ConnectionCase[]>>

interface ConnectionCase {
  readonly name: string
  readonly event: EventObject | ((snapshot: ConnectionView) => EventObject | undefined)
}

type Make = (context: ConnectionContext) => EventObject | undefined

/** Cases by name; of a function the event is made from the context it meets. */
function cases(given: Readonly<Record<string, EventObject | Make>>): ConnectionCase[] {
  return Object.entries(given).map(([name, event]) => ({
    name,
    event: typeof event === 'function' ? (snapshot: ConnectionView) => event(snapshot.context) : event,
  }))
}

const fault = (sample: Fault, fence: object = {}): EventObject =>
  ({ type: 'fault', fault: sample, ...fence }) as EventObject
const older = ({ generation }: ConnectionContext) => ({ generation: generation - 1 })
const present = ({ generation, credentialEpoch }: ConnectionContext) => ({ generation, credentialEpoch })
const olderCredential = ({ generation, credentialEpoch }: ConnectionContext) => ({
  generation,
  credentialEpoch: credentialEpoch - 1,
})
const mismatch = (dialect: Dialect): Fault => sampleFault('mismatch', { dialect })
const inAuthorization = { phase: 'reauthorizing' } as const

const faults = cases({
  transient: fault(sampleFault('transient')),
  'transient, seen on the present link': (c) => fault(sampleFault('transient'), present(c)),
  'transient, with a time named': fault(sampleFault('transient', { retryAfterMs: 7_000 })),
  'transient, with an absurd time named': fault(sampleFault('transient', { retryAfterMs: 1e15 })),
  'transient, with no number for a time': fault(sampleFault('transient', { retryAfterMs: Number.NaN })),
  'transient, of an authorization': fault(sampleFault('transient', {}, inAuthorization)),
  'transient, an early exit': ({ wire }) =>
    wire === 'stdio'
      ? fault(sampleFault('transient', { code: 'process.exited-early' }, { kind: 'exit', phase: 'connecting' }))
      : undefined,
  'transient, an early exit of many': ({ wire }) =>
    wire === 'stdio'
      ? fault(
          sampleFault(
            'transient',
            { code: 'process.exited-early' },
            { kind: 'exit', phase: 'connecting', earlyExits: 3 },
          ),
        )
      : undefined,
  'transient, an interpreter missing': ({ wire }) =>
    wire === 'stdio'
      ? fault(sampleFault('transient', { code: 'process.interpreter' }, { kind: 'exit', phase: 'connecting' }))
      : undefined,
  'transient, a resume without an answer': ({ session }) =>
    session?.resumable ? fault(sampleFault('transient', {}, { kind: 'deadline', phase: 'resuming' })) : undefined,
  'transient, of a request that was refused': fault(
    sampleFault('transient', { delivery: 'not-sent' }, { kind: 'network', errno: 'ECONNREFUSED' }),
  ),
  'transient, of a request that met silence': fault(
    sampleFault('transient', { delivery: 'not-sent' }, { kind: 'network', errno: 'UND_ERR_CONNECT_TIMEOUT' }),
  ),
  'of a class without a verdict': fault(sampleFault('weather')),
  'session expired': fault(sampleFault('session-expired')),
  'session expired, with a time named': fault(sampleFault('session-expired', { retryAfterMs: 7_000 })),
  'session expired, still held by the server': fault(sampleFault('session-expired', { endsSession: true })),
  unauthorized: fault(sampleFault('unauthorized')),
  'unauthorized, under the present credential': (c) => fault(sampleFault('unauthorized'), present(c)),
  'unauthorized, by a credential that has served': fault(
    sampleFault('unauthorized', {}, { credentialAgeMs: 3_600_000 }),
  ),
  'unauthorized, of an authorization': fault(sampleFault('unauthorized', {}, inAuthorization)),
  'mismatch, with a version': fault(mismatch({ version: '2025-03-26' })),
  'mismatch, with a session to end': ({ wire }) =>
    wire === 'stdio' ? undefined : fault(mismatch({ endSession: true })),
  'mismatch, with the older wire': ({ legacyAllowed }) =>
    legacyAllowed ? fault(mismatch({ wire: 'sse' })) : undefined,
  'mismatch, with nothing to try': fault(sampleFault('mismatch')),
  permanent: fault(sampleFault('permanent')),
  'permanent, of an authorization': fault(sampleFault('permanent', {}, inAuthorization)),
  'stale, transient': (c) => fault(sampleFault('transient'), older(c)),
  'stale, session expired': (c) => fault(sampleFault('session-expired'), older(c)),
  'stale, unauthorized': (c) => fault(sampleFault('unauthorized'), older(c)),
  'stale, mismatch': (c) => fault(mismatch({ version: '2025-03-26' }), older(c)),
  'stale, permanent': (c) => fault(sampleFault('permanent'), older(c)),
  'stale, unauthorized under an older credential': (c) => fault(sampleFault('unauthorized'), olderCredential(c)),
})

const outcomes = (actor: string) => {
  const done = (output: unknown): EventObject =>
    ({ type: `xstate.done.actor.${actor}`, actorId: actor, output }) as EventObject
  return cases({
    granted: (c) => done(granted(c)),
    'granted, running out': (c) => done(granted(c, 60_000)),
    'needs a person': done({ type: 'needs-user' }),
    'failed, for now': done(failedStep()),
    'failed, the login is refused': done(failedStep('login')),
    'without an outcome': done(undefined),
  })
}

const failure = (actor: string) =>
  cases({
    '': { type: `xstate.error.actor.${actor}`, actorId: actor, error: new Error('a sample') } as EventObject,
  })

const plain = (...types: readonly string[]): ConnectionCases =>
  Object.fromEntries(types.map((type) => [type, [{ name: '', event: { type } }]]))

const complete = (type: string) =>
  cases({
    complete: { type, complete: true } as EventObject,
    'in part': { type, complete: false } as EventObject,
  })

/**
 * Event cases for exploring the connection's chart, or one that was extended from it: spread them, and add the cases of
 * the added events.
 */
export function connectionCases(machine: AnyStateMachine): ConnectionCases {
  return {
    ...plain('connect', 'disconnect', 'reconnect', 'retry', 'close', 'auth.responded'),
    ...plain('demand.raised', 'demand.cleared', 'network.online', 'network.offline', 'clock.jumped'),
    ...plain('link.opened', 'link.called', 'link.postOnly', 'link.listening', 'probe.answered'),
    ...plain('lists.changed', 'lists.unheard'),
    configure: cases({
      nothing: { type: 'configure' },
      'a policy': (c) => ({ type: 'configure', policy: { ...c.policy } }) as EventObject,
      'another target': { type: 'configure', relink: true } as EventObject,
    }),
    'credentials.changed': cases({
      '': (c) => ({ type: 'credentials.changed', epoch: c.credentialEpoch + 1 }) as EventObject,
      'running out': (c) =>
        ({ type: 'credentials.changed', epoch: c.credentialEpoch + 1, refreshAt: 60_000 }) as EventObject,
      'of the login of before': (c) =>
        ({ type: 'credentials.changed', epoch: c.credentialEpoch + 1, renewed: true }) as EventObject,
    }),
    'probe.failed': cases({
      '': { type: 'probe.failed', fault: sampleFault('transient') } as EventObject,
      'with a time named': {
        type: 'probe.failed',
        fault: sampleFault('transient', { retryAfterMs: 2_000 }, { retryAfterMs: 2_000 }),
      } as EventObject,
    }),
    'link.held': cases({
      'for a time that was named': { type: 'link.held', because: 'cooldown', forMs: 7_000 } as EventObject,
      'until others are through': { type: 'link.held', because: 'handshakes' } as EventObject,
    }),
    'link.initialized': cases({
      'with a session id': { type: 'link.initialized', session: sampleSession(true) } as EventObject,
      'without a session id': { type: 'link.initialized', session: sampleSession(false) } as EventObject,
    }),
    'link.discovered': complete('link.discovered'),
    'link.resumed': cases({
      'with the lists known': { type: 'link.resumed', known: true } as EventObject,
      'with no list known': { type: 'link.resumed', known: false } as EventObject,
    }),
    'lists.refreshed': cases({
      complete: { type: 'lists.refreshed', complete: true, unchanged: false } as EventObject,
      'complete, nothing differs': { type: 'lists.refreshed', complete: true, unchanged: true } as EventObject,
      'in part': { type: 'lists.refreshed', complete: false } as EventObject,
    }),
    suspect: cases({
      '': { type: 'suspect' },
      stale: (c) => ({ type: 'suspect', ...older(c) }),
    }),
    'scope.insufficient': cases({
      '': (c) => ({ type: 'scope.insufficient', ...present(c) }),
      stale: (c) => ({ type: 'scope.insufficient', ...older(c) }),
      'under an older credential': (c) => ({ type: 'scope.insufficient', ...olderCredential(c) }),
    }),
    fault: faults,
    ...Object.fromEntries(['refresh', 'exchange', 'stepUp'].map((id) => [`xstate.done.actor.${id}`, outcomes(id)])),
    'xstate.done.actor.release': cases({
      '': { type: 'xstate.done.actor.release', actorId: 'release', output: undefined } as EventObject,
    }),
    ...Object.fromEntries(
      ['link', 'refresh', 'login', 'exchange', 'stepUp', 'release'].map((id) => [
        `xstate.error.actor.${id}`,
        failure(id),
      ]),
    ),
    ...timerCases(machine),
  }
}

/**
 * The event cases that a healing world brings about by itself: timers, and a link whose every step succeeds. What an
 * application or a person does is not among them.
 */
export const isCooperative = (label: string): boolean =>
  /^(?:xstate\.after\.|xstate\.done\.actor\.|link\.|probe\.answered|lists\.refreshed|network\.online)/.test(label) &&
  !/\((?:failed,|without an outcome)/.test(label)

/** What sets a connection going that has stopped, rests or waits for somebody: commands, and the answer of a login. */
export const isCommand = (label: string): boolean =>
  /^(?:connect|retry|reconnect|demand\.raised|auth\.responded)$/.test(label)
