import type { AnyStateMachine, AnyTransitionDefinition, EventObject, SnapshotFrom } from 'xstate'
import { systemClock } from '../../clock.js'
import { declared, type LabelledCase, labelCases, possible } from './cases.js'
import { coverageOf } from './coverage.js'
import { bare } from './loose.js'
import { createStepper, nothing, type Step, type Stepper } from './stepper.js'
import { ruleOf, valueText } from './structure.js'
import type { Edge, Effect, ExploreOptions, GraphState, Report, Slice } from './types.js'
import { createViolations, type Violations } from './violations.js'

type Open<M extends AnyStateMachine> = Omit<GraphState<M>, 'edges'> & { edges: Edge[] }

/**
 * Tries every event case in every abstract state of a machine, breadth-first and purely: no actor runs, no timer ticks.
 *
 * What can be asked of the result: which transitions, rules, guards, actions and delays never had their turn; which
 * invariants broke and by which shortest path; where a state is without a way on (see `cannotReach` and the like); and
 * the table of all transitions for reviewing (`goldenTable`).
 *
 * @throws Error when the cases are not complete, or when more than `maxStates` states are found
 */
export function explore<M extends AnyStateMachine>(machine: M, options: ExploreOptions<M>): Report<M> {
  return exploreWith(createStepper(machine), options)
}

/** The same with a stepper at hand, which can then take further steps from the states that were found. */
export function exploreWith<M extends AnyStateMachine>(stepper: Stepper<M>, options: ExploreOptions<M>): Report<M> {
  const began = systemClock.now()
  const cases = labelCases(stepper.machine, options.cases)
  const slices = options.slices ?? [{ name: 'all', input: options.input } as Slice<M>]
  const keyOf = options.key ?? defaultKey(options.project)
  const { maxStates = 50_000, invariants = [] } = options

  const states: Open<M>[] = []
  const effects = createEffects()
  const fired = new Set<AnyTransitionDefinition>()
  const violations = createViolations(invariants, (state) => pathTo(states, cases, state))
  const exact = !cases.some((one) => one.type.includes('*'))
  let pairs = 0
  let ignored = 0

  for (const [slice, { name, input, within = () => true }] of slices.entries()) {
    const known = new Map<string, number>()
    const first = states.length

    const arrive = (snapshot: SnapshotFrom<M>, parent: number, via: number): number => {
      const expanded = bare(snapshot).status === 'active' && within(snapshot)
      // What lies outside of the bound is told apart by configuration only.
      const key = expanded ? keyOf(snapshot) : `outside ${valueText(bare(snapshot).value)}`
      const seen = known.get(key)
      if (seen !== undefined) return seen
      if (states.length - first >= maxStates) throw new Error(tooMany(name, maxStates, key))
      known.set(key, states.length)
      states.push({ slice, value: valueText(bare(snapshot).value), snapshot, expanded, edges: [], parent, via })
      return states.length - 1
    }

    const begun = stepper.begin(input)
    for (const transition of begun.transitions) fired.add(transition)
    violations.check(name, undefined, { type: 'xstate.init' }, 'start', begun, -1)
    arrive(begun.after, -1, -1)

    for (let at = first; at < states.length; at++) {
      const state = states[at]
      if (!state?.expanded) continue
      for (const [index, one] of cases.entries()) {
        const tried = tryCase(stepper.step, state.snapshot, one, violations, name, at, exact)
        if (tried === undefined) continue
        pairs += 1
        if (tried === 'threw') continue
        const { event, step } = tried
        for (const transition of step.transitions) fired.add(transition)
        violations.check(name, state.snapshot, event, one.label, step, at)
        if (step.transitions.length === 0 && step.after === state.snapshot) {
          ignored += 1
          state.edges.push({ case: index, target: at, effect: 0 })
          continue
        }
        state.edges.push({ case: index, target: arrive(step.after, at, index), effect: effects.intern(step) })
      }
    }
  }

  return {
    graph: {
      states,
      cases: cases.map((one) => one.label),
      types: cases.map((one) => one.type),
      effects: effects.all,
      slices: slices.map((slice) => slice.name),
    },
    states: states.length,
    border: states.filter((state) => !state.expanded && bare(state.snapshot).status === 'active').length,
    perSlice: Object.fromEntries(slices.map(({ name }, i) => [name, states.filter((s) => s.slice === i).length])),
    pairs,
    ignored,
    ...coverageOf(stepper, fired),
    violations: violations.all(),
    seconds: (systemClock.now() - began) / 1_000,
  }
}

function tryCase<M extends AnyStateMachine>(
  take: (snapshot: SnapshotFrom<M>, event: EventObject) => Step<M>,
  snapshot: SnapshotFrom<M>,
  one: LabelledCase<M>,
  violations: Violations<M>,
  slice: string,
  at: number,
  exact: boolean,
): { event: EventObject; step: Step<M> } | 'threw' | undefined {
  if (!possible(bare(snapshot), one.type)) return undefined
  const event = one.make(snapshot)
  if (!event) return undefined
  try {
    // A descriptor with a wildcard matches events of other names; then XState has to be asked.
    if (!declared(bare(snapshot), event.type, exact)) return { event, step: { after: snapshot, ...nothing } }
    return { event, step: take(snapshot, event) }
  } catch (error) {
    // At run time this would end the actor.
    violations.threw(slice, one.label, error, at)
    return 'threw'
  }
}

/** Value, status, history and the projected context. */
function defaultKey<M extends AnyStateMachine>(
  project: ((snapshot: SnapshotFrom<M>) => unknown) | undefined,
): (snapshot: SnapshotFrom<M>) => string {
  return (snapshot) => {
    const any = bare(snapshot)
    const history = Object.entries(any.historyValue)
    return JSON.stringify([
      valueText(any.value),
      any.status,
      history.map(([id, nodes]) => [id, ...nodes.map((node) => node.id).sort()]),
      project ? project(snapshot) : any.context,
    ])
  }
}

/** Effects by number: few differ, while there are edges without number. */
function createEffects() {
  const all: Effect[] = [{ rules: [], actions: [] }]
  const numbers = new Map<string, number>()
  return {
    all,
    intern<M extends AnyStateMachine>({ transitions, actions }: Step<M>): number {
      const rules = transitions.map(ruleOf).filter((rule) => rule !== undefined)
      const key = `${rules.join()}|${actions.join()}`
      const number = numbers.get(key) ?? all.push({ rules, actions }) - 1
      numbers.set(key, number)
      return number
    },
  }
}

function pathTo<M extends AnyStateMachine>(
  states: readonly Open<M>[],
  cases: readonly LabelledCase<M>[],
  state: number,
): string[] {
  const path: string[] = []
  for (let at = states[state]; at && at.parent >= 0; at = states[at.parent]) path.unshift(cases[at.via]?.label ?? '?')
  return path
}

const tooMany = (slice: string, most: number, key: string): string =>
  `More than ${most} abstract states in '${slice}': something in the key grows without bound, or maxStates is too low. ` +
  `The last one: ${key}`
