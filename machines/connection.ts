import { initialContext } from './changes.js'
import { connectionSetup } from './setup.js'
import { backoff } from './states/backoff.js'
import { closed, closing } from './states/closing.js'
import { failed } from './states/failed.js'
import { idle } from './states/idle.js'
import { linked } from './states/linked.js'
import { to } from './targets.js'

/**
 * One MCP connection. It only describes: its actors (the link, the steps of authorization, the release) are provided by
 * the package's main entry, or by a test.
 */
export const connectionChart = connectionSetup.createMachine({
  id: 'connection',
  description: 'One MCP connection: outlives its wires, sessions, tokens and processes.',
  context: initialContext,
  initial: 'idle',
  options: { maxIterations: 1_000 },
  on: {
    // Whoever connects again after that does so by intent.
    disconnect: { target: to.closing, actions: ['thenIdle', 'trustAnew', 'insist', 'emitDisconnected'] },
    close: { target: to.closing, actions: 'thenClosed' },
    configure: { actions: ['configure', 'trustAnew'] },
    'demand.raised': { actions: 'raiseDemand' },
    'demand.cleared': { actions: 'clearDemand' },
    'network.online': { actions: 'goOnline' },
    'network.offline': { actions: 'goOffline' },
    'credentials.changed': { actions: 'adoptCredential' },
  },
  states: { idle, linked, backoff, failed, closing, closed },
})
