/**
 * Mutants of the chart, derived from whatever it holds: every transition deleted and sent elsewhere, each guard turned
 * round and forced, each action, timer, tag and actor taken away, each delay changed. A mutant is the explored machine
 * itself with one thing altered in place, and put back afterwards: making a new machine for each would take a minute.
 */
import { type AnyStateNode, type AnyTransitionDefinition, not } from 'xstate'
import { implementationsOf } from '../../src/testing/explorer/loose.js'
import { stateNodes, transitionName, transitionsOf } from '../../src/testing/explorer/structure.js'
import { isActive, type Pair, type Pairs } from './pairs.js'

export interface Mutant {
  readonly kind: string
  readonly name: string
  /** Alters the machine; gives what puts it back. */
  readonly apply: () => () => void
  /** The pairs in which it can make a difference. */
  readonly concerns: () => readonly Pair[]
}

/** XState's definitions are read-only for everybody else. */
type Writable<T> = { -readonly [K in keyof T]: T[K] }

export function chartMutants(pairs: Pairs): Mutant[] {
  const { machine } = pairs.stepper
  const nodes = stateNodes(machine)
  return [
    ...nodes.flatMap((node) => transitionsOf(node).flatMap((t) => ofTransition(t, nodes, pairs))),
    ...nodes.flatMap((node) => ofState(node, pairs)),
    ...ofDelays(pairs),
  ]
}

function ofTransition(t: AnyTransitionDefinition, nodes: readonly AnyStateNode[], pairs: Pairs): Mutant[] {
  const name = transitionName(t)
  // Where it is not taken, only another guard can make a difference.
  const where = once(() => pairs.takenUp(t.eventType).filter(({ taken }) => taken.includes(t)))
  const asked = once(() => [...where(), ...askedBy(t, pairs)])
  const made = (kind: string, what: string, change: Partial<Writable<AnyTransitionDefinition>>): Mutant => ({
    kind,
    name: what === '' ? name : `${name}: ${what}`,
    apply: () => replaced(t, change),
    concerns: 'guard' in change ? asked : where,
  })
  const { guard, target, actions, reenter } = t
  const targets = nodes.filter((node) => node.parent && !isSame(t, node))
  return [
    { ...made('deleted', '', { guard: () => false }), concerns: where },
    ...(guard
      ? [made('guard forced', '', { guard: undefined }), made('guard turned', '', { guard: not(guard as never) })]
      : []),
    ...(target ? [made('target dropped', '', { target: undefined })] : []),
    ...targets.map((node) => made('sent elsewhere', node.id, { target: [node] })),
    ...(target?.some((node) => entersAnew(t.source, node))
      ? [made('re-entering', reenter ? 'no more' : 'now', { reenter: !reenter })]
      : []),
    ...actions.map((action, i) =>
      made('action dropped', nameOf(action), { actions: actions.filter((_, at) => at !== i) }),
    ),
  ]
}

/** Sent to this node, the transition would do the same: it enters the same states, and leaves none that it does not. */
function isSame({ source, target, reenter }: AnyTransitionDefinition, node: AnyStateNode): boolean {
  const [now] = target ?? []
  if (!now) return node === source && !reenter && source.type === 'atomic'
  if (now === node) return true
  // What is re-entered as a whole is left in any case.
  if (reenter && now === source && isWithin(node, source)) return configurationOf(now) === configurationOf(node)
  const isAround = (one: AnyStateNode) => one === source || isWithin(source, one)
  return !isAround(now) && !isAround(node) && configurationOf(now) === configurationOf(node)
}

/** Re-entering makes a difference to a target within the source only, and only where the source itself does something. */
const entersAnew = (source: AnyStateNode, target: AnyStateNode): boolean =>
  target === source || (isWithin(target, source) && source.entry.length + source.exit.length + source.invoke.length > 0)

const isWithin = (node: AnyStateNode, other: AnyStateNode): boolean =>
  node.parent !== undefined && (node.parent === other || isWithin(node.parent, other))

