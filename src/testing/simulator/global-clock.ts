import type { Chance } from './chance.js'
import type { DrivenClock } from './driven-clock.js'
import { driveCrypto } from './global-crypto.js'

/** What takes time from the machine, and what replaces it. */
type Global = Pick<
  typeof globalThis,
  'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval' | 'setImmediate' | 'clearImmediate'
>

/**
 * Puts a driven clock in the place of the process's timers, `Date.now` and `performance.now`: the SDK keeps a request's deadline by the
 * global `setTimeout`, and the runtime's own default clock reads both.
 *
 * Random values and digests come of the seed and at once: the machine's own come from other threads, at any time.
 *
 * @returns what puts the real ones back
 */
export function driveGlobals(clock: DrivenClock, chance: Chance): () => void {
  const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = globalThis
  const { now } = Date
  const monotonic = performance.now
  const driven = {
    setTimeout: clock.setTimeout,
    clearTimeout: clock.clearTimeout,
    setInterval: clock.setInterval,
    clearInterval: clock.clearTimeout,
    setImmediate: <A extends unknown[]>(fn: (...args: A) => void, ...args: A) => clock.setTimeout(fn, 0, ...args),
    clearImmediate: clock.clearTimeout,
  }
  // The timers look like Node's to whoever sets and clears them; more of them nobody has asked for.
  Object.assign(globalThis, driven as unknown as Global)
  Date.now = clock.now
  performance.now = clock.monotonic
  const releaseCrypto = driveCrypto(chance)
  return () => {
    releaseCrypto()
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate })
    Date.now = now
    performance.now = monotonic
  }
}
