import type { HttpWireOptions } from '../../../src/wire/http/index.js'

/** The contract of the wire holds over both. */
export const backends: readonly (readonly [string, Partial<HttpWireOptions>])[] = [
  ['undici', {}],
  ['fetch', { fetch: globalThis.fetch }],
]
