import { type AnyStateMachine, fromCallback } from 'xstate'
import { type Implementation, implementationsOf, provide } from './loose.js'

/** Counts what the machine's named guards, actions and delays do while it is explored. */
export interface Gauges {
  /** Per guard: how often false, how often true. */
  readonly guards: Map<string, [number, number]>
  readonly actions: Map<string, number>
  readonly delays: Map<string, number>
  /** Named actions of the present step, with their params. */
  readonly log: string[]
}

/**
 * The same machine with counters in its implementations and with actors that never end. Nothing is executed during an
 * exploration, so that the actors are never started; but creating a child machine would compute its first state.
 */
export function instrument<M extends AnyStateMachine>(machine: M): { machine: M; gauges: Gauges } {
  const given = implementationsOf(machine)
  const gauges: Gauges = { guards: new Map(), actions: new Map(), delays: new Map(), log: [] }
  const never = fromCallback(() => {})
  return {
    gauges,
    machine: provide(machine, {
      actors: map(given.actors, () => never),
      guards: map(given.guards, (guard, name) => countGuard(guard, name, gauges)),
      actions: map(given.actions, (action, name) => countAction(action, name, gauges)),
      delays: map(given.delays, (delay, name) => countDelay(delay, name, gauges)),
    }),
  }
}

function countGuard(guard: Implementation, name: string, gauges: Gauges): Implementation {
  const counts: [number, number] = [0, 0]
  gauges.guards.set(name, counts)
  const counted = (outcome: unknown): unknown => {
    counts[outcome ? 1 : 0] += 1
    return outcome
  }
  // and(), or() and not() are functions that carry their own check.
  if (guard.check)
    return wrap(
      guard,
      'check',
      (check) =>
        (...args) =>
          counted(check(...args)),
    )
  return (...args) => counted(guard(...args))
}

function countAction(action: Implementation, name: string, gauges: Gauges): Implementation {
  gauges.actions.set(name, 0)
  const count = (params: unknown): void => {
    gauges.actions.set(name, (gauges.actions.get(name) ?? 0) + 1)
    gauges.log.push(params === undefined ? name : `${name} ${plain(params)}`)
  }
  // assign(), raise(), sendTo() and the like are resolved within the pure step.
  if (action.resolve) {
    return wrap(action, 'resolve', (resolve) => (...args) => {
      count(args[3])
      return resolve(...args)
    })
  }
  // A plain function is an effect: it is planned but not executed, so the step tells of it (see `noteEffect`).
  return action
}

/** Counts a plain function action, which shows only in what the step planned. */
export function noteEffect(gauges: Gauges, type: string, params: unknown): void {
  const times = gauges.actions.get(type)
  if (times === undefined) return
  gauges.actions.set(type, times + 1)
  gauges.log.push(params === undefined ? type : `${type} ${plain(params)}`)
}

function countDelay(delay: Implementation | number, name: string, gauges: Gauges): Implementation {
  gauges.delays.set(name, 0)
  return (...args) => {
    gauges.delays.set(name, (gauges.delays.get(name) ?? 0) + 1)
    return typeof delay === 'function' ? delay(...args) : delay
  }
}

/** A copy of a function that carries properties, with one of its methods replaced. */
function wrap(
  original: Implementation,
  method: 'check' | 'resolve',
  around: (inner: (...args: unknown[]) => unknown) => (...args: unknown[]) => unknown,
): Implementation {
  const inner = original[method]
  const copy: Implementation = Object.assign((...args: unknown[]) => original(...args), original)
  if (inner) copy[method] = around(inner)
  return copy
}

const plain = (params: unknown): string => (JSON.stringify(params) ?? '').replace(/["{}]/g, '').replace(/\w+:/g, '')

function map<T, R>(record: Readonly<Record<string, T>>, f: (value: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, f(value, name)]))
}
