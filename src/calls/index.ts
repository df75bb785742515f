export { type CallEnd, type CallHost, type CallObserver, type CallOptions, Calls, type Requester } from './calls.js'
