import { chartSetup } from '../setup.js'
import { to } from '../targets.js'

export const connecting = chartSetup.createStateConfig({
  description: 'The wire opens, once the gate that all connections of the process share lets it.',
  initial: 'opening',
  states: {
    opening: {
      description: 'A child is spawned, an address is dialled.',
      tags: 'busy',
      entry: { type: 'tellLink', params: { type: 'open' } },
      on: {
        'link.opened': [
          { guard: 'resumable', target: to.resuming, actions: 'settleWish' },
          { target: to.handshaking, actions: 'settleWish' },
        ],
        'link.held': { target: 'held', actions: ['planHold', 'emitHeld'] },
      },
      after: {
        connectTimeout: { actions: { type: 'missDeadline', params: { phase: 'connecting' } } },
      },
    },
    held: {
      description:
        'The gate does not let it through yet: the server named a time to another connection, or others are trying. Nothing is dialled, and no deadline of an attempt runs.',
      tags: 'waiting',
      on: {
        'link.called': 'opening',
      },
      after: {
        hold: 'opening',
      },
    },
  },
})
