import { type Crowd, crowdOf, isCrowdSeed } from './crowd.js'
import type { SimulationOptions } from './result.js'
import { type Schedule, scheduleOf } from './schedule.js'
import { type Shrunk, shrink } from './shrink.js'
import { runSchedule } from './simulation.js'

export interface CampaignOptions extends Omit<SimulationOptions, 'trace'> {
  /** How many seeds, one schedule each. Default 100. */
  readonly seeds?: number
  /** The first of them. Default 1. */
  readonly from?: number
  /** Failing seeds after which it stops. Default 1. */
  readonly failures?: number
  /** Heard after every seed. */
  readonly onSeed?: (seed: number) => void
}

/** What a row of seeds came to. */
export interface CampaignReport {
  readonly seeds: number
  readonly simulatedMs: number
  readonly faults: number
  readonly links: number
  readonly calls: number
  /** Requests for tokens. */
  readonly tokens: number
  /** Logins of persons. */
  readonly logins: number
  /** Calls that were not settled by their deadline. */
  readonly lost: number
  /** Unsafe calls that ran more than once. */
  readonly doubled: number
  /** Failing schedules, each shrunk to what its failure needs. */
  readonly failures: readonly Shrunk[]
}

/** What a seed stands for in a campaign: one connection, or several that go to the same servers. */
export const seedSchedule = (seed: number): Schedule | Crowd => (isCrowdSeed(seed) ? crowdOf(seed) : scheduleOf(seed))
const counted = ['simulatedMs', 'faults', 'links', 'calls', 'tokens', 'logins', 'lost', 'doubled'] as const

/** Runs the schedules of many seeds, one after the other. */
export async function simulate(options: CampaignOptions = {}): Promise<CampaignReport> {
  const { seeds = 100, from = 1, failures: most = 1, onSeed, ...rest } = options
  const sum = { seeds: 0, simulatedMs: 0, faults: 0, links: 0, calls: 0, tokens: 0, logins: 0, lost: 0, doubled: 0 }
  const failures: Shrunk[] = []
  for (let seed = from; seed < from + seeds && failures.length < most; seed++) {
    const result = await runSchedule(seedSchedule(seed), rest)
    sum.seeds += 1
    for (const name of counted) sum[name] += result[name]
    if (result.breaches.length > 0) failures.push(await shrink(result, rest))
    onSeed?.(seed)
  }
  return { ...sum, failures }
}

/** A report as a block of text; failing seeds with the command that replays them. */
export function summarizeCampaign(report: CampaignReport, command: string): string {
  const rows: [string, string][] = [
    ['schedules', String(report.seeds)],
    ['simulated hours', (report.simulatedMs / 3_600_000).toFixed(1)],
    ['faults injected', String(report.faults)],
    ['links begun', String(report.links)],
    ['calls made', String(report.calls)],
    ['token requests', String(report.tokens)],
    ['logins', String(report.logins)],
    ['calls lost', String(report.lost)],
    ['unsafe double runs', String(report.doubled)],
    ['failing seeds', String(report.failures.length)],
  ]
  return [
    ...rows.map(([name, value]) => `${name.padEnd(20)}${value}`),
    ...report.failures.map((one) => told(one, command)),
  ].join('\n')
}

function told({ result, kept }: Shrunk, command: string): string {
  const { seed, steps } = result.schedule
  return [
    '',
    ...result.breaches.map(({ invariant, message, atMs }) => `broken at ${atMs} ms: ${invariant}\n  ${message}`),
    'needed for it:',
    ...steps.map(({ at, ...step }) => `  ${at} ms: ${JSON.stringify(step)}`),
    `replay: ${command} --seed ${seed} --keep ${kept.join(',') || 'none'}`,
  ].join('\n')
}
