import type { ChartNode } from '../messages.js'
import { delayName, type SafeDefinition, type SafeTransition } from '../safe/index.js'

/** A statechart as boxes and lines, before anything has a place. */
export interface Graph {
  readonly name: string
  /** Outer states come before the states in them. */
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  /** Every transition there is, drawn or not: for finding out which one was taken. */
  readonly transitions: readonly GraphTransition[]
}

export type GraphNode = Omit<ChartNode, 'x' | 'y' | 'width' | 'height'>

interface GraphTransition {
  readonly from: string
  readonly to: string
  readonly event: string
  readonly label: string
}

interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly labels: readonly string[]
}

const MOST_NODES = 400
const MOST_LABELS = 12

export function graphOf(definition: SafeDefinition): Graph {
  const nodes: GraphNode[] = []
  const ids = new Map<string, string>()
  const found: { path: string; state: SafeDefinition }[] = []
  const root = definition.id ?? 'machine'

  const walk = (state: SafeDefinition, path: string, parent: string | undefined, isInitial: boolean) => {
    if (nodes.length >= MOST_NODES) return
    if (path !== '') nodes.push(nodeOf(state, path, parent, isInitial, definition))
    ids.set(path === '' ? root : `${root}.${path}`, path)
    if (state.id) ids.set(state.id, path)
    found.push({ path, state })
    for (const [key, inner] of Object.entries(state.states ?? {})) {
      walk(inner, path === '' ? key : `${path}.${key}`, path === '' ? undefined : path, state.initial === key)
    }
  }
  walk(definition, '', undefined, false)

  const known = new Set(nodes.map(({ id }) => id))
  const transitions = found.flatMap(({ path, state }) =>
    transitionsOf(state).flatMap(([event, words, transition]) => {
      const to = transition.target === undefined ? undefined : resolved(transition.target, path, ids)
      if (to === undefined || !known.has(to)) return []
      const label = transition.meta ? `${words} ${transition.meta.rule}` : words
      return [{ from: path, to, event, label }]
    }),
  )
  return { name: root, nodes, transitions, edges: drawn(transitions) }
}

function nodeOf(
  state: SafeDefinition,
  path: string,
  parent: string | undefined,
  initial: boolean,
  root: SafeDefinition,
): GraphNode {
  const label = path.slice(path.lastIndexOf('.') + 1)
  const { description } = state
  return { id: path, parent, label, kind: kindOf(state, path, root), initial, ...(description && { description }) }
}

function kindOf(state: SafeDefinition, path: string, root: SafeDefinition): ChartNode['kind'] {
  if (state.type === 'final') return 'final'
  const around = path
    .split('.')
    .slice(0, -1)
    .reduce<SafeDefinition | undefined>((outer, key) => outer?.states?.[key], root)
  if (around?.type === 'parallel') return 'region'
  if (state.type === 'parallel') return 'parallel'
  return state.states && Object.keys(state.states).length > 0 ? 'compound' : 'atomic'
}

type Named = readonly [event: string, words: string, transition: SafeTransition]

function transitionsOf(state: SafeDefinition): Named[] {
  const all = (event: string, words: string, transitions: readonly SafeTransition[] = []): Named[] =>
    transitions.map((transition) => [event, words, transition])
  return [
    ...Object.entries(state.on ?? {}).flatMap(([event, list]) => all(event, event, list)),
    ...Object.entries(state.after ?? {}).flatMap(([delay, list]) =>
      all(`xstate.after.${delay}`, `after ${delayName(delay)}`, list),
    ),
    ...all('', 'always', state.always),
    ...all('xstate.done.state', 'done', state.onDone),
    ...(state.invoke ?? []).flatMap(({ id, src, onDone, onError }) => {
      const who = id ?? src ?? 'actor'
      return [
        ...all(`xstate.done.actor.${who}`, `${who} done`, onDone),
        ...all(`xstate.error.actor.${who}`, `${who} failed`, onError),
      ]
    }),
  ]
}

/** XState's ways to name a target: `#id`, `#id.child`, `.child`, `sibling`, `sibling.child`. */
function resolved(target: string, from: string, ids: ReadonlyMap<string, string>): string | undefined {
  if (target.startsWith('.')) return from === '' ? target.slice(1) : from + target
  if (!target.startsWith('#')) {
    const around = from.includes('.') ? from.slice(0, from.lastIndexOf('.')) : ''
    return around === '' ? target : `${around}.${target}`
  }
  const parts = target.slice(1).split('.')
  for (let kept = parts.length; kept > 0; kept--) {
    const path = ids.get(parts.slice(0, kept).join('.'))
    if (path !== undefined) return [path, ...parts.slice(kept)].filter((part) => part !== '').join('.')
  }
  return undefined
}

const lies = (inner: string, outer: string) => outer === '' || inner === outer || inner.startsWith(`${outer}.`)

/**
 * The lines to draw, one for each pair. What leads from anywhere in a state to the state itself, or into it, is no line
 * but the box: drawn when it happens. So are transitions of the root, which lead from everywhere, and those of a state
 * whose surrounding state leads to the same place.
 */
function drawn(transitions: readonly GraphTransition[]): GraphEdge[] {
  const edges = new Map<string, { from: string; to: string; labels: string[] }>()
  for (const { from, to, label } of transitions) {
    if (lies(from, to) || lies(to, from)) continue
    const key = `${from}→${to}`
    const edge = edges.get(key) ?? { from, to, labels: [] }
    edges.set(key, edge)
    if (!edge.labels.includes(label) && edge.labels.length < MOST_LABELS) edge.labels.push(label)
  }
  const all = [...edges.values()]
  return all.filter(
    ({ from, to }) => !all.some((other) => other.to === to && other.from !== from && lies(from, other.from)),
  )
}
