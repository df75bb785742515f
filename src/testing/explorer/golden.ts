import type { AnyStateMachine, StateValue } from 'xstate'
import { bare } from './loose.js'
import type { Effect, Graph, Report } from './types.js'

/** Case → what came of it, each in words. */
type Outcomes = Map<string, Set<string>>

interface Configuration {
  readonly value: string
  readonly leaves: readonly string[]
  readonly outcomes: Outcomes
}

const IGNORED = 'ignored'

/**
 * Every transition of the explored machine as text for reviewing: per state configuration, event case → next
 * configuration, with the rule that decided and the named actions that ran. Stable, so that a change of the chart shows
 * as a change of lines.
 *
 * Variants of the context are merged: an event that can lead to several places has a line for each. In parallel regions
 * the product of configurations is not spelled out: what holds in all of them stands once, then what holds in all that
 * share a state of one region, and only the rest by single configuration. Next configurations name what is entered.
 */
export function goldenTable<M extends AnyStateMachine>({ graph }: Report<M>): string {
  const groups = new Map<string, Configuration[]>()
  for (const configuration of configurations(graph)) {
    const group = commonParent(configuration.leaves)
    groups.set(group, [...(groups.get(group) ?? []), configuration])
  }
  const order = new Map(graph.cases.map((label, i) => [label, i]))
  const sections = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([group, members]) => factor(group, members))
  return `${sections.map(([title, outcomes]) => section(title, outcomes, order)).join('\n')}`
}

function configurations<M extends AnyStateMachine>(graph: Graph<M>): Configuration[] {
  const all = new Map<string, Configuration>()
  for (const state of graph.states) {
    if (!state.expanded) continue
    const { value } = state
    const here = all.get(value) ?? { value, leaves: leavesOf(bare(state.snapshot).value), outcomes: new Map() }
    all.set(value, here)
    for (const edge of state.edges) {
      const label = graph.cases[edge.case] ?? '?'
      const next = graph.states[edge.target]
      const effect = graph.effects[edge.effect]
      const text =
        edge.effect === 0 || !next || !effect ? IGNORED : told(here.leaves, bare(next.snapshot).value, effect)
      add(here.outcomes, label, text)
    }
  }
  return [...all.values()].sort((a, b) => (a.value < b.value ? -1 : 1))
}

function told(before: readonly string[], value: StateValue, { rules, actions }: Effect): string {
  const entered = leavesOf(value).filter((leaf) => !before.includes(leaf))
  const where = entered.length > 0 ? entered.join(' + ') : 'stays'
  const why = rules.length > 0 ? ` [${rules.join(' ')}]` : ''
  return `${where}${why}${actions.length > 0 ? `: ${actions.join(', ')}` : ''}`
}

/** Takes what configurations have in common out of them. */
function factor(group: string, members: readonly Configuration[]): [string, Outcomes][] {
  const only = members[0]
  if (members.length === 1 && only) return [[only.value, only.outcomes]]
  const everywhere = shared(members, [])
  const leaves = [...new Set(members.flatMap((member) => member.leaves))].sort()
  const byLeaf = leaves.map((leaf): [string, Outcomes] => {
    const holders = members.filter((member) => member.leaves.includes(leaf))
    return [leaf, shared(holders, [everywhere])]
  })
  const rest = members.map((member): [string, Outcomes] => {
    const own = byLeaf.filter(([leaf]) => member.leaves.includes(leaf)).map(([, outcomes]) => outcomes)
    return [member.value, shared([member], [everywhere, ...own])]
  })
  const sections: [string, Outcomes][] = [
    [`${group}, in every configuration`, everywhere],
    ...byLeaf.map(([leaf, outcomes]): [string, Outcomes] => [`${leaf}, in every configuration`, outcomes]),
    ...rest,
  ]
  return sections.filter(([, outcomes]) => outcomes.size > 0)
}

/** What all members say, wherever they say anything of a case, and nobody has said before. */
function shared(members: readonly Configuration[], before: readonly Outcomes[]): Outcomes {
  const found: Outcomes = new Map()
  const labels = new Set(members.flatMap((member) => [...member.outcomes.keys()]))
  for (const label of labels) {
    const sets = members.map((member) => member.outcomes.get(label)).filter((set) => set !== undefined)
    for (const text of sets[0] ?? []) {
      if (before.some((outcomes) => outcomes.get(label)?.has(text))) continue
      if (sets.every((set) => set.has(text))) add(found, label, text)
    }
  }
  return found
}

/** Cases with the same outcome share a line; those that are ignored share one as well. */
function section(title: string, outcomes: Outcomes, order: ReadonlyMap<string, number>): string {
  const lines = new Map<string, string[]>()
  const labels = [...outcomes.keys()].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
  for (const label of labels) {
    for (const text of [...(outcomes.get(label) ?? [])].sort()) lines.set(text, [...(lines.get(text) ?? []), label])
  }
  const ignored = lines.get(IGNORED)
  lines.delete(IGNORED)
  return [
    `## ${title}`,
    ...[...lines].map(([text, from]) => `${from.map(short).join('; ')}\n    → ${text}`),
    ...(ignored ? [`(ignored: ${ignored.map(short).join('; ')})`] : []),
    '',
  ].join('\n')
}

const short = (label: string): string =>
  label.replace(/^xstate\.(after|done|error)\.(?:actor\.)?/, (_, kind: string) => `${kind} `)

function leavesOf(value: StateValue, path = ''): string[] {
  if (typeof value === 'string') return [path + value]
  const leaves = Object.entries(value).flatMap(([key, below]) =>
    below === undefined ? [] : leavesOf(below, `${path}${key}.`),
  )
  return leaves.length > 0 ? leaves.sort() : [path.slice(0, -1)]
}

/** `a.b` of `a.b.c` and `a.b.d.e`; a single state is its own group. */
function commonParent(leaves: readonly string[]): string {
  const [first = '', ...others] = leaves
  if (others.length === 0) return first
  const parts = first.split('.')
  const length = parts.findIndex((part, i) => others.some((leaf) => leaf.split('.')[i] !== part))
  return parts.slice(0, length).join('.')
}

function add(outcomes: Outcomes, label: string, text: string): void {
  outcomes.set(label, (outcomes.get(label) ?? new Set()).add(text))
}
