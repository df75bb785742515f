import type { DrivenClock } from './driven-clock.js'

/** What takes time from the machine, and what replaces it. */
type Global = Pick<
  typeof globalThis,
  'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval' | 'setImmediate' | 'clearImmediate'
>

/**
 * Puts a driven clock in the place of the process's timers, `Date.now` and `performance.now`: the SDK keeps a request's deadline by the
 * global `setTimeout`, and the runtime's own default clock reads both.
 *
 * @returns what puts the real ones back
 */
export function driveGlobals(clock: DrivenClock): () => void {
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
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate })
    Date.now = now
    performance.now = monotonic
  }
}
