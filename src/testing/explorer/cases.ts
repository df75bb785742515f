import type { AnyMachineSnapshot, AnyStateMachine, EventObject, SnapshotFrom } from 'xstate'
import { descriptorsOf } from './structure.js'
import type { EventCase, EventCases } from './types.js'

/** One case with its label. */
export interface LabelledCase<M extends AnyStateMachine> {
  readonly label: string
  readonly type: string
  readonly make: (snapshot: SnapshotFrom<M>) => EventObject | undefined
}

/**
 * The cases of an exploration in a fixed order.
 *
 * @throws Error that lists the declared descriptors without a case, the cases of unknown descriptors and the labels
 *   that stand twice
 */
export function labelCases<M extends AnyStateMachine>(machine: M, cases: EventCases<M>): LabelledCase<M>[] {
  const declared = descriptorsOf(machine)
  const given = Object.keys(cases)
  const labelled = given.flatMap((descriptor) => (cases[descriptor] ?? []).map((one) => label(descriptor, one)))
  const faults = [
    ...declared.filter((d) => !cases[d]?.length).map((d) => `no case for '${d}', which the machine declares`),
    ...given.filter((d) => !declared.includes(d)).map((d) => `cases for '${d}', which the machine does not know`),
    ...labelled
      .filter((one, i) => labelled.findIndex((other) => other.label === one.label) !== i)
      .map((one) => `'${one.label}' stands twice`),
  ]
  if (faults.length > 0) throw new Error(`The event cases are not complete:\n- ${faults.join('\n- ')}`)
  return labelled
}

function label<M extends AnyStateMachine>(descriptor: string, { name, event }: EventCase<M>): LabelledCase<M> {
  return {
    label: name === '' ? descriptor : `${descriptor} (${name})`,
    type: descriptor,
    make: typeof event === 'function' ? event : () => event,
  }
}

/** The cases of all timers of a machine: nothing but their passing can be told of them. */
export function timerCases(machine: AnyStateMachine): Record<string, { name: string; event: EventObject }[]> {
  const timers = descriptorsOf(machine).filter((descriptor) => descriptor.startsWith('xstate.after.'))
  return Object.fromEntries(timers.map((type) => [type, [{ name: '', event: { type } }]]))
}

/**
 * Whether any active state declares the event. Where none does, nothing can happen, and no step need be taken to see it:
 * most pairs are of this kind.
 * An unanswered error of an actor is another thing: it ends the machine.
 */
export function declared(snapshot: AnyMachineSnapshot, type: string, exact: boolean): boolean {
  return !exact || type.startsWith(ERROR) || snapshot._nodes.some((node) => node.transitions.has(type))
}

const ERROR = 'xstate.error.actor.'

/**
 * Whether an event can come at all: an error of a child comes from a living child only. XState would end the machine
 * upon an error that nobody handles, so that trying it without the child would say something about nothing.
 */
export function possible(snapshot: { readonly children: object }, type: string): boolean {
  return !type.startsWith(ERROR) || type.slice(ERROR.length) in snapshot.children
}
