import type { Crowd } from './crowd.js'
import type { SimulationOptions, SimulationResult } from './result.js'
import type { Schedule } from './schedule.js'
import { runSchedule } from './simulation.js'

/** A schedule that still fails, and whose every remaining step is needed. */
export interface Shrunk {
  readonly result: SimulationResult
  /** Places, in the seed's own schedule, of the steps that are left. */
  readonly kept: readonly number[]
}

/** The schedule with only these of its steps. */
export const onlySteps = <S extends Schedule | Crowd>(schedule: S, kept: readonly number[]): S => ({
  ...schedule,
  steps: kept.map((place) => schedule.steps[place]).filter((step) => step !== undefined),
})

/**
 * Leaves steps out of a failing schedule for as long as the same sentence is broken: halves first, then quarters, down to
 * single steps (delta debugging). What a seed draws does not depend on its steps, so the rest stays as it was.
 */
export async function shrink(failing: SimulationResult, options: SimulationOptions = {}): Promise<Shrunk> {
  const { schedule, breaches } = failing
  const sentence = breaches[0]?.invariant
  const fails = async (kept: readonly number[]) => {
    const result = await runSchedule(onlySteps(schedule, kept), options)
    return result.breaches.some(({ invariant }) => invariant === sentence) ? result : undefined
  }
  let best: Shrunk = { result: failing, kept: schedule.steps.map((_, place) => place) }
  for (let size = Math.ceil(best.kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < best.kept.length; ) {
      const kept = best.kept.filter((_, at) => at < from || at >= from + size)
      const result = await fails(kept)
      if (result) best = { result, kept }
      else from += size
    }
  }
  return best
}
