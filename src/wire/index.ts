/** Wires: transports for MCP that take evidence. Each also serves a plain client of the SDK. */
export { evidenceOf, WireError } from './failure.js'
export * from './http/index.js'
export type * from './messages.js'
export * from './sse/index.js'
export * from './stdio/index.js'
export { TransportWire } from './transport-wire.js'
export { errnoOf, loneFetch, retryAfterMs } from './web/index.js'
export type { SendOptions, TransportLike, Wire, WireEvent } from './wire.js'
