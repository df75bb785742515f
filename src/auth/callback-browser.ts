/** Stands in for `callback.ts` where a bundler builds for browsers (`browser` in package.json): a page cannot listen. */
import type { CallbackOptions, LoopbackCallback } from './callback.js'

export type { CallbackOptions, LoopbackCallback } from './callback.js'

/** @throws TypeError always */
export async function listenForCallback(_options?: CallbackOptions): Promise<LoopbackCallback> {
  throw new TypeError('A browser cannot listen for a login: give its own address to connection.authorize().')
}
