import type { Evidence } from '../evidence.js'
import type { Dialect, Rule } from '../faults.js'
import {
  answeredInJsonRpc,
  losesSessionByError,
  mayPass,
  namesLostSession,
  namesSession,
  saysAlreadyInitialized,
  status,
  statusBetween,
  toInitialize,
  tried,
} from '../signs.js'

const endSession: Dialect = { endSession: true }

/** The session was made on this very link, and nothing else has happened in it. */
const justBegun = (e: Evidence): boolean => e.phase === 'initializing' || e.phase === 'discovering'

/** Most restarts and deployments are over after this time, and the session is kept through them (report 12.03). */
const PATIENCE_MS = 10_000

/** Sessions, and the many ways servers say that one is gone. */
export const sessionRules: readonly Rule[] = [
  {
    id: 'unknown-method-404',
    because: 'newer servers answer an unknown method with 404 and a JSON-RPC error: an answer, not a lost session',
    source: 'specification 2026-07-28 streamable HTTP; report 07.05',
    when: (e) => status(404)(e) && e.rpc?.code === -32601,
    ruling: {
      class: 'permanent',
      scope: 'call',
      code: 'rpc.{rpc}',
      delivery: 'refused',
      advice: 'The server does not know the method {method}.',
    },
  },
  {
    id: 'session-lost-at-once',
    because: 'a session that is unknown right after it was given out was given out by another instance',
    source: 'deviation 12; report 13.01',
    when: (e) =>
      (status(404)(e) || (status(400)(e) && namesLostSession(e))) &&
      e.sessionSent === true &&
      e.http?.exchange !== 'listen' &&
      justBegun(e),
    ruling: {
      class: 'session-expired',
      scope: 'link',
      code: 'session.lost-at-once',
      delivery: 'refused',
      advice:
        'The server does not know the session that it has just given out. Are there several instances behind a load balancer that does not keep clients apart?',
    },
  },
  {
    id: 'session-unknown',
    because: 'the server answers in the protocol that it does not know the session, so it did not run the request',
    source: 'specification 2025-11-25 transports: 404; deviations 3, 4, 9; report 01.01',
    when: (e) =>
      status(404)(e) &&
      e.sessionSent === true &&
      e.http?.exchange !== 'listen' &&
      (answeredInJsonRpc(e) || namesSession(e)),
    ruling: {
      class: 'session-expired',
      scope: 'link',
      code: 'session.unknown',
      delivery: 'refused',
      advice: 'The server no longer knows the session (it was restarted or let it expire); a new one is made.',
    },
  },
  {
    id: 'session-unknown-bare',
    because: 'a bare 404 means a lost session too, but a proxy can have made it after the server had run the request',
    source: 'specification 2025-11-25 transports: 404; report 07.02',
    when: (e) => status(404)(e) && e.sessionSent === true && e.http?.exchange !== 'listen',
    ruling: {
      class: 'session-expired',
      scope: 'link',
      code: 'session.not-found',
      advice: 'The address answers 404 under the session that worked; a new session is made.',
    },
  },
  {
    id: 'listening-conflict',
    because: 'the server still holds the dead predecessor of the listening stream; only a new session frees the place',
    source: 'SDK trap 23; reports 03.03, 03.04; deviation 17',
    when: (e) => status(409)(e) && e.http?.exchange === 'listen',
    ruling: {
      class: 'session-expired',
      scope: 'link',
      code: 'session.listening-conflict',
      endsSession: true,
      delivery: 'refused',
      advice: 'The server refuses a second listening stream; a new session is made.',
    },
  },
  {
    id: 'listening-dead',
    because: 'every further stream is dead at birth, after one that lasted: the server still holds that one open',
    source: 'report 03.04',
    when: (e) => e.kind === 'stream' && e.stream === 'listen' && e.wire === 'http',
    ruling: {
      class: 'session-expired',
      scope: 'link',
      code: 'session.listening-dead',
      endsSession: true,
      delivery: 'refused',
      advice: 'The server ends every further listening stream of this session at once; a new session is made.',
    },
  },
  {
    id: 'session-unknown-otherwise',
    because: 'many servers say with another status, or with 200 and an error, that the session is gone',
    source: 'deviations 1, 2, 5, 6, 7, 8, 10; reports 01.02, 01.04',
    when: (e) =>
      e.sessionSent === true &&
      !toInitialize(e) &&
      ((status(400, 409, 500, 503)(e) && namesLostSession(e)) || (e.kind === 'rpc' && losesSessionByError(e))),
    ruling: {
      class: 'session-expired',
      scope: 'link',
      code: 'session.unknown',
      delivery: 'refused',
      advice: 'The server no longer knows the session (it was restarted or let it expire); a new one is made.',
    },
  },
  {
    id: 'session-forgotten',
    because: 'there is nothing to go on with, so there is nothing to wait for either',
    when: (e) => e.kind === 'thrown' && e.subject === 'session',
    ruling: {
      class: 'session-expired',
      scope: 'link',
      code: 'session.forgotten',
      delivery: 'not-sent',
      advice: 'The remembered session is not at hand any more; a new one is made.',
    },
  },
  {
    id: 'resuming-refused',
    because: 'a server that will not go on with a session may well begin a new one',
    source: 'report 01.06',
    when: (e) =>
      e.phase === 'resuming' &&
      e.sessionSent === true &&
      (e.kind === 'malformed' || (statusBetween(400, 499)(e) && !mayPass(e))),
    ruling: {
      class: 'session-expired',
      scope: 'link',
      code: 'session.refused',
      delivery: 'refused',
      advice: 'The server would not go on with the remembered session; a new one is made.',
    },
  },
  {
    id: 'resuming-refused-for-long',
    because: 'a server that is well again for others may still answer so to a session that it does not know',
    source: 'report 01.04; deviation 6',
    when: (e) =>
      e.phase === 'resuming' &&
      e.sessionSent === true &&
      statusBetween(500, 599)(e) &&
      (e.refusedForMs ?? 0) >= PATIENCE_MS,
    ruling: {
      class: 'session-expired',
      scope: 'link',
      code: 'session.refused',
      delivery: 'refused',
      advice: 'The server goes on answering {status} to the remembered session; a new one is tried.',
    },
  },
  {
    id: 'already-initialized',
    because: 'a server that holds one session only still holds the old one: end that first, once',
    source: 'deviation 11; report 01.07',
    when: (e) => toInitialize(e) && saysAlreadyInitialized(e) && !tried(e, 'end session'),
    ruling: {
      class: 'mismatch',
      scope: 'link',
      code: 'session.occupied',
      delivery: 'refused',
      dialect: () => endSession,
      advice: 'The server serves one session at a time and still holds an old one; that one is ended first.',
    },
  },
  {
    id: 'already-initialized-still',
    because: 'somebody else holds the only session; it may be let go',
    source: 'deviation 11',
    when: (e) => toInitialize(e) && saysAlreadyInitialized(e),
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'session.occupied',
      delivery: 'refused',
      advice:
        'The server serves one session at a time and another client holds it. End that client or restart the server.',
    },
  },
]
