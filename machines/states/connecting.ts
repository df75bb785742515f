import { connectionSetup } from '../setup.js'

export const connecting = connectionSetup.createStateConfig({
  description: 'The wire opens: a child is spawned, an address is dialled.',
  tags: 'busy',
  entry: { type: 'tellLink', params: { type: 'open' } },
  on: {
    'link.opened': [{ guard: 'resumable', target: 'initializing.resuming' }, { target: 'initializing.handshaking' }],
  },
  after: {
    connectTimeout: { actions: { type: 'missDeadline', params: { phase: 'connecting' } } },
  },
})
