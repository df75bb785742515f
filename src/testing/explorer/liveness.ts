import type { AnyStateMachine } from 'xstate'
import { bare } from './loose.js'
import type { Graph, GraphState, Report } from './types.js'

/** A state without a way on, and how it is come by. */
export interface Stuck {
  readonly value: string
  readonly slice: string
  readonly path: readonly string[]
}

type Accept<M extends AnyStateMachine> = (state: GraphState<M>) => boolean

/**
 * The states from which no sequence of events leads to the goal: found backwards from the goal, so that each edge is
 * looked at once. States at the border of a slice, which were not gone on from, are left out.
 *
 * @param by the event cases that may be used, by label; default all
 */
export function cannotReach<M extends AnyStateMachine>(
  { graph }: Report<M>,
  goal: Accept<M>,
  by: (label: string) => boolean = () => true,
): Stuck[] {
  const usable = graph.cases.map(by)
  const sources: number[][] = graph.states.map(() => [])
  for (const [at, state] of graph.states.entries()) {
    for (const edge of state.edges) if (usable[edge.case] && edge.target !== at) sources[edge.target]?.push(at)
  }
  const reaches = new Set(graph.states.flatMap((state, at) => (goal(state) ? [at] : [])))
  for (const at of reaches) for (const source of sources[at] ?? []) reaches.add(source)
  return stuck(graph, (state, at) => state.expanded && !reaches.has(at))
}

/** The states, of those asked about, that no timer leads out of. */
export function withoutTimedExit<M extends AnyStateMachine>({ graph }: Report<M>, asked: Accept<M>): Stuck[] {
  const timer = graph.types.map((type) => type.startsWith('xstate.after.'))
  const timed = (state: GraphState<M>, at: number) => state.edges.some((e) => timer[e.case] && e.target !== at)
  return stuck(graph, (state, at) => state.expanded && asked(state) && !timed(state, at))
}

/**
 * The states that do not answer to the end of an actor they run. An unanswered error would end the machine and is found
 * by exploring; an unanswered `done` is worse: nothing happens at all.
 *
 * @param endless actors that never end by themselves, as those made of callbacks
 */
export function deafToChildren<M extends AnyStateMachine>(
  { graph }: Report<M>,
  endless: readonly string[] = [],
): Stuck[] {
  return stuck(graph, (state) => {
    if (!state.expanded) return false
    const running = Object.keys(bare(state.snapshot).children)
    return running.some((id) => {
      const heard = (type: string) => state.edges.some((e) => graph.types[e.case] === type && e.effect !== 0)
      const ends = endless.includes(id) ? [] : [`xstate.done.actor.${id}`]
      return [...ends, `xstate.error.actor.${id}`].some((type) => !heard(type))
    })
  })
}

/** Names each configuration once, by its shortest path. */
function stuck<M extends AnyStateMachine>(graph: Graph<M>, is: (state: GraphState<M>, at: number) => boolean): Stuck[] {
  const found = new Map<string, Stuck>()
  for (const [at, state] of graph.states.entries()) {
    if (!is(state, at)) continue
    const path: string[] = []
    for (let step = state; step.parent >= 0; ) {
      path.unshift(graph.cases[step.via] ?? '?')
      const before = graph.states[step.parent]
      if (!before) break
      step = before
    }
    const known = found.get(state.value)
    if (known && known.path.length <= path.length) continue
    found.set(state.value, { value: state.value, slice: graph.slices[state.slice] ?? '', path })
  }
  return [...found.values()]
}
