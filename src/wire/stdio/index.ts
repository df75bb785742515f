export { forgetLive, noteLive } from './live-trees.js'
export type { StdioWireOptions } from './options.js'
export { StdioWire } from './stdio-wire.js'
export { watchdogPid } from './watchdog.js'

/** Why there is no stdio here, where there is none. */
export const stdioUnsupported: string | undefined = undefined
