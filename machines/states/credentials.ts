import { authInput } from '../inputs.js'
import { connectionSetup } from '../setup.js'

export const credentials = connectionSetup.createStateConfig({
  description: 'Is the credential good for a while, and for enough?',
  initial: 'valid',
  states: {
    valid: {
      description: 'The credential holds, as far as is known.',
      on: {
        'credentials.changed': { target: 'valid', reenter: true, actions: 'adoptCredential' },
        'scope.insufficient': [
          { guard: 'stale', meta: { rule: 'F0' } },
          { guard: 'stepsUp', target: 'steppingUp', actions: 'countAuthorization' },
        ],
      },
      after: {
        tokenRefresh: { guard: 'expires', target: 'refreshing' },
        // A credential that was accepted for so long ends the row of refused ones.
        stableAfter: { actions: 'forgetAuthorizations' },
      },
    },
    refreshing: {
      description: 'A new credential is fetched before the old one runs out; calls go on under the old one.',
      invoke: {
        id: 'refresh',
        src: 'refresh',
        input: authInput,
        onDone: [
          { guard: 'granted', target: 'valid', actions: 'adoptCredential' },
          { guard: 'needsUser', target: 'valid', actions: 'ceaseRefresh' },
          { target: 'valid', actions: 'postponeRefresh' },
        ],
        onError: { target: 'valid', actions: 'postponeRefresh' },
      },
      after: {
        authorizeTimeout: { target: 'valid', actions: 'postponeRefresh' },
      },
    },
    steppingUp: {
      description: 'One call needs more scope. That call waits; all others go on.',
      invoke: {
        id: 'stepUp',
        src: 'stepUp',
        input: authInput,
        onDone: [{ guard: 'granted', target: 'valid', actions: 'adoptCredential' }, { target: 'valid' }],
        onError: 'valid',
      },
      on: {
        'credentials.changed': { target: 'valid', actions: 'adoptCredential' },
      },
    },
  },
})
