/** What connections of one process share about their servers. */
export type { Door } from './door.js'
export { Gate, gateOf } from './gate.js'
