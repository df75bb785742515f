import { to } from './targets.js'

/**
 * What a fault leads to: one ordered list, the first that holds is taken. Nothing else in the chart decides what a
 * failure means. Every entry names its rule, so that inspector, tests and documentation speak of the same thing.
 */
export const verdicts = [
  {
    guard: 'stale',
    description: 'Seen on an older link or under an older credential: what it complains of is gone already.',
    meta: { rule: 'F0' },
  },
  {
    guard: 'dialectLeft',
    target: to.linked,
    reenter: true,
    actions: ['noteFault', 'adoptDialect'],
    description:
      'Another version, wire or a fresh session may do: tried at once, each at most once; a time that the server named is kept at the gate.',
    meta: { rule: 'V0' },
  },
  {
    guard: 'permanent',
    target: to.permanent,
    actions: ['noteFault', 'emitLost', 'emitFailed'],
    description: 'No waiting cures this.',
    meta: { rule: 'V1' },
  },
  {
    guard: 'authorizable',
    target: to.reauthorizing,
    actions: ['noteFault', 'endRefusals'],
    description: 'A credential is fetched; the link is kept, so that other calls in flight survive.',
    meta: { rule: 'V2' },
  },
  {
    guard: 'unauthorized',
    target: to.permanent,
    actions: ['noteFault', 'emitLost', 'emitFailed'],
    description: 'Nobody can get a credential, or every credential was refused.',
    meta: { rule: 'V3' },
  },
  {
    guard: 'sessionLossFails',
    target: to.permanent,
    actions: ['noteFault', 'emitLost', 'emitFailed'],
    description: 'The application said that a lost session cannot be made up for.',
    meta: { rule: 'V4' },
  },
  {
    guard: 'renewable',
    target: to.linked,
    reenter: true,
    actions: ['noteFault', 'countRenewal', 'emitLost'],
    description:
      'A new session is made at once; once, since a server that loses every session needs time, and one that asks for time gets it.',
    meta: { rule: 'V5' },
  },
  {
    guard: 'offline',
    target: to.offline,
    actions: ['noteFault', 'forgetTriedWire', 'emitLost'],
    description:
      'The network is known to be away: no attempt is burned on it. A server that asks for time is there, and gets it.',
    meta: { rule: 'V6' },
  },
  {
    guard: 'attemptsLeft',
    target: to.backoff,
    actions: ['noteFault', 'forgetTriedWire', 'countAttempt', 'emitLost'],
    description: 'Wait, then try again; a session that can be gone on with is kept.',
    meta: { rule: 'V7' },
  },
  {
    target: to.exhausted,
    actions: ['noteFault', 'forgetTriedWire', 'noteNamedTime', 'emitLost', 'giveNotice'],
    description: 'Every attempt is used up: rest, and look again now and then.',
    meta: { rule: 'V8' },
  },
] as const
