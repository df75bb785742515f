import type { AnyStateMachine, AnyTransitionDefinition } from 'xstate'
import type { Stepper } from './stepper.js'
import { ruleOf, stateNodes, transitionName, transitionsOf } from './structure.js'
import type { Coverage, Report } from './types.js'

type Covered = 'transitions' | 'rules' | 'guards' | 'actions' | 'delays'

/** What had its turn during an exploration, and what never did. */
export function coverageOf<M extends AnyStateMachine>(
  { machine, gauges }: Stepper<M>,
  fired: ReadonlySet<AnyTransitionDefinition>,
): Pick<Report<M>, Covered> {
  const transitions = stateNodes(machine).flatMap(transitionsOf)
  const rules = new Map<string, boolean>()
  for (const transition of transitions) {
    const rule = ruleOf(transition)
    if (rule !== undefined) rules.set(rule, rules.get(rule) || fired.has(transition))
  }
  const guards = [...gauges.guards].flatMap(([name, [no, yes]]): [string, boolean][] => [
    [`${name} was never true`, yes > 0],
    [`${name} was never false`, no > 0],
  ])
  return {
    transitions: tally(transitions.map((transition) => [transitionName(transition), fired.has(transition)])),
    rules: tally([...rules]),
    guards: tally(guards),
    actions: tally([...gauges.actions].map(([name, times]) => [name, times > 0])),
    delays: tally([...gauges.delays].map(([name, times]) => [name, times > 0])),
  }
}

function tally(all: readonly (readonly [string, boolean])[]): Coverage {
  const missing = all.filter(([, hit]) => !hit).map(([name]) => name)
  return { hit: all.length - missing.length, total: all.length, missing }
}
