/**
 * The seam for time. XState's own clock interface plus `now`, so that one object drives the chart, the wires and the
 * records; `SimulatedClock` from xstate fits.
 */
export interface Clock {
  /** The time of day, in milliseconds. It jumps when somebody sets it. */
  now(): number
  /** Milliseconds from some beginning, for durations: nothing makes it jump. Default: `now`. */
  monotonic?(): number
  // biome-ignore lint/suspicious/noExplicitAny: XState's Clock interface types timer handles as any
  setTimeout(fn: (...args: any[]) => void, ms: number): any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  clearTimeout(id: any): void
}

/** The real clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (fn, ms) => setTimeout(fn, ms),
  clearTimeout: (id) => clearTimeout(id),
}

/** Where a clock stands that nobody sets: durations and deadlines are measured by it, timers keep to it as well. */
export const elapsed = (clock: Clock): number => clock.monotonic?.() ?? clock.now()

/** The seam for chance: a number in [0, 1). */
export type Random = () => number

export const systemRandom: Random = () => Math.random()
