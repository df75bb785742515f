/** Every pair of abstract state and event case that an exploration of the chart tried, kept for trying it again. */
import type { AnyStateNode, AnyTransitionDefinition, EventObject, SnapshotFrom } from 'xstate'
import { connectionChart } from '../../machines/index.js'
import { exploreWith } from '../../src/testing/explorer/explore.js'
import {
  connectionCases,
  connectionKey,
  connectionSlices,
  type Invariant,
  type PlannedAction,
} from '../../src/testing/explorer/index.js'
import { createStepper, type Stepper } from '../../src/testing/explorer/stepper.js'
import type { Chart } from '../model/explored.js'

export type Snapshot = SnapshotFrom<Chart>

export interface Pair {
  readonly slice: string
  readonly before: Snapshot
  readonly event: EventObject
  readonly label: string
  /** What the chart as it is does. */
  readonly after: Snapshot
  readonly taken: readonly AnyTransitionDefinition[]
  /** Delays that were set, by name. */
  readonly timers: readonly string[]
}

export interface Pairs {
  readonly stepper: Stepper<Chart>
  readonly all: readonly Pair[]
  /** By the event that was given. */
  given(type: string): readonly Pair[]
  /** By every event that was taken up, also one that the chart raised itself. */
  takenUp(type: string): readonly Pair[]
  /** In which something was done. */
  readonly moved: readonly Pair[]
  readonly seconds: number
}

/** Explores the chart once. `invariants` must hold of it as it is, or what is found of a mutant means nothing. */
export function recordPairs(invariants: readonly Invariant<Chart>[], slices = connectionSlices): Pairs {
  const stepper = createStepper(connectionChart)
  const all: Pair[] = []
  const record: Invariant<Chart> = {
    name: 'recorded',
    check: ({ slice, before, event, label, after, transitions, planned }) => {
      if (before) all.push({ slice, before, event, label, after, taken: transitions, timers: timersOf(planned) })
      return undefined
    },
  }
  const report = exploreWith(stepper, {
    slices,
    cases: connectionCases(stepper.machine),
    project: connectionKey,
    invariants: [record, ...invariants],
  })
  if (report.violations.length > 0) throw new Error(`The chart itself is broken: ${JSON.stringify(report.violations)}`)
  const byGiven = group(all, ({ event }) => [event.type])
  const byTaken = group(all, ({ taken }) => taken.map(({ eventType }) => eventType))
  return {
    stepper,
    all,
    given: (type) => byGiven.get(type) ?? [],
    takenUp: (type) => byTaken.get(type) ?? [],
    moved: all.filter(({ taken }) => taken.length > 0),
    seconds: report.seconds,
  }
}

const timersOf = (planned: readonly PlannedAction[]): readonly string[] =>
  planned.length === 0
    ? none
    : planned.flatMap(({ params }) => /^xstate\.after\.(\w+)\./.exec(String(Object(params).id))?.[1] ?? [])
const none: readonly string[] = []

export const isActive = ({ _nodes }: Snapshot, node: AnyStateNode): boolean => _nodes.includes(node as never)

function group(pairs: readonly Pair[], keysOf: (pair: Pair) => readonly string[]): Map<string, Pair[]> {
  const groups = new Map<string, Pair[]>()
  for (const pair of pairs) {
    for (const key of new Set(keysOf(pair))) {
      const known = groups.get(key)
      if (known) known.push(pair)
      else groups.set(key, [pair])
    }
  }
  return groups
}
