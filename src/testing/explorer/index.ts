/**
 * Exhaustive exploration of statecharts, and what to ask of one: written for the connection's chart and for those that
 * users extend from it, but it works on any XState machine whose guards, actions and delays are named.
 */
export { timerCases } from './cases.js'
export { type ConnectionCases, connectionCases, isCommand, isCooperative } from './connection-cases.js'
export { connectionInvariants } from './connection-invariants.js'
export { connectionKey } from './connection-key.js'
export { failedStep, granted, sampleFault, sampleInput, sampleSession } from './connection-samples.js'
export { type ConnectionSlice, connectionSlices } from './connection-slices.js'
export type { ConnectionInvariant, ConnectionStep, ConnectionView } from './connection-view.js'
export { explore } from './explore.js'
export { goldenTable } from './golden.js'
export { cannotReach, deafToChildren, type Stuck, withoutTimedExit } from './liveness.js'
export { summarize } from './summary.js'
export type * from './types.js'
