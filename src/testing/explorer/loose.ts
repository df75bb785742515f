import type { AnyActorLogic, AnyMachineSnapshot, AnyStateMachine, EventObject, SnapshotFrom } from 'xstate'

/**
 * The machine's generic types are known to its author, not to an explorer of any machine: whatever has to be said
 * without them is said here and nowhere else.
 */
export type Implementation = ((...args: unknown[]) => unknown) & {
  resolve?: (...args: unknown[]) => unknown
  check?: (...args: unknown[]) => unknown
}

export interface Implementations {
  readonly actors: Record<string, unknown>
  readonly actions: Record<string, Implementation>
  readonly guards: Record<string, Implementation>
  readonly delays: Record<string, Implementation | number>
}

export const implementationsOf = (machine: AnyStateMachine): Implementations =>
  machine.implementations as unknown as Implementations

export const provide = <M extends AnyStateMachine>(
  machine: M,
  given: { [K in keyof Implementations]: Record<string, unknown> },
): M => machine.provide(given as never) as M

export const initialSnapshot = <M extends AnyStateMachine>(
  machine: M,
  scope: Parameters<M['getInitialSnapshot']>[0],
  input: unknown,
): SnapshotFrom<M> => (machine as AnyActorLogic).getInitialSnapshot(scope, input) as SnapshotFrom<M>

export const nextSnapshot = <M extends AnyStateMachine>(
  machine: M,
  snapshot: SnapshotFrom<M>,
  event: EventObject,
  scope: Parameters<M['transition']>[2],
): SnapshotFrom<M> => (machine as AnyActorLogic).transition(snapshot, event, scope) as SnapshotFrom<M>

/** A snapshot of any machine, for reading what every snapshot has. */
export const bare = (snapshot: unknown): AnyMachineSnapshot => snapshot as AnyMachineSnapshot
