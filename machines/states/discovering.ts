import { chartSetup } from '../setup.js'
import { adopt } from './credentials.js'

export const discovering = chartSetup.createStateConfig({
  description: 'All lists are read in parallel, and what the server has to remember for us is put back.',
  tags: 'busy',
  entry: { type: 'tellLink', params: { type: 'discover' } },
  on: {
    'link.discovered': { target: 'ready', actions: 'noteLists' },
    'credentials.changed': { actions: adopt },
  },
  after: {
    // The handshake was answered, so slow lists are no reason to drop the link; a probe asks whether it still lives.
    discoverTimeout: { target: 'ready', actions: ['noteLists', 'raiseSuspicion'] },
  },
})
