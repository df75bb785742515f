import { chartSetup } from '../setup.js'
import { to } from '../targets.js'

export const backoff = chartSetup.createStateConfig({
  description: 'The link is lost and is made again after a wait.',
  tags: 'waiting',
  initial: 'cooling',
  on: {
    retry: { target: to.linked, actions: ['trustAnew', 'insist'] },
    reconnect: { target: to.linked, actions: ['forgetSession', 'trustAnew', 'insist'] },
    configure: { target: to.linked, actions: ['configure', 'trustAnew', 'insist'] },
    'credentials.changed': { guard: 'newLogin', target: to.linked, actions: ['adoptCredential', 'trustAnew'] },
    'auth.responded': { target: to.linked, actions: ['trustAnew', 'insist'] },
  },
  states: {
    cooling: {
      description: 'The server named a time; nothing shortens it.',
      always: { guard: 'nothingToServe', target: 'waiting', actions: 'planRetry' },
      after: {
        cooling: { target: 'waiting', actions: 'planRetry' },
      },
    },
    waiting: {
      description: 'The own delay, grown with each attempt and spread by chance.',
      entry: 'emitRetrying',
      on: {
        'demand.raised': {
          guard: 'notHurried',
          target: 'waiting',
          reenter: true,
          actions: ['raiseDemand', 'hurry', 'planRetry'],
        },
        'network.offline': { guard: 'remote', target: 'offline', actions: 'goOffline' },
      },
      after: {
        retryDelay: to.linked,
      },
    },
    offline: {
      description:
        'The network is away. No attempt is burned; a look now and then, in case nobody tells of its return.',
      on: {
        'network.online': { target: 'waiting', actions: ['goOnline', 'planReturn'] },
      },
      after: {
        offlineRecheck: to.linked,
      },
    },
  },
})
