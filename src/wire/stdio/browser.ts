/** Stands in for this folder where a bundler builds for browsers (`browser` in package.json): no child runs there. */
import type { StdioWireOptions } from './options.js'

export type { StdioWireOptions } from './options.js'

export const stdioUnsupported: string | undefined =
  'a browser starts no processes; give the address of a server (target.url).'

/** @throws TypeError always */
export class StdioWire {
  constructor(_options: StdioWireOptions) {
    throw new TypeError(`No stdio here: ${stdioUnsupported}`)
  }
}
