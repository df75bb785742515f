export { type CallHost, type CallOptions, Calls, type Requester } from './calls.js'
export { isReadOnly } from './replay.js'
