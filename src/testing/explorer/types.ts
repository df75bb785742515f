import type {
  AnyEventObject,
  AnyStateMachine,
  AnyTransitionDefinition,
  EventObject,
  InputFrom,
  SnapshotFrom,
} from 'xstate'

/** One concrete event to try in every state. */
export interface EventCase<M extends AnyStateMachine> {
  /** Distinguishes the cases of one descriptor: `transient, with a time named`. Empty for the only case of its kind. */
  readonly name: string
  /**
   * The event, or how it is made from the state it meets: an event of an older generation has to know the present one.
   * `undefined` says that it cannot happen in this state.
   */
  readonly event: AnyEventObject | ((snapshot: SnapshotFrom<M>) => EventObject | undefined)
}

/**
 * The cases of each event descriptor that the machine declares, `xstate.done.actor.*`, `xstate.error.actor.*` and
 * `xstate.after.*` included. A declared descriptor without a case fails the run, since what is never tried is never
 * tested; so does a case for a descriptor that the machine does not know, since that is a typing mistake.
 */
export type EventCases<M extends AnyStateMachine> = Readonly<Record<string, readonly EventCase<M>[]>>

/** Where an exploration begins, and how far it goes. */
export interface Slice<M extends AnyStateMachine> {
  readonly name: string
  readonly input: InputFrom<M>
  /**
   * States to go on from. In a state outside, everything is checked upon arrival but nothing is tried further.
   * Without a bound the exploration ends when no new state is found.
   */
  readonly within?: (snapshot: SnapshotFrom<M>) => boolean
}

/** An action that the step would have executed, had it not been pure. */
export interface PlannedAction {
  readonly type: string
  readonly params: unknown
}

/** One step as an invariant sees it. */
export interface StepView<M extends AnyStateMachine> {
  readonly slice: string
  /** Absent when the machine starts. */
  readonly before?: SnapshotFrom<M>
  readonly event: EventObject
  /** Descriptor and name of the case. */
  readonly label: string
  readonly after: SnapshotFrom<M>
  /** What would have been executed: sends, emits, timers, spawns, stops. */
  readonly planned: readonly PlannedAction[]
  /** Named actions in the order in which they ran, with their params. */
  readonly actions: readonly string[]
  readonly transitions: readonly AnyTransitionDefinition[]
}

/** A sentence that must hold for every step. */
export interface Invariant<M extends AnyStateMachine> {
  readonly name: string
  /** What is wrong, or nothing. */
  readonly check: (step: StepView<M>) => string | undefined
}

export interface ExploreOptions<M extends AnyStateMachine> {
  /** One beginning; for several, or for bounds, give `slices`. */
  readonly input?: InputFrom<M>
  readonly slices?: readonly Slice<M>[]
  readonly cases: EventCases<M>
  /**
   * The part of the context that influences behaviour. States that agree in value, status and this are one abstract
   * state. Default: the whole context, which never ends when it holds a growing counter.
   */
  readonly project?: (snapshot: SnapshotFrom<M>) => unknown
  /** Replaces the whole key: value, status and projection. */
  readonly key?: (snapshot: SnapshotFrom<M>) => string
  readonly invariants?: readonly Invariant<M>[]
  /** Abstract states after which the run gives up with an error. Default 50,000. */
  readonly maxStates?: number
}

/** A broken invariant, or an error thrown by a guard, an action or a delay. */
export interface Violation {
  readonly invariant: string
  readonly message: string
  readonly slice: string
  /** Shortest sequence of event cases from the beginning to the violation, the last one included. */
  readonly path: readonly string[]
  /** How many steps broke it. */
  readonly times: number
}

export interface Coverage {
  readonly hit: number
  readonly total: number
  /** What never happened, by name. */
  readonly missing: readonly string[]
}

/** One tried pair of abstract state and event case. */
export interface Edge {
  readonly case: number
  readonly target: number
  /** Index into {@link Graph.effects}; 0: the event was ignored. */
  readonly effect: number
}

/** What a step did, apart from where it led. */
export interface Effect {
  readonly rules: readonly string[]
  readonly actions: readonly string[]
}

export interface GraphState<M extends AnyStateMachine> {
  readonly slice: number
  /** State configuration as text. */
  readonly value: string
  readonly snapshot: SnapshotFrom<M>
  /** False in a state outside of the slice's bound. */
  readonly expanded: boolean
  readonly edges: readonly Edge[]
  readonly parent: number
  readonly via: number
}

export interface Graph<M extends AnyStateMachine> {
  readonly states: readonly GraphState<M>[]
  /** Labels of the cases: descriptor and name. */
  readonly cases: readonly string[]
  /** Event types of the cases. */
  readonly types: readonly string[]
  readonly effects: readonly Effect[]
  readonly slices: readonly string[]
}

export interface Report<M extends AnyStateMachine> {
  readonly graph: Graph<M>
  readonly states: number
  /** States outside of a bound: checked upon arrival, not gone on from. */
  readonly border: number
  readonly perSlice: Readonly<Record<string, number>>
  readonly pairs: number
  /** Pairs in which the state had no answer to the event. */
  readonly ignored: number
  readonly transitions: Coverage
  /** By `meta.rule` of the transitions. */
  readonly rules: Coverage
  /** Every named guard both true and false: two for each. */
  readonly guards: Coverage
  readonly actions: Coverage
  readonly delays: Coverage
  readonly violations: readonly Violation[]
  readonly seconds: number
}
