import { chartSetup } from '../setup.js'
import { to } from '../targets.js'

export const initializing = chartSetup.createStateConfig({
  description: 'A session is agreed on, or gone on with.',
  tags: 'busy',
  initial: 'handshaking',
  states: {
    resuming: {
      description: 'One cheap request asks whether the remembered session lives.',
      entry: { type: 'tellLink', params: { type: 'resume' } },
      on: {
        'link.resumed': [
          { guard: 'listsKnown', target: to.ready, actions: 'noteSession' },
          { target: to.discovering, actions: 'noteSession' },
        ],
      },
      after: {
        initializeTimeout: { actions: { type: 'missDeadline', params: { phase: 'resuming' } } },
      },
    },
    handshaking: {
      description: 'initialize and initialized are exchanged.',
      entry: { type: 'tellLink', params: { type: 'negotiate' } },
      on: {
        'link.initialized': { target: to.discovering, actions: 'noteSession' },
      },
      after: {
        initializeTimeout: { actions: { type: 'missDeadline', params: { phase: 'initializing' } } },
      },
    },
  },
})
