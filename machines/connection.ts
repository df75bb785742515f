import { initialContext } from './changes.js'
import { chartSetup } from './setup.js'
import { backoff } from './states/backoff.js'
import { closed, closing } from './states/closing.js'
import { failed } from './states/failed.js'
import { idle } from './states/idle.js'
import { linked } from './states/linked.js'
import { to } from './targets.js'

/** What the chart answers to wherever it is. */
export const connectionOn = {
  // Whoever connects again after that does so by intent.
  disconnect: { target: to.closing, actions: ['trustAnew', 'insist', 'emitDisconnected'] },
  close: { target: to.closing, actions: 'thenClosed' },
  configure: { actions: ['configure', 'trustAnew'] },
  fault: {
    guard: 'sessionLost',
    actions: 'forgetLostSession',
    description: 'No link is there, but a call that still goes on was told that the session is lost.',
  },
  'demand.raised': { actions: 'raiseDemand' },
  'demand.cleared': { actions: 'clearDemand' },
  'network.online': { actions: 'goOnline' },
  'network.offline': { actions: 'goOffline' },
  'credentials.changed': { actions: 'adoptCredential' },
} as const

export const connectionStates = { idle, linked, backoff, failed, closing, closed }

/** The whole chart as a configuration, but for its context: what an extension puts its states into. */
export const connectionRoot = {
  id: 'connection',
  description: 'One MCP connection: outlives its wires, sessions, tokens and processes.',
  initial: 'idle',
  options: { maxIterations: 1_000 },
  on: connectionOn,
  states: connectionStates,
} as const

/**
 * One MCP connection. It only describes: its actors (the link, the steps of authorization, the release) are provided by
 * the package's main entry, or by a test.
 */
export const connectionChart = chartSetup.createMachine({ ...connectionRoot, context: initialContext })