/** All states that are active after entering this one from outside. */
function configurationOf(node: AnyStateNode): string {
  const active = new Set<string>()
  const down = (one: AnyStateNode, except?: AnyStateNode): void => {
    active.add(one.id)
    if (one.type === 'parallel') for (const child of Object.values(one.states)) if (child !== except) down(child)
    if (one.type === 'compound' && !except) for (const child of one.initial.target ?? []) down(child)
  }
  down(node)
  for (let below = node; below.parent; below = below.parent) down(below.parent, below)
  return [...active].sort().join()
}

/** Where it is not taken although its source is active when the event comes, or may be when the chart raises it. */
function askedBy(t: AnyTransitionDefinition, pairs: Pairs): readonly Pair[] {
  const { source, eventType } = t
  const untaken = ({ taken }: Pair) => !taken.includes(t)
  if (eventType === '')
    return pairs.moved.filter(
      (pair) => untaken(pair) && (isActive(pair.after, source) || pair.taken.some((other) => other.source === source)),
    )
  const given = pairs.given(eventType).filter((pair) => untaken(pair) && isActive(pair.before, source))
  const raised = pairs
    .takenUp(eventType)
    .filter(
      (pair) =>
        pair.event.type !== eventType &&
        untaken(pair) &&
        (isActive(pair.before, source) || isActive(pair.after, source)),
    )
  return [...given, ...raised]
}

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function ofState(node: AnyStateNode, pairs: Pairs): Mutant[] {
  const { id, entry, exit, invoke, tags } = node
  const concerns = once(() =>
    pairs.moved.filter(({ before, after, taken }) => {
      const [was, is] = [isActive(before, node), isActive(after, node)]
      return was !== is || (was && taken.some(({ reenter, target }) => reenter || target?.includes(node as never)))
    }),
  )
  const without = <T>(kind: string, list: T[], what: (item: T) => string): Mutant[] =>
    list.map((item, i) => ({
      kind,
      name: `${id}: ${what(item)}`,
      apply: () => {
        list.splice(i, 1)
        return () => {
          list.splice(i, 0, item)
        }
      },
      concerns,
    }))
  return [
    ...without('entry action dropped', entry as unknown[], nameOf),
    ...without('exit action dropped', exit as unknown[], nameOf),
    ...without('actor dropped', invoke as unknown as { id: string }[], ({ id }) => id),
    ...without('tag dropped', tags as string[], (tag) => tag),
    ...ofInitial(node, concerns),
  ]
}

function ofInitial(node: AnyStateNode, concerns: Mutant['concerns']): Mutant[] {
  const { initial } = node
  if (node.type !== 'compound' || !initial) return []
  const others = Object.values(node.states).filter((child) => child !== initial.target?.[0])
  return others.map((child) => ({
    kind: 'begun elsewhere',
    name: `${node.id}: ${child.key}`,
    apply: () => replaced(initial as AnyTransitionDefinition, { target: [child] }),
    concerns,
  }))
}

function ofDelays({ stepper, moved }: Pairs): Mutant[] {
  const { delays } = implementationsOf(stepper.machine)
  return Object.entries(delays).flatMap(([name, delay]) => {
    const concerns = once(() => moved.filter(({ timers }) => timers.includes(name)))
    const altered = (what: string, change: (ms: number) => number): Mutant => ({
      kind: 'delay altered',
      name: `${name}: ${what}`,
      apply: () => {
        delays[name] = ((...args: unknown[]) =>
          change(typeof delay === 'function' ? Number(delay(...args)) : delay)) as typeof delay
        return () => {
          delays[name] = delay
        }
      },
      concerns,
    })
    return [altered('none', () => 0), altered('doubled', (ms) => ms * 2), altered('a second more', (ms) => ms + 1_000)]
  })
}

function replaced<T extends object>(object: T, change: Partial<Writable<T>>): () => void {
  const before = { ...object }
  Object.assign(object, change)
  return () => {
    Object.assign(object, before)
  }
}

/** For people: what an action is called. */
function nameOf(action: unknown): string {
  if (typeof action === 'string') return action
  const { type, params, id, sendId } = Object(action) as Record<string, unknown>
  const own = params === undefined ? '' : ` ${JSON.stringify(params).replace(/["{}]/g, '')}`
  return `${String(type ?? 'inline')}${(id ?? sendId) ? ` ${id ?? sendId}` : own}`
}
