import type { PolicyOptions } from '../../../machines/index.js'
import { type Askable, askable } from './asks.js'
import {
  type AuthorizationMisfortune,
  authorizationMisfortune,
  authorizationWeights,
} from './authorization-misfortunes.js'
import { Chance } from './chance.js'
import { type ChildMisfortune, childMisfortune } from './child-misfortunes.js'
import { afterRunning, type StatusName } from './refusals.js'
import { policyOf, type Traits, traitsOf } from './traits.js'

/** What befalls the connection from outside. */
export type Misfortune =
  /** Everything that is open breaks. */
  | { readonly do: 'cut' }
  /** Nobody listens, or no way leads there. */
  | { readonly do: 'refuse'; readonly ms: number }
  /** Nothing gets through and nobody is told; afterwards what was open breaks, or stays dead without a sign. */
  | { readonly do: 'silence'; readonly ms: number; readonly breaks: boolean }
  | { readonly do: 'slow'; readonly ms: number; readonly extraMs: number }
  | { readonly do: 'restart'; readonly downMs: number }
  | { readonly do: 'crash loop'; readonly times: number; readonly upMs: number; readonly downMs: number }
  | { readonly do: 'expire sessions' }
  /** Several instances behind a balancer that does not keep clients apart. */
  | { readonly do: 'split'; readonly ms: number; readonly replicas: number }
  /** The server does nothing for a while. */
  | { readonly do: 'stall'; readonly ms: number }
  | {
      readonly do: 'answer'
      readonly status: StatusName
      readonly times: number
      readonly retryAfterS?: number
      readonly afterRunning: boolean
    }
  | { readonly do: 'cut a call'; readonly when: 'before' | 'after' }
  | { readonly do: 'end streams' }
  | { readonly do: 'change lists' }
  /** The machine sleeps; what was open may be dead without a sign when it wakes. */
  | { readonly do: 'sleep'; readonly ms: number; readonly hushes: boolean }
  | { readonly do: 'offline'; readonly ms: number }
  | ChildMisfortune
  /** The server asks its clients for something; no fault, but one may come upon it. */
  | { readonly do: 'ask'; readonly what: Askable }
  | AuthorizationMisfortune

/** What the application does. */
export type Deed =
  | {
      readonly do: 'call'
      readonly tool: 'read' | 'write'
      readonly times: number
      readonly timeoutMs?: number
      readonly abortAfterMs?: number
      /** Hears how far the server is; with a bound, that extends the time for the answer. */
      readonly progress?: { readonly maxTotalMs?: number }
      readonly replay?: 'always' | 'never'
    }
  | { readonly do: 'subscribe' | 'unsubscribe'; readonly uri: string }
  | { readonly do: 'log level'; readonly level: string }
  | { readonly do: 'connect' | 'disconnect' | 'reconnect' | 'retry' | 'close' }
  | { readonly do: 'configure'; readonly policy: PolicyOptions }
  /** The same server under another address. */
  | { readonly do: 'move' }

export type ScheduledStep = { readonly at: number } & (Misfortune | Deed)

/** Everything that happens to one connection, as data: what a seed stands for. */
export interface Schedule {
  readonly seed: number
  readonly traits: Traits
  readonly policy: PolicyOptions
  readonly trusted: boolean
  /** In the order of their time. */
  readonly steps: readonly ScheduledStep[]
  readonly lengthMs: number
}

const deeds = new Set<string>([
  ...(['call', 'subscribe', 'unsubscribe', 'log level', 'connect', 'disconnect', 'reconnect'] as const),
  ...(['retry', 'close', 'configure', 'move'] as const),
] satisfies Deed['do'][])

/** The step is a fault, and not something that the application does. */
export const isMisfortune = (step: Deed | Misfortune): boolean => !deeds.has(step.do)

/** The schedule that a seed stands for. */
export function scheduleOf(seed: number): Schedule {
  const chance = new Chance(seed, 'schedule')
  const traits = traitsOf(chance.of('traits'))
  const policy = policyOf(chance.of('policy'))
  const lengthMs = chance.pick([20_000, 60_000, 180_000, 600_000])
  const count = chance.whole(5, 25)
  // Half of all faults come in company: what breaks things is two of them at once.
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const last = times.at(-1)
    const near = last !== undefined && chance.happens(0.5)
    times.push(near ? Math.min(lengthMs, last + chance.mostlySmall(0, 2_000)) : chance.whole(0, lengthMs))
  }
  times.sort((a, b) => a - b)
  return {
    seed,
    traits,
    policy,
    trusted: chance.happens(0.3),
    steps: times.map((at) => ({ at, ...deedOrMisfortune(chance, traits) })),
    lengthMs,
  }
}

