/** Stands in for undici-exchange.ts where a bundler builds for browsers (`browser` in package.json): `fetch` serves there. */
import type { Exchanger } from './exchange.js'
import { overFetch } from './fetch-exchange.js'

export type DispatcherLike = never

/** @throws TypeError always */
export function overDispatcher(): Exchanger {
  throw new TypeError('A browser has no dispatchers: leave target.dispatcher out.')
}

export const overOwnAgent = (): Exchanger => overFetch(globalThis.fetch)
