export type { StdioWireOptions } from './options.js'
export { StdioWire } from './stdio-wire.js'
