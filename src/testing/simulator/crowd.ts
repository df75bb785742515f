import type { PolicyOptions } from '../../../machines/index.js'
import { Chance } from './chance.js'
import { isForGood } from './refusals.js'
import { type Deed, deedOf, isMisfortune, type Misfortune, misfortuneOf } from './schedule.js'
import { policyOf, type Traits, traitsOf } from './traits.js'

/** One connection of a crowd. */
interface CrowdMember {
  /** Which of the servers it goes to. */
  readonly place: number
  readonly policy: PolicyOptions
}

export type CrowdStep = { readonly at: number } & (
  | (Misfortune & { readonly place: number })
  | (Deed & { readonly member: number })
)

/**
 * What happens to several connections of one process, as data. They go to two servers: two addresses of one origin, or
 * two commands.
 */
export interface Crowd {
  readonly seed: number
  readonly traits: Traits
  readonly members: readonly CrowdMember[]
  /** Nothing befalls the second server, whatever becomes of the first. */
  readonly hasHealthy: boolean
  /** In the order of their time. */
  readonly steps: readonly CrowdStep[]
  readonly lengthMs: number
}

/** The server that may be kept from harm. */
export const HEALTHY = 1

/** What a server brings upon all who come to it, and not the way to one of them. */
const ofServers = new Set<string>([
  ...(['cut', 'refuse', 'silence', 'slow', 'restart', 'crash loop', 'expire sessions', 'stall'] as const),
  ...(['answer', 'cut a call', 'end streams', 'change lists', 'ask'] as const),
  ...(['no start', 'early exit', 'slow start', 'die', 'die on a call', 'freeze'] as const),
] satisfies Misfortune['do'][])

/** What concerns other connections too, by what it does to the gate, or nothing but the connection itself. */
const ofMembers = new Set<string>(['call', 'connect', 'disconnect', 'reconnect', 'retry'] satisfies Deed['do'][])

/** The seed stands for a crowd, and not for one connection. */
export const isCrowdSeed = (seed: number): boolean => new Chance(seed, 'kind').happens(0.2)

/** The crowd that a seed stands for. */
export function crowdOf(seed: number): Crowd {
  const chance = new Chance(seed, 'crowd')
  const traits: Traits = {
    ...traitsOf(chance.of('traits')),
    wire: chance.pick(['http', 'http', 'stdio']),
    // A server that names no sessions has one client.
    sessions: true,
    authorization: 'none',
  }
  const size = traits.wire === 'stdio' ? chance.whole(2, 20) : chance.happens(0.03) ? 50 : chance.whole(1, 6)
  const policies = chance.of('policies')
  const members = Array.from({ length: size }, () => ({
    place: chance.whole(0, 1),
    policy: { ...policyOf(policies), onSessionLost: 'renew' as const },
  }))
  const hasHealthy = chance.happens(0.6)
  const lengthMs = chance.pick([20_000, 60_000, 180_000])
  const times = Array.from({ length: chance.whole(4, 20) }, () => chance.whole(0, lengthMs)).sort((a, b) => a - b)
  const steps = times.map((at): CrowdStep => {
    if (!chance.happens(0.4))
      return { at, ...drawn(() => deedOf(chance), ofMembers), member: chance.whole(0, size - 1) }
    const place = hasHealthy ? 0 : chance.whole(0, 1)
    return { at, ...drawn(() => misfortuneOf(chance, traits), ofServers), place }
  })
  return {
    seed,
    traits,
    members,
    hasHealthy,
    // All at once, as a hub does; half of all crowds come to a server that is broken from the start.
    steps: [
      ...(chance.happens(0.5) ? [brokenFrom(traits, chance)] : []),
      ...members.map((_, member): CrowdStep => ({ at: 0, do: 'connect', member })),
      ...steps,
    ],
    lengthMs,
  }
}

function brokenFrom({ wire }: Traits, chance: Chance): CrowdStep {
  const seconds = chance.whole(1, 20)
  if (wire === 'stdio') {
    const end = { code: 1, signal: null }
    return { at: 0, place: 0, do: 'early exit', times: 1_000, afterMs: chance.mostlySmall(0, 2_000), end }
  }
  return { at: 0, place: 0, do: 'answer', status: '503', times: 1_000, retryAfterS: seconds, afterRunning: false }
}

function drawn<T extends Deed | Misfortune>(draw: () => T, allowed: ReadonlySet<string>): T {
  for (;;) {
    const step = draw()
    // What no waiting cures says nothing of the gate, and a time that outlasts all trouble says it too late.
    const isOdd = step.do === 'answer' && (isForGood(step.status) || (step.retryAfterS ?? 0) > 20)
    if (allowed.has(step.do) && !isOdd) return step
  }
}

export const isForServer = (step: CrowdStep): step is Extract<CrowdStep, { place: number }> => isMisfortune(step)
