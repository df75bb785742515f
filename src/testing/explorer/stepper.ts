import {
  type AnyActorScope,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  createActor,
  type EventObject,
  type SnapshotFrom,
} from 'xstate'
import { type Gauges, instrument, noteEffect } from './instrument.js'
import { initialSnapshot, nextSnapshot } from './loose.js'
import { stateNodes } from './structure.js'
import type { PlannedAction } from './types.js'

export interface Step<M extends AnyStateMachine> {
  readonly after: SnapshotFrom<M>
  readonly planned: readonly PlannedAction[]
  readonly actions: readonly string[]
  readonly transitions: readonly AnyTransitionDefinition[]
}

export interface Stepper<M extends AnyStateMachine> {
  readonly machine: M
  readonly gauges: Gauges
  begin(input: unknown): Step<M>
  /** Throws what a guard, an action or a delay throws. */
  step(snapshot: SnapshotFrom<M>, event: EventObject): Step<M>
}

/** What an ignored event does; most are. */
export const nothing = { planned: [], actions: [], transitions: [] } as const

/**
 * Takes single macrosteps of a machine without executing anything.
 *
 * XState's own `transition()` makes an actor for every call; here one that never starts stands behind all steps, which
 * is several times faster. It also tells which transition definitions were taken, by object identity, also those of
 * decision states that no snapshot shows.
 */
export function createStepper<M extends AnyStateMachine>(original: M): Stepper<M> {
  const { machine, gauges } = instrument(original)
  const planned: PlannedAction[] = []
  const taken: AnyTransitionDefinition[] = []

  const newScope = (): AnyActorScope => {
    const self = createActor(machine as AnyStateMachine, { input: undefined })
    self.system.inspect((inspected) => {
      if (inspected.type === '@xstate.microstep') taken.push(...inspected._transitions)
    })
    return {
      self,
      system: self.system,
      id: 'explored',
      sessionId: self.sessionId,
      logger: () => {},
      defer: () => {},
      emit: () => {},
      stopChild: () => {},
      actionExecutor: (action) => {
        planned.push(action)
      },
    }
  }

  // A systemId can be taken once per system, so that such machines need a new one for every step.
  const named = stateNodes(machine).some((node) => node.invoke.some((invoked) => invoked.systemId !== undefined))
  const shared = named ? undefined : newScope()

  const run = (move: (scope: AnyActorScope) => SnapshotFrom<M>): Step<M> => {
    const scope = shared ?? newScope()
    planned.length = 0
    taken.length = 0
    gauges.log.length = 0
    const after = move(scope)
    if (taken.length === 0 && planned.length === 0) return { after, ...nothing }
    for (const action of planned) noteEffect(gauges, action.type, action.params)
    return { after, planned: [...planned], actions: [...gauges.log], transitions: [...taken] }
  }

  return {
    machine,
    gauges,
    begin: (input) => run((scope) => initialSnapshot(machine, scope, input)),
    step: (snapshot, event) => run((scope) => nextSnapshot(machine, snapshot, event, scope)),
  }
}
