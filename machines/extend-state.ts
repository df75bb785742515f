/** Further states, transitions and effects in a state of the chart: how two configurations become one. */

/** What can be put into a state that is there. */
export type Additive = 'states' | 'on' | 'after' | 'tags' | 'entry' | 'exit' | 'invoke'

interface StateLike extends Partial<Record<Additive, unknown>> {
  readonly states?: Readonly<Record<string, object>>
  readonly on?: Transitions
  readonly after?: Transitions
}

type Transitions = Readonly<Record<string, unknown>>

/** A state with what was put into it. */
export type ExtendedState<State, Addition> = {
  readonly [K in keyof State | keyof Addition]: K extends keyof Addition
    ? K extends keyof State
      ? K extends 'states'
        ? Over<State[K], Addition[K]>
        : K extends 'on' | 'after'
          ? Before<State[K], Addition[K]>
          : K extends 'tags' | 'entry' | 'exit' | 'invoke'
            ? readonly (Item<State[K]> | Item<Addition[K]>)[]
            : Addition[K]
      : Addition[K]
    : K extends keyof State
      ? State[K]
      : never
}

/** All of both; what both have as the second has it. */
type Over<A, B> = { readonly [K in keyof A | keyof B]: K extends keyof B ? B[K] : K extends keyof A ? A[K] : never }

/** All transitions of both; where both answer an event, one list. */
type Before<A, B> = {
  readonly [K in keyof A | keyof B]: K extends keyof A
    ? K extends keyof B
      ? readonly (Item<A[K]> | Item<B[K]>)[]
      : A[K]
    : K extends keyof B
      ? B[K]
      : never
}

type Item<T> = T extends readonly (infer I)[] ? I : T

/** What each extended state was made from. */
const origins = new WeakMap<object, object>()

/** {@link ConnectionSetup.extendState} without its types: names are checked by the setup. */
export function extendState(state: StateLike, addition: StateLike): object {
  const extended: Record<string, unknown> = { ...state, ...addition }
  if (state.states && addition.states) extended.states = allStates(state.states, addition.states)
  for (const key of ['on', 'after'] as const) {
    const [old, more] = [state[key], addition[key]]
    if (old && more) extended[key] = allTransitions(old, more)
  }
  for (const key of ['tags', 'entry', 'exit', 'invoke'] as const) {
    const [old, more] = [state[key], addition[key]]
    if (old !== undefined && more !== undefined) extended[key] = [...list(old), ...list(more)]
  }
  origins.set(extended, state)
  return extended
}

function allStates(old: Readonly<Record<string, object>>, more: Readonly<Record<string, object>>) {
  for (const [name, state] of Object.entries(more)) {
    const present = old[name]
    if (present && !comesFrom(state, present)) {
      throw new Error(`There is a state '${name}' already: extend it as it stands here, or choose another name.`)
    }
  }
  return { ...old, ...more }
}

function comesFrom(state: object, origin: object): boolean {
  for (let at: object | undefined = state; at; at = origins.get(at)) if (at === origin) return true
  return false
}

function allTransitions(old: Transitions, more: Transitions): Transitions {
  const merged = Object.entries(more).map(([event, own]): [string, unknown] => {
    const present = old[event]
    if (present === undefined) return [event, own]
    const fences = list(present).filter(isFence)
    const others = list(present).filter((transition) => !isFence(transition))
    return [event, [...fences, ...list(own), ...others]]
  })
  return { ...old, ...Object.fromEntries(merged) }
}

/** Refuses what was seen on an older link or under an older credential. */
const isFence = (transition: unknown): boolean =>
  typeof transition === 'object' && transition !== null && 'guard' in transition && transition.guard === 'stale'

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])
