/** The kit for charts with more states: XState's `setup` with the connection's names in it. States are added by `extendState`. */
import {
  type ActionFunction,
  type AnyStateMachine,
  type AnyStateNode,
  type DelayConfig,
  type GuardPredicate,
  setup,
  type UnknownActorLogic,
} from 'xstate'
import { connectionChart } from './connection.js'
import { extendState } from './extend-state.js'
import type {
  ChildrenOf,
  CombinedSetup,
  ContextOf,
  EmittedOf,
  EventOf,
  ExtendedSetup,
  Extension,
  Named,
  OwnActions,
  OwnActors,
  OwnDelay,
  OwnGuards,
  Params,
  Provided,
} from './extend-types.js'

type Implementations = Readonly<Record<(typeof kinds)[number], Readonly<Record<string, unknown>>>>
const kinds = ['actors', 'actions', 'guards', 'delays'] as const

/** What each setup of the kit was given, so that two can be made one. */
const given = new WeakMap<object, Implementations>()
const own = connectionChart.implementations as unknown as Implementations

/**
 * XState's `setup` for a chart that extends the connection's: everything that the library names is there, with its
 * types, beside what is given here.
 *
 * ```ts
 * const kit = connectionSetup<{ context: { served: number }; events: { type: 'drain' }; tags: 'resting' }>()({
 *   guards: { worn: ({ context }) => context.served > 1_000 },
 * })
 * ```
 *
 * @throws Error when a name is the library's already
 */
export function connectionSetup<X extends Extension = object>() {
  return <
    Actors extends Record<string, UnknownActorLogic> = Record<never, never>,
    Actions extends Params = Record<never, never>,
    Guards extends Params = Record<never, never>,
    Delay extends string = never,
  >(
    more: {
      readonly actors?: { [K in keyof Actors]: Actors[K] }
      readonly actions?: {
        [K in keyof Actions]: ActionFunction<
          ContextOf<X>,
          EventOf<X>,
          EventOf<X>,
          Actions[K],
          Provided<ChildrenOf<X>, OwnActors> | Provided<ChildrenOf<X>, Actors>,
          Named<OwnActions>,
          Named<OwnGuards>,
          OwnDelay | Delay,
          EmittedOf<X>
        >
      }
      readonly guards?: {
        [K in keyof Guards]: GuardPredicate<ContextOf<X>, EventOf<X>, Guards[K], Named<OwnGuards>>
      }
      readonly delays?: {
        [K in Delay]: DelayConfig<ContextOf<X>, EventOf<X>, undefined, EventOf<X>>
      }
    } = {},
  ): ExtendedSetup<X, Actors, Actions, Guards, Delay> => make(more as Partial<Implementations>)
}

/**
 * Two extensions in one chart: the setup that knows the names of both.
 *
 * @throws Error when both give one name to different things
 */
export function combineSetups<A extends object, B extends object>(a: A, b: B): CombinedSetup<A, B> {
  return make(partsOf(a), partsOf(b))
}

function partsOf(made: object): Implementations {
  const parts = given.get(made)
  if (!parts) throw new TypeError('combineSetups() takes what connectionSetup() gave.')
  return parts
}

function make<S>(...all: readonly Partial<Implementations>[]): S {
  const merged = Object.fromEntries(
    kinds.map((kind) => [
      kind,
      merge(
        kind,
        [own, ...all].map((one) => one[kind]),
      ),
    ]),
  )
  const plain = setup(merged as never)
  const createMachine = (config: never) => withKnownDelays(plain.createMachine(config) as unknown as AnyStateMachine)
  const made = { ...plain, createMachine, extendState }
  given.set(made, merged as Implementations)
  return made as S
}

/** The same thing may come by two ways; two things of one name would silently be one. */
function merge(kind: string, all: readonly (Readonly<Record<string, unknown>> | undefined)[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {}
  for (const [name, it] of all.flatMap((record) => Object.entries(record ?? {}))) {
    if (name in merged && merged[name] !== it)
      throw new Error(`Among the ${kind}, '${name}' is taken: choose another name.`)
    merged[name] = it
  }
  return merged
}

/** XState's types let any name stand in `after`, and a delay that nobody knows would be over at once. */
function withKnownDelays(machine: AnyStateMachine): AnyStateMachine {
  const check = (node: AnyStateNode): void => {
    for (const { delay } of node.after) {
      if (typeof delay === 'string' && !(delay in machine.implementations.delays))
        throw new Error(`In ${node.id}, '${delay}' is no delay that this setup knows.`)
    }
    for (const child of Object.values(node.states)) check(child)
  }
  check(machine.root)
  return machine
}
