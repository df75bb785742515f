import type { Rule } from '../faults.js'
import { namesSession, opening, status, statusBetween, wantsMoreScope } from '../signs.js'

/** Access. */
export const authorizationRules: readonly Rule[] = [
  {
    id: 'unauthorized-listening',
    because:
      'some servers without a listening stream answer 401 to the GET; whether the credential is refused, a POST tells',
    source: 'deviation 14; report 12.01',
    // On the older wire the stream is the connection, and its 401 is everybody's.
    when: (e) => status(401)(e) && e.http?.exchange === 'listen' && e.wire === 'http',
    ruling: {
      class: 'unauthorized',
      scope: 'call',
      code: 'http.401',
      delivery: 'refused',
      suspect: true,
      advice: 'The server refuses the listening stream (401). If requests work, it offers none or wants more for it.',
    },
  },
  {
    id: 'unauthorized-names-session',
    because:
      'the answer speaks of the session and nothing says that the token ran out: not the credential is refused but the session',
    source: 'report 01.03',
    // Of a credential that stands in the configuration nobody knows how fresh it is. A wrong guess costs one handshake.
    when: (e) => status(401)(e) && e.sessionSent === true && e.tokenState !== 'expired' && namesSession(e),
    ruling: {
      class: 'session-expired',
      scope: 'link',
      code: 'session.unknown',
      delivery: 'refused',
      advice: 'The server no longer knows the session; a new one is made.',
    },
  },
  {
    id: 'unauthorized',
    because: 'with or without WWW-Authenticate, 401 asks for a credential',
    source: 'deviation 38; report 04.11',
    when: status(401),
    ruling: {
      class: 'unauthorized',
      scope: 'link',
      code: 'http.401',
      delivery: 'refused',
      advice: 'The server wants a valid credential. Log in, or give it a token.',
    },
  },
  {
    id: 'expired-refused-otherwise',
    because:
      'the token is known to have run out, and some servers say so by another status, or send a person to log in',
    source: 'deviation 40; report 04.12',
    // Only 500 leaves open whether the request was run before it failed.
    when: (e) => e.tokenState === 'expired' && (status(400, 403)(e) || statusBetween(300, 399)(e)),
    ruling: {
      class: 'unauthorized',
      scope: 'link',
      code: 'token.expired',
      delivery: 'refused',
      advice: 'The access token ran out, and the server answers {status} to it.',
    },
  },
  {
    id: 'expired-failed',
    because: 'the token is known to have run out, and some servers fail on it; whether the request ran nobody knows',
    source: 'deviation 40',
    when: (e) => e.tokenState === 'expired' && status(500)(e),
    ruling: {
      class: 'unauthorized',
      scope: 'link',
      code: 'token.expired',
      advice: 'The access token ran out, and the server answers {status} to it.',
    },
  },
  {
    id: 'scope-insufficient-at-start',
    because: 'the credential is good but may not do this; at the handshake nothing goes on without it',
    source: 'specification 2025-11-25 authorization, step-up',
    when: (e) => status(403)(e) && wantsMoreScope(e) && opening(e),
    ruling: {
      class: 'unauthorized',
      scope: 'link',
      code: 'scope.insufficient',
      delivery: 'refused',
      advice: 'The credential lacks a scope that the server asks for. Log in again with more scopes.',
    },
  },
  {
    id: 'scope-insufficient',
    because: 'only this call needs more scope; all others go on',
    source: 'specification 2025-11-25 authorization, step-up; promise P14',
    when: (e) => status(403)(e) && wantsMoreScope(e),
    ruling: {
      class: 'unauthorized',
      scope: 'call',
      code: 'scope.insufficient',
      delivery: 'refused',
      advice: 'This call needs a scope that the credential lacks.',
    },
  },
  {
    id: 'forbidden-at-start',
    because: 'who is refused at the door stays refused until somebody changes something',
    when: (e) => status(403)(e) && opening(e),
    ruling: {
      class: 'permanent',
      transientOnceReady: true,
      scope: 'link',
      code: 'http.403',
      delivery: 'refused',
      advice:
        'The server refuses this client (403). Check the credential, the address and the allowed hosts of the server.',
    },
  },
  {
    id: 'forbidden',
    because: 'one call is not allowed; the connection is well',
    source: 'report 05.05',
    when: status(403),
    ruling: {
      class: 'permanent',
      scope: 'call',
      code: 'http.403',
      delivery: 'refused',
      advice: 'The server does not allow this call (403).',
    },
  },
  {
    id: 'grant-refused',
    because: 'the refresh token itself is refused: only a person can help',
    source: 'RFC 6749 5.2; report 04.03',
    when: (e) => e.kind === 'token' && e.subject === 'login',
    ruling: {
      class: 'unauthorized',
      scope: 'link',
      code: 'token.invalid-grant',
      delivery: 'not-sent',
      advice: 'The stored login is no longer accepted. Log in again.',
    },
  },
  {
    id: 'credential-refused',
    because: 'there is no other credential, and nobody who could log in: waiting changes nothing',
    source: 'deviation 39',
    when: (e) => e.kind === 'token' && e.subject === 'credential',
    ruling: {
      class: 'permanent',
      scope: 'link',
      code: 'credential.refused',
      delivery: 'not-sent',
      advice: 'The server refuses the credential, and there is no other. Give it a valid one, then call retry().',
    },
  },
  {
    id: 'authorization-unusable',
    because:
      'metadata of another resource, no way to become a client, no proof key: a login could not be safe or not end',
    source: 'RFC 9728 3.3; report 04.06; deviation 39',
    when: (e) => e.kind === 'token' && e.subject === 'authorization',
    ruling: {
      class: 'permanent',
      transientOnceReady: true,
      scope: 'link',
      code: 'authorization.unusable',
      delivery: 'not-sent',
      advice:
        'Nobody can log in to this server as it is configured. It may want an API key, or a client that is known to it.',
    },
  },
  {
    id: 'token-endpoint',
    because: 'trouble at the token endpoint says nothing of the tokens: they are kept',
    source: 'SDK trap 8',
    when: (e) => e.kind === 'token',
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'token.unavailable',
      delivery: 'not-sent',
      advice: 'The authorization server could not be used just now; the login is kept and tried again.',
    },
  },
]
