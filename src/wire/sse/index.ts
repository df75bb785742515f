/** The wire of revision 2024-11-05, HTTP+SSE. */
export type { SseWireOptions } from './options.js'
export { SseWire } from './sse-wire.js'
