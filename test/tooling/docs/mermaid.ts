import type { AnyStateNode } from 'xstate'
import { pathOf, type Row, transitionsOf, withDescendants } from './transitions.js'

export interface DiagramOptions {
  /** Children that are drawn with their own children inside. Default: none. */
  readonly expand?: readonly string[]
  /** `rules`: only verdicts are labelled, with their ids. Default `all`. */
  readonly labels?: 'all' | 'rules'
  readonly direction?: 'TB' | 'LR'
}

/**
 * A Mermaid state diagram of one state of a machine: its children, and what leads from each to which. States below the
 * drawn ones are folded into them, states outside are drawn as dashed neighbours. Transitions that leave no state are
 * not drawn; the tables have them. Mermaid cannot draw an arrow from a box to what lies inside it, so what the state
 * itself answers, whichever child is active, starts at a small state `any of …`.
 */
export function toMermaid(node: AnyStateNode, options: DiagramOptions = {}): string {
  return new Diagram(node, options).text()
}

interface Edge {
  readonly from: string
  readonly to: string
  readonly rows: Row[]
}

class Diagram {
  readonly #node: AnyStateNode
  readonly #options: DiagramOptions
  /** States with an outline of their own, by their id in the chart. */
  readonly #drawn: ReadonlySet<AnyStateNode>
  readonly #outside = new Map<string, AnyStateNode>()
  /** States whose own transitions start at `any of …`. */
  readonly #anyOf = new Set<AnyStateNode>()
  readonly #edges = new Map<string, Edge>()

  constructor(node: AnyStateNode, options: DiagramOptions) {
    this.#node = node
    this.#options = options
    const children = Object.values(node.states)
    const inner = children.filter(({ key }) => options.expand?.includes(key)).flatMap((s) => Object.values(s.states))
    this.#drawn = new Set([...children, ...inner])
    for (const source of withDescendants(node)) for (const row of transitionsOf(source)) this.#addEdge(row)
  }

  text(): string {
    const { direction = 'TB' } = this.#options
    const lines = ['stateDiagram-v2', `  direction ${direction}`, ...this.#inside(this.#node, '  ')]
    for (const [id, { path }] of this.#outside) lines.push(`  state "${path.join('.')}" as ${id}`)
    if (this.#outside.size > 0) {
      lines.push('  classDef outside stroke-dasharray: 4 3')
      lines.push(`  class ${[...this.#outside.keys()].join(',')} outside`)
    }
    for (const { from, to, rows } of this.#edges.values()) {
      const label = this.#label(rows)
      lines.push(`  ${from} --> ${to}${label && ` : ${label}`}`)
    }
    return lines.join('\n')
  }

  #inside(parent: AnyStateNode, indent: string): string[] {
    const children = Object.values(parent.states)
    const [initial] = parent.initial.target ?? []
    const shown = children.flatMap((child) => {
      const head = `${indent}state "${child.key}" as ${idOf(child)}`
      const inner = Object.values(child.states).filter((state) => this.#drawn.has(state))
      return inner.length === 0 ? [head] : [`${head} {`, ...this.#inside(child, `${indent}  `), `${indent}}`]
    })
    if (initial && this.#drawn.has(initial)) shown.push(`${indent}[*] --> ${idOf(initial)}`)
    for (const child of children) if (child.type === 'final') shown.push(`${indent}${idOf(child)} --> [*]`)
    if (this.#anyOf.has(parent)) shown.push(`${indent}state "any of ${parent.key}" as ${anyOf(parent)}`)
    return shown
  }

  #addEdge(row: Row): void {
    const { target, source } = row
    if (!target) return
    const from = this.#standIn(source)
    const to = this.#standIn(target)
    // Within one folded state, only that it is begun anew is to be seen.
    if (from === to && target !== from) return
    const fromInside = from === this.#node || (from && this.#isOpen(from) && contains(from, to))
    const fromId = from && (fromInside ? this.#markAnyOf(from) : idOf(from))
    // Whatever leads into an open state from within begins it anew.
    const toId =
      to && this.#isOpen(to) && contains(to, from) ? idOf(initialOf(to)) : idOf(to ?? this.#neighbour(target))
    if (!fromId) return
    const edge = this.#edges.get(`${fromId} ${toId}`)
    if (edge) edge.rows.push(row)
    else this.#edges.set(`${fromId} ${toId}`, { from: fromId, to: toId, rows: [row] })
  }

  /** The drawn state that the state is, or lies in; the diagram's own state; nothing when it is outside. */
  #standIn(state: AnyStateNode): AnyStateNode | undefined {
    for (let at: AnyStateNode | undefined = state; at; at = at.parent) {
      if (this.#drawn.has(at) || at === this.#node) return at
    }
    return undefined
  }

  #markAnyOf(state: AnyStateNode): string {
    this.#anyOf.add(state)
    return anyOf(state)
  }

  #neighbour(target: AnyStateNode): AnyStateNode {
    this.#outside.set(idOf(target), target)
    return target
  }

  /** Drawn with its children inside: the diagram's own state, and those that were asked for. */
  #isOpen(state: AnyStateNode): boolean {
    return Object.values(state.states).some((child) => this.#drawn.has(child))
  }

  /** The same condition of several events is said once; a condition is left out where the event leads there anyway. */
  #label(rows: readonly Row[]): string {
    const rules = rows.flatMap(({ rule }) => rule ?? [])
    if (this.#options.labels === 'rules') return rules.join(', ')
    const anyway = new Set(rows.filter(({ guard }) => !guard).map(({ on }) => on))
    const byGuard = new Map<string, Set<string>>()
    for (const { on, guard = '', rule } of rows) {
      if (rule || (guard && anyway.has(on))) continue
      byGuard.set(guard, (byGuard.get(guard) ?? new Set()).add(on))
    }
    const events = [...byGuard].map(([guard, on]) => [...on].join(', ') + (guard && ` [${guard}]`))
    return [...(rules.length > 0 ? [`fault ${rules.join(', ')}`] : []), ...events].join('<br/>')
  }
}

/** Whether the other state is this one or lies in it. */
function contains(state: AnyStateNode, other: AnyStateNode | undefined): boolean {
  for (let at = other; at; at = at.parent) if (at === state) return true
  return false
}

function initialOf(state: AnyStateNode): AnyStateNode {
  return state.initial.target?.[0] ?? state
}

const idOf = (state: AnyStateNode): string => pathOf(state).replaceAll('.', '_') || state.key
const anyOf = (state: AnyStateNode): string => `any_of_${idOf(state)}`
