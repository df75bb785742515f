import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, StateValue } from 'xstate'

/** Every state node of a machine in document order, the root first. */
export function stateNodes(machine: AnyStateMachine): AnyStateNode[] {
  const nodes: AnyStateNode[] = []
  const visit = (node: AnyStateNode): void => {
    nodes.push(node)
    for (const child of Object.values(node.states)) visit(child)
  }
  visit(machine.root)
  return nodes
}

/** Every transition definition of a node, in the order in which they are tried. */
export function transitionsOf(node: AnyStateNode): AnyTransitionDefinition[] {
  return [...[...node.transitions.values()].flat(), ...(node.always ?? [])]
}

/** Every event descriptor that some state of the machine declares. */
export function descriptorsOf(machine: AnyStateMachine): string[] {
  return [...new Set(stateNodes(machine).flatMap((node) => [...node.transitions.keys()]))].filter((d) => d !== '')
}

/** A name for a transition: where from, on what, under which guard, where to, and which of several alike. */
export function transitionName(transition: AnyTransitionDefinition): string {
  const { source, eventType, guard, target } = transition
  const on = eventType === '' ? 'always' : eventType.replace(`.${source.id}`, '')
  const among = transitionsOf(source).filter((t) => t.eventType === eventType)
  const place = among.length > 1 ? ` #${among.indexOf(transition) + 1}` : ''
  const condition = guard ? ` [${nameOf(guard)}]` : ''
  const to = target?.map((node) => node.id).join(' + ') ?? 'stays'
  return `${source.id}: ${on}${place}${condition} → ${to}`
}

/** The rule that a transition names in its `meta`. */
export function ruleOf(transition: AnyTransitionDefinition): string | undefined {
  const meta: unknown = transition.meta
  return typeof meta === 'object' && meta !== null && 'rule' in meta ? String(meta.rule) : undefined
}

/**
 * A state value as text, the same for the same configuration: the order of parallel regions within a value depends on
 * how it was reached.
 */
export function valueText(value: StateValue): string {
  if (typeof value === 'string') return value
  const parts = Object.keys(value)
    .sort()
    .map((key) => {
      const below = value[key]
      const text = below === undefined ? '' : valueText(below)
      return text === '' ? key : `${key}.${text}`
    })
  return parts.length === 1 ? (parts[0] ?? '') : `{${parts.join(', ')}}`
}

function nameOf(guard: unknown): string {
  if (typeof guard === 'string') return guard
  if (typeof guard === 'object' && guard !== null && 'type' in guard) return String(guard.type)
  return typeof guard === 'function' && guard.name ? guard.name : 'inline'
}