const deedOrMisfortune = (chance: Chance, traits: Traits): Deed | Misfortune =>
  chance.happens(0.5) ? deedOf(chance) : misfortuneOf(chance, traits)

export const misfortuneOf = (chance: Chance, traits: Traits): Misfortune =>
  traits.wire === 'stdio' && chance.happens(0.7) ? childMisfortune(chance) : misfortune(chance, traits)

export function deedOf(chance: Chance): Deed {
  const kind = chance.weighted<Deed['do']>({
    call: 60,
    subscribe: 5,
    unsubscribe: 3,
    'log level': 3,
    connect: 6,
    disconnect: 3,
    reconnect: 3,
    retry: 3,
    configure: 2,
    move: 1,
    close: 0.5,
  })
  switch (kind) {
    case 'call':
      return {
        do: 'call',
        tool: chance.pick(['read', 'write']),
        times: chance.mostlySmall(1, 8),
        ...(chance.happens(0.2) && { timeoutMs: chance.mostlySmall(1, 20_000) }),
        ...(chance.happens(0.1) && { abortAfterMs: chance.mostlySmall(0, 5_000) }),
        ...(chance.happens(0.25) && { progress: chance.happens(0.5) ? { maxTotalMs: chance.whole(100, 60_000) } : {} }),
        ...(chance.happens(0.05) && { replay: chance.pick(['always', 'never'] as const) }),
      }
    case 'subscribe':
    case 'unsubscribe':
      return { do: kind, uri: `sim:///${chance.pick(['one', 'two', 'three'])}` }
    case 'log level':
      return { do: 'log level', level: chance.pick(['debug', 'info', 'error']) }
    case 'configure':
      return { do: 'configure', policy: policyOf(chance) }
    default:
      return { do: kind }
  }
}

function misfortune(chance: Chance, { authorization }: Traits): Misfortune {
  const kind = chance.weighted<Exclude<Misfortune, ChildMisfortune>['do']>({
    cut: 10,
    refuse: 6,
    silence: 8,
    slow: 6,
    restart: 10,
    'crash loop': 3,
    'expire sessions': 8,
    split: 5,
    stall: 5,
    answer: 10,
    'cut a call': 8,
    'end streams': 4,
    'change lists': 8,
    ask: 6,
    sleep: 5,
    offline: 4,
    ...authorizationWeights(authorization),
  })
  const ms = () => chance.mostlySmall(10, 90_000)
  switch (kind) {
    case 'refuse':
    case 'stall':
    case 'offline':
      return { do: kind, ms: ms() }
    case 'silence':
      return { do: 'silence', ms: ms(), breaks: chance.happens(0.5) }
    case 'slow':
      return { do: 'slow', ms: ms(), extraMs: chance.mostlySmall(50, 12_000) }
    case 'restart':
      return { do: 'restart', downMs: chance.mostlySmall(0, 60_000) }
    case 'crash loop': {
      const times = chance.whole(2, 8)
      return { do: kind, times, upMs: chance.mostlySmall(0, 5_000), downMs: chance.mostlySmall(10, 3_000) }
    }
    case 'split':
      return { do: 'split', ms: ms(), replicas: chance.whole(2, 4) }
    case 'answer':
      return answer(chance)
    case 'ask':
      return { do: 'ask', what: chance.pick(askable) }
    case 'cut a call':
      return { do: kind, when: chance.pick(['before', 'after']) }
    case 'sleep':
      return { do: 'sleep', ms: chance.mostlySmall(1_000, 8 * 3_600_000), hushes: chance.happens(0.6) }
    case 'distrust':
    case 'fail tokens':
    case 'slow tokens':
    case 'other process':
      return authorizationMisfortune(kind, chance)
    default:
      return { do: kind }
  }
}

function answer(chance: Chance): Misfortune {
  const isAfter = chance.happens(0.3)
  // 429 and 503 say that nothing ran; after running, only what a proxy may say who does not know.
  const status: StatusName = isAfter
    ? chance.pick(afterRunning)
    : chance.weighted({ '429': 3, '500': 2, '502': 2, '503': 4, '504': 1, version: 1, page: 0.5, '403': 0.5 })
  const asks = (status === '429' || status === '503' || status === 'version') && chance.happens(0.6)
  return {
    do: 'answer',
    status,
    times: chance.mostlySmall(1, 12),
    ...(asks && { retryAfterS: chance.happens(0.8) ? chance.whole(0, 20) : chance.whole(20, 300) }),
    afterRunning: isAfter,
  }
}
