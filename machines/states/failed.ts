import { chartSetup } from '../setup.js'
import { to } from '../targets.js'

export const failed = chartSetup.createStateConfig({
  description: 'Given up for now, with a reason. Not final: somebody or something can set it going again.',
  initial: 'permanent',
  on: {
    connect: { target: to.linked, actions: ['trustAnew', 'insist'] },
    retry: { target: to.linked, actions: ['trustAnew', 'insist'] },
    reconnect: { target: to.linked, actions: ['forgetSession', 'trustAnew', 'insist'] },
    configure: { target: to.linked, actions: ['configure', 'trustAnew', 'insist'] },
    'credentials.changed': { guard: 'newLogin', target: to.linked, actions: ['adoptCredential', 'trustAnew'] },
    'auth.responded': { target: to.linked, actions: ['trustAnew', 'insist'] },
  },
  states: {
    permanent: {
      description: 'What no waiting cures: the configuration, the credential or the server has to change.',
      tags: 'stopped',
    },
    exhausted: {
      description: 'Every attempt was used up.',
      initial: 'resting',
      states: {
        resting: {
          description: 'Calls are refused at once, so that a crowd of callers cannot drive attempts.',
          tags: 'stopped',
          after: {
            rest: 'open',
          },
        },
        open: {
          description: 'One attempt is made when a call comes, or now and then without one.',
          tags: 'waiting',
          on: {
            'demand.raised': { target: to.linked, actions: 'raiseDemand' },
          },
          after: {
            slowProbe: { guard: 'probesSlowly', target: to.linked },
          },
        },
      },
    },
  },
})
