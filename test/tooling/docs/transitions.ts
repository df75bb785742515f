import type { AnyStateNode, AnyTransitionDefinition } from 'xstate'

/** One transition as a reader needs it. */
export interface Row {
  readonly source: AnyStateNode
  /** The event in words: `connect`, `after retryDelay`, `release done`, `at once`. */
  readonly on: string
  readonly guard?: string
  /** Absent where the state is not left. */
  readonly target?: AnyStateNode
  readonly actions: readonly string[]
  /** Id of the verdict or fencing rule. */
  readonly rule?: string
  readonly description?: string
}

/** The transitions of one state in the order in which they are tried. */
export function transitionsOf(node: AnyStateNode): Row[] {
  const listed = [...node.transitions.values()].flat()
  return [...(node.always ?? []), ...listed].map((transition) => rowOf(node, transition))
}

/** The state and everything below it, from the top down. */
export function withDescendants(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(withDescendants)]
}

export function pathOf(node: AnyStateNode): string {
  return node.path.join('.')
}

function rowOf(source: AnyStateNode, transition: AnyTransitionDefinition): Row {
  const { guard, target, actions, meta, description } = transition
  return {
    source,
    on: inWords(transition.eventType, source),
    guard: guard === undefined ? undefined : nameOf(guard),
    target: target?.[0],
    actions: actions.map(nameOf),
    rule: typeof meta?.rule === 'string' ? meta.rule : undefined,
    description,
  }
}

/** XState's own event types carry ids of states; a reader wants the name that stands in the chart. */
function inWords(eventType: string, { id }: AnyStateNode): string {
  if (eventType === '') return 'at once'
  const [, delay] = /^xstate\.after\.(.+)$/.exec(eventType) ?? []
  if (delay) return `after ${delay.replace(`.${id}`, '')}`
  const [, how, actor] = /^xstate\.(done|error)\.actor\.(.+)$/.exec(eventType) ?? []
  return actor ? `${actor} ${how === 'done' ? 'done' : 'failed'}` : eventType
}

/** Guards and actions of the chart are named; one that is not could not be documented. */
function nameOf(part: unknown): string {
  if (typeof part === 'string') return part
  if (typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string') {
    const { type } = part
    const params: unknown = 'params' in part ? part.params : undefined
    return params === undefined ? type : `${type} ${words(params)}`
  }
  throw new Error('a guard or an action of the chart has no name')
}

function words(params: unknown): string {
  return typeof params === 'object' && params !== null ? Object.values(params).join(' ') : String(params)
}
