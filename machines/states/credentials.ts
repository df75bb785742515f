import { aheadInput, authInput, scopeInput } from '../inputs.js'
import { chartSetup } from '../setup.js'
import { to } from '../targets.js'

/** The server wants more scope than the credential has. Complaints of before it are answered by it already. */
const wantsScope = [
  { guard: 'stale', meta: { rule: 'F0' } },
  { guard: 'stepsUp', target: 'steppingUp' },
] as const

/** The link is told as well: what was refused under the old credential goes out again. */
export const adopt = ['adoptCredential', { type: 'tellLink', params: { type: 'renewed' } }] as const

export const credentials = chartSetup.createStateConfig({
  description: 'Is the credential good for a while, and for enough?',
  initial: 'valid',
  states: {
    valid: {
      description: 'The credential holds, as far as is known.',
      on: {
        'credentials.changed': { target: 'valid', reenter: true, actions: adopt },
        // The time of the refresh is a time of the clock, and timers stand still while the machine sleeps.
        'clock.jumped': { target: 'valid', reenter: true },
        'scope.insufficient': wantsScope,
        // The answer of a login that was no longer waited for.
        'auth.responded': 'steppingUp.exchanging',
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
        input: aheadInput,
        onDone: [
          { guard: 'granted', target: 'valid', actions: adopt },
          { guard: 'needsUser', target: 'valid', actions: 'ceaseRefresh' },
          { target: 'valid', actions: 'postponeRefresh' },
        ],
        onError: { target: 'valid', actions: 'postponeRefresh' },
      },
      on: {
        'credentials.changed': { actions: adopt },
        // A refresh that was begun is finished by the authorizer all the same; what it got is told.
        'scope.insufficient': wantsScope,
        'auth.responded': 'steppingUp.exchanging',
      },
      after: {
        authorizeTimeout: { target: 'valid', actions: 'postponeRefresh' },
      },
    },
    steppingUp: {
      description: 'Calls need more scope. They wait; all others go on.',
      tags: 'stepping-up',
      initial: 'asking',
      on: {
        'credentials.changed': [{ guard: 'newLogin', target: 'valid', actions: adopt }, { actions: adopt }],
      },
      states: {
        asking: {
          description: 'More scope is asked for.',
          invoke: {
            id: 'stepUp',
            src: 'stepUp',
            input: scopeInput,
            onDone: [
              { guard: 'granted', target: to.credentialValid, actions: [...adopt, 'countAuthorization'] },
              { guard: 'needsUser', target: 'awaitingUser' },
              { target: to.credentialValid },
            ],
            onError: to.credentialValid,
          },
          after: {
            authorizeTimeout: to.credentialValid,
          },
        },
        awaitingUser: {
          description: 'A person has to agree to more scope.',
          tags: 'needs-user',
          entry: 'emitNeedsUser',
          on: {
            'auth.responded': 'exchanging',
          },
          after: {
            consentTimeout: to.credentialValid,
          },
        },
        exchanging: {
          description: 'The answer of the person is turned into a credential.',
          invoke: {
            id: 'exchange',
            src: 'exchange',
            input: authInput,
            onDone: [
              { guard: 'granted', target: to.credentialValid, actions: [...adopt, 'countAuthorization'] },
              { target: to.credentialValid },
            ],
            onError: to.credentialValid,
          },
          after: {
            authorizeTimeout: to.credentialValid,
          },
        },
      },
    },
  },
})
