import type { AnyStateMachine, EventObject, SnapshotFrom } from 'xstate'
import { bare } from './loose.js'
import type { Step } from './stepper.js'
import type { Invariant, Violation } from './types.js'

/** Timers hold less than 2^31 ms; anything else fires at once. */
const LONGEST_MS = 2 ** 31 - 1

export interface Violations<M extends AnyStateMachine> {
  check(
    slice: string,
    before: SnapshotFrom<M> | undefined,
    event: EventObject,
    label: string,
    step: Step<M>,
    at: number,
  ): void
  threw(slice: string, label: string, error: unknown, at: number): void
  all(): Violation[]
}

/** Keeps the shortest path to the first breach of every invariant, and counts the rest. */
export function createViolations<M extends AnyStateMachine>(
  invariants: readonly Invariant<M>[],
  pathTo: (state: number) => string[],
): Violations<M> {
  const found = new Map<string, Violation>()

  const note = (invariant: string, message: string, slice: string, label: string, at: number): void => {
    const known = found.get(invariant)
    const path = [...pathTo(at), label]
    const shortest = known && known.path.length <= path.length ? known : { invariant, message, slice, path }
    found.set(invariant, { ...shortest, times: (known?.times ?? 0) + 1 })
  }

  return {
    check(slice, before, event, label, step, at) {
      const { after, planned, actions, transitions } = step
      const { status, error } = bare(after)
      if (status === 'error') {
        note('the machine does not end in an error', String(error), slice, label, at)
        return
      }
      const odd = planned.find((action) => !fits(action.params))
      if (odd) note('every delay fits a timer', JSON.stringify(odd.params), slice, label, at)
      for (const { name, check } of invariants) {
        const message = check({ slice, before, event, label, after, planned, actions, transitions })
        if (message !== undefined) note(name, message, slice, label, at)
      }
    },
    threw: (slice, label, error, at) => note('nothing throws', String(error), slice, label, at),
    all: () => [...found.values()],
  }
}

function fits(params: unknown): boolean {
  if (typeof params !== 'object' || params === null || !('delay' in params) || params.delay === undefined) return true
  return typeof params.delay === 'number' && params.delay >= 0 && params.delay <= LONGEST_MS
}
