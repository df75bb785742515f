import { authInput } from '../inputs.js'
import { chartSetup } from '../setup.js'
import { to } from '../targets.js'

/** With a new credential the link goes on from where it was; a link that is lost, or had not got far, is made anew. */
const onward = [
  {
    guard: 'linkReady',
    target: to.ready,
    // A probe proves that the new credential is taken: a server that refuses each one is found out at once.
    actions: [
      'adoptCredential',
      'countAuthorization',
      { type: 'tellLink', params: { type: 'renewed' } },
      'raiseSuspicion',
    ],
  },
  { guard: 'linkEstablished', target: to.discovering, actions: ['adoptCredential', 'countAuthorization'] },
  { target: to.linked, reenter: true, actions: ['adoptCredential', 'countAuthorization'] },
] as const

export const reauthorizing = chartSetup.createStateConfig({
  description: 'A credential was refused and a better one is fetched. The link is kept: other calls in flight survive.',
  initial: 'refreshing',
  on: {
    fault: [
      { guard: 'stale', description: 'Seen on an older link.', meta: { rule: 'F0' } },
      { guard: 'absorbable', description: 'Refused as well, by the credential being replaced.', meta: { rule: 'R1' } },
      {
        guard: 'losesLinkOnly',
        actions: ['loseLink', 'forgetLostSession'],
        description: 'The link died meanwhile, perhaps its session too; a login that is pending does not.',
        meta: { rule: 'R2' },
      },
      {
        guard: 'loginRefused',
        target: '.awaitingUser',
        actions: ['noteFault', 'countAuthorization'],
        description: 'The stored login itself is no longer accepted: only a person can help.',
        meta: { rule: 'R3' },
      },
    ],
  },
  states: {
    refreshing: {
      description: 'A credential is fetched without a person.',
      tags: 'busy',
      invoke: {
        id: 'refresh',
        src: 'refresh',
        input: authInput,
        onDone: [
          { guard: 'needsUser', target: 'awaitingUser' },
          { guard: 'refused', actions: 'failAuthorization' },
          ...onward,
        ],
        onError: { actions: 'failAuthorization' },
      },
      after: {
        authorizeTimeout: { actions: { type: 'missDeadline', params: { phase: 'reauthorizing' } } },
      },
    },
    awaitingUser: {
      description: 'A person has to log in. Catalog and queue are kept; another process may log in as well.',
      tags: 'needs-user',
      entry: 'emitNeedsUser',
      invoke: {
        id: 'login',
        src: 'login',
        input: authInput,
        onError: { actions: 'failAuthorization' },
      },
      on: {
        'auth.responded': 'exchanging',
        'credentials.changed': { target: to.linked, reenter: true, actions: ['adoptCredential', 'trustAnew'] },
      },
    },
    exchanging: {
      description: 'The answer of the login is turned into a credential.',
      tags: 'busy',
      invoke: {
        id: 'exchange',
        src: 'exchange',
        input: authInput,
        onDone: [
          { guard: 'granted', target: to.linked, reenter: true, actions: ['adoptCredential', 'trustLogin'] },
          { guard: 'needsUser', target: 'awaitingUser' },
          { actions: 'failAuthorization' },
        ],
        onError: { actions: 'failAuthorization' },
      },
      after: {
        authorizeTimeout: { actions: { type: 'missDeadline', params: { phase: 'reauthorizing' } } },
      },
    },
  },
})
