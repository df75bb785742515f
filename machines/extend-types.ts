/** The types of the extension kit: the connection's own, widened by what an extension names. */
import type { EventObject, NonReducibleUnknown, SetupReturn, StateNodeConfig, UnknownActorLogic, Values } from 'xstate'
import type { Additive, ExtendedState } from './extend-state.js'
import type { FaultClass, KnownFaultClass } from './faults.js'
import type { chartSetup } from './setup.js'
import type {
  ConnectionContext,
  ConnectionEmitted,
  ConnectionEvent,
  ConnectionInput,
  ConnectionTag,
  VerdictMeta,
} from './types.js'

/** What an extension adds to the chart, by its types. Name only what there is. */
export interface Extension {
  /** Fields beside the connection's own. */
  readonly context?: object
  readonly events?: EventObject
  readonly tags?: string
  readonly emitted?: EventObject
  /** Fields of the input beside those that `connectionInput()` gives; `context` may begin with them. */
  readonly input?: object
  /** Actors that are invoked under a fixed id: id → name of the actor. */
  readonly children?: Readonly<Record<string, string>>
  /** Fault classes beside the library's, which rules of the application give. */
  readonly faults?: string
}

/** One part of an extension, or what it is when the extension does not name it. */
type Part<X extends Extension, Name extends keyof Extension, Otherwise> = X extends {
  readonly [K in Name]: infer P
}
  ? NonNullable<P>
  : Otherwise

/** Names with the type of their params. */
export type Params = Record<string, NonReducibleUnknown>

/** A record of params as XState's actions and guards. */
export type Named<P extends Params> = { [K in keyof P & string]: { type: K; params: P[K] } }[keyof P & string]

/** A record of actors as XState's, each with the id that it is invoked under. */
export type Provided<Children, Actors extends Record<string, UnknownActorLogic>> = Values<{
  [K in keyof Actors as K & string]: {
    src: K & string
    logic: Actors[K]
    id: K extends Children[keyof Children]
      ? { [Id in keyof Children]: Children[Id] extends K ? Id : never }[keyof Children] & string
      : string | undefined
  }
}>

/** The parts of XState's `setup` for the chart as it is. */
type OwnSetup =
  typeof chartSetup extends SetupReturn<
    infer _Context,
    infer _Event,
    infer Actors,
    infer Children,
    infer Actions,
    infer Guards,
    infer Delay,
    infer _Tag,
    infer _Input,
    infer _Output,
    infer _Emitted,
    infer _Meta,
    infer _TransitionMeta
  >
    ? { actors: Actors; children: Children; actions: Actions; guards: Guards; delay: Delay }
    : never

export type OwnActors = OwnSetup['actors']
export type OwnActions = OwnSetup['actions']
export type OwnGuards = OwnSetup['guards']
export type OwnDelay = OwnSetup['delay']

export type ContextOf<X extends Extension> = ConnectionContext & Part<X, 'context', unknown>
/** Once an extension names its classes of faults, no others are expected. */
export type EventOf<X extends Extension> =
  | ConnectionEvent<X extends { readonly faults: infer F extends string } ? KnownFaultClass | F : FaultClass>
  | Part<X, 'events', never>
export type ChildrenOf<X extends Extension> = OwnSetup['children'] & Part<X, 'children', unknown>
type TagOf<X extends Extension> = ConnectionTag | Part<X, 'tags', never>
type InputOf<X extends Extension> = ConnectionInput & Part<X, 'input', unknown>
export type EmittedOf<X extends Extension> = ConnectionEmitted | Part<X, 'emitted', never>

/**
 * XState's `setup` with the connection's names and those of an extension: `createMachine`, `createStateConfig` and the
 * rest are XState's own.
 */
export interface ConnectionSetup<
  Context extends ConnectionContext,
  Event extends EventObject,
  Actors extends Record<string, UnknownActorLogic>,
  Children extends Record<string, string>,
  Actions extends Params,
  Guards extends Params,
  Delay extends string,
  Tag extends string,
  Input,
  Emitted extends EventObject,
> extends SetupReturn<
    Context,
    Event,
    Actors,
    Children,
    Actions,
    Guards,
    Delay,
    Tag,
    Input,
    unknown,
    Emitted,
    VerdictMeta,
    VerdictMeta
  > {
  /**
   * The state with more in it: `states` are added (a region, where the state is parallel), transitions in `on` and
   * `after` are tried before those that are there, `tags`, `entry`, `exit` and `invoke` come after. What refuses stale
   * events stays first: an old fault must not move an extension either.
   *
   * @throws Error when a state of that name is there already and is not what the new one was made from
   */
  extendState<
    const State extends object,
    const Addition extends Pick<
      StateNodeConfig<
        Context,
        Event,
        Provided<Children, Actors>,
        Named<Actions>,
        Named<Guards>,
        Delay,
        Tag,
        unknown,
        Emitted,
        VerdictMeta,
        VerdictMeta
      >,
      Additive
    >,
  >(state: State, addition: Addition): ExtendedState<State, Addition>
}

/** The setup that `connectionSetup` gives. */
export type ExtendedSetup<
  X extends Extension,
  Actors extends Record<string, UnknownActorLogic>,
  Actions extends Params,
  Guards extends Params,
  Delay extends string,
> = ConnectionSetup<
  ContextOf<X>,
  EventOf<X>,
  OwnActors & Actors,
  ChildrenOf<X>,
  OwnActions & Actions,
  OwnGuards & Guards,
  OwnDelay | Delay,
  TagOf<X>,
  InputOf<X>,
  EmittedOf<X>
>

/** Two setups in one. */
export type CombinedSetup<A, B> =
  A extends ConnectionSetup<
    infer C1,
    infer E1,
    infer A1,
    infer Ch1,
    infer Ac1,
    infer G1,
    infer D1,
    infer T1,
    infer I1,
    infer Em1
  >
    ? B extends ConnectionSetup<
        infer C2,
        infer E2,
        infer A2,
        infer Ch2,
        infer Ac2,
        infer G2,
        infer D2,
        infer T2,
        infer I2,
        infer Em2
      >
      ? ConnectionSetup<C1 & C2, E1 | E2, A1 & A2, Ch1 & Ch2, Ac1 & Ac2, G1 & G2, D1 | D2, T1 | T2, I1 & I2, Em1 | Em2>
      : never
    : never
