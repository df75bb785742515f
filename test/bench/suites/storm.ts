/**
 * A thousand connections to one origin that is away for 10 s: the real chart, gate and admission under a simulated clock.
 * The design's policy against the same crowd without chance and without a gate, and with equal jitter.
 */
import { Crowd, type CrowdOptions } from '../../link/crowd.js'
import { boundValue, type Figure, type Suite, type Task } from '../figure.js'

const SIZE = 1_000
const AWAY_MS = 10_000
const WATCHED_MS = 60_000

interface Way extends CrowdOptions {
  readonly name: string
  /** Calls wait. */
  readonly demand?: true
  readonly promises?: { readonly peak: number; readonly p99Ms: number; readonly unevenness: number }
}

const ways: readonly Way[] = [
  // The same number every time: all do the same at the same moment.
  { name: 'no jitter', random: () => 1 - Number.EPSILON, backoff: { baseMs: 1_000, capMs: 30_000 }, gated: false },
  // Half of the delay is fixed, half is left to chance.
  { name: 'equal jitter', backoff: { baseMs: 500, capMs: 15_000, jitter: 1 }, gated: false },
  { name: 'ours', promises: { peak: 5, p99Ms: 10_000, unevenness: 2.5 } },
  { name: 'ours, calls waiting', demand: true, promises: { peak: 12, p99Ms: 2_500, unevenness: 2.5 } },
]

/** Handshakes after the return, and when connections were ready again; in milliseconds since. */
interface Storm {
  readonly dials: readonly number[]
  readonly ready: readonly number[]
  /** Of each connection, while the server was away. */
  readonly inVain: number
}

async function storm(way: Way, seed: number): Promise<Storm> {
  const crowd = await new Crowd(SIZE, seed, way).settled()
  const lostAt = crowd.clock.now()
  crowd.lose()
  if (way.demand) for (const actor of crowd.actors) actor.send({ type: 'demand.raised' })
  await crowd.clock.pass(AWAY_MS)
  crowd.isAway = false
  const at = crowd.clock.now()
  await crowd.clock.pass(WATCHED_MS)
  const since = (times: readonly number[]) => times.filter((time) => time >= at).map((time) => time - at)
  const inVain = crowd.dials.filter((time) => time >= lostAt && time < at).length / SIZE
  await crowd.left()
  return { dials: since(crowd.dials), ready: since(crowd.ready), inVain }
}

/** How many in each span of so many milliseconds. */
export function histogram(times: readonly number[], spanMs: number): number[] {
  const bins: number[] = []
  for (const time of times) {
    const bin = Math.floor(time / spanMs)
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  return Array.from(bins, (count) => count ?? 0)
}

/** The fullest second, by the mean of the seconds in which anybody was still away. */
export function unevenness(dials: readonly number[]): number {
  const seconds = histogram(dials, 1_000)
  return Math.max(...seconds) / (dials.length / seconds.length)
}

async function figuresOf(way: Way, seed: number): Promise<Figure[]> {
  const { dials, ready, inVain } = await storm(way, seed)
  if (ready.length < SIZE) throw new Error(`${way.name}: only ${ready.length} came back`)
  const name = `storm, ${way.name}`
  const peak = (Math.max(...histogram(dials, 100)) / SIZE) * 100
  const p99 = [...ready].sort((a, b) => a - b)[Math.ceil(SIZE * 0.99) - 1] ?? Number.NaN
  const { promises } = way
  return [
    {
      name: `${name}: most that dial in 100 ms`,
      unit: '%',
      ours: peak,
      perSecond: histogram(dials, 1_000),
      ...(promises && { promise: boundValue(promises.peak) }),
    },
    { name: `${name}: p99 back`, unit: 'ms', ours: p99, ...(promises && { promise: boundValue(promises.p99Ms) }) },
    {
      name: `${name}: fullest second by the mean`,
      unit: '×',
      ours: unevenness(dials),
      ...(promises && { promise: boundValue(promises.unevenness) }),
    },
    { name: `${name}: dials of each in vain`, unit: 'requests', ours: inVain },
  ]
}

export const storms: Suite = {
  title: 'Storm',
  figures: ({ short }): readonly Task[] =>
    ways
      .filter(({ promises }) => promises || !short)
      .map((way) => ({ name: `storm, ${way.name}`, run: () => figuresOf(way, 1) })),
}
