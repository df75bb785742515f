/** One call through a ready connection against the bare SDK `Client` with its own transport. */
import { withServer } from '../contenders.js'
import { boundRatio, type Effort, type Figure, type Suite, type Task } from '../figure.js'
import { type Comparison, compareTimes, comparisonOf } from '../measure.js'
import { type Contenders, withBothWays, withContenders } from '../processes.js'
import type { Calling, Wire } from '../work.js'

interface Row {
  readonly wire: Wire
  readonly bytes: number
  readonly inFlight?: number
  readonly budget: number
  /** Where CI fails. */
  readonly limit: number
  /** Left out of a short run. */
  readonly long?: true
}

const rows: readonly Row[] = [
  { wire: 'memory', bytes: 100, budget: 1.1, limit: 1.25 },
  { wire: 'memory', bytes: 10_000, budget: 1.1, limit: 1.25, long: true },
  { wire: 'memory', bytes: 1_000_000, budget: 1.1, limit: 1.25, long: true },
  { wire: 'memory', bytes: 100, inFlight: 100, budget: 1.1, limit: 1.25, long: true },
  { wire: 'stdio', bytes: 100, budget: 0.95, limit: 1.15 },
  { wire: 'stdio', bytes: 10_000, budget: 0.95, limit: 1.15, long: true },
  { wire: 'stdio', bytes: 1_000_000, budget: 0.9, limit: 1.1, long: true },
  { wire: 'stdio', bytes: 100, inFlight: 100, budget: 0.95, limit: 1.15 },
  { wire: 'stdio', bytes: 10_000, inFlight: 100, budget: 0.95, limit: 1.15, long: true },
  { wire: 'sdk-stdio', bytes: 100, budget: 1, limit: 1.25, long: true },
  { wire: 'json', bytes: 100, budget: 0.4, limit: 0.6 },
  { wire: 'json', bytes: 10_000, budget: 0.4, limit: 0.6, long: true },
  { wire: 'json', bytes: 1_000_000, budget: 0.9, limit: 1.1, long: true },
  { wire: 'json', bytes: 100, inFlight: 100, budget: 0.4, limit: 0.6 },
  { wire: 'json', bytes: 10_000, inFlight: 100, budget: 0.4, limit: 0.6, long: true },
  { wire: 'sse', bytes: 100, budget: 0.4, limit: 0.6 },
  { wire: 'sse', bytes: 10_000, budget: 0.4, limit: 0.6, long: true },
  { wire: 'sse', bytes: 1_000_000, budget: 0.9, limit: 1.1, long: true },
  { wire: 'sse', bytes: 100, inFlight: 100, budget: 0.4, limit: 0.6, long: true },
  { wire: 'sdk', bytes: 100, budget: 0.6, limit: 0.8 },
]

/**
 * What a shared machine does beside comes and goes within seconds, and makes a short call twice as long and a long one
 * hardly longer. So every row is measured at three times of a run, its rounds taken together.
 */
const TIMES = 3

interface Plan {
  readonly rounds: number
  readonly callsPerRound: number
  /** Calls of each before anything is measured, so that the code is warm. */
  readonly warmUp: number
  /** Calls that are under way at a time. */
  readonly inFlight: number
}

/** A stock client slows down as it grows old (SDK trap 18), so a new one serves every so many calls. */
const RENEW_AFTER = 1_000

/** Many short rounds rather than few long ones: what the machine does beside then hits both alike. */
function planFor({ wire, bytes, inFlight = 1 }: Pick<Row, 'wire' | 'bytes' | 'inFlight'>, { short }: Effort): Plan {
  const share = short ? 0.4 : 1 / TIMES
  const rounds = (whole: number): number => Math.ceil(whole * share)
  // The first of a round meets sockets and caches that have cooled down.
  if (inFlight > 1) return { rounds: rounds(20), callsPerRound: 10 * inFlight, warmUp: 20 * inFlight, inFlight }
  if (bytes > 100_000)
    return {
      rounds: rounds(60),
      callsPerRound: wire === 'memory' ? 40 : 8,
      warmUp: wire === 'memory' ? 4_000 : 40,
      inFlight,
    }
  // A call in memory takes so little that many are needed before the code is warm and the clock tells them apart.
  if (wire === 'memory') return { rounds: rounds(60), callsPerRound: 200, warmUp: 4_000, inFlight }
  return { rounds: rounds(100), callsPerRound: 40, warmUp: 2_000, inFlight }
}

const sizes = new Map([
  [100, '100 B'],
  [10_000, '10 kB'],
  [1_000_000, '1 MB'],
])

const titles: Partial<Record<Wire, string>> = { sdk: "json, SDK's server", 'sdk-stdio': "stdio, SDK's server" }

function nameOf({ wire, bytes, inFlight = 1 }: Row): string {
  return `call, ${titles[wire] ?? wire}, ${sizes.get(bytes) ?? bytes}${inFlight > 1 ? `, ${inFlight} in flight` : ''}`
}

/** Median time of one call in microseconds, ours against stock. The order changes from round to round. */
async function compareCalls(
  { ours, stock }: Contenders,
  [callingOurs, callingStock]: readonly [Calling, Calling],
  { rounds, callsPerRound, warmUp, inFlight }: Plan,
): Promise<Comparison> {
  const call = (count: number) => ({ do: 'call', count, inFlight }) as const
  // So does the SDK's server: one that is in the process of its client is renewed with it, on both sides.
  const isInside = callingOurs.wire === 'memory'
  let stockCalls = 0
  const renew = async (): Promise<void> => {
    stockCalls = 0
    await stock.take({ do: 'open', calling: callingStock })
    if (isInside) await ours.take({ do: 'open', calling: callingOurs })
  }
  await ours.take({ do: 'open', calling: callingOurs })
  const part = Math.min(warmUp, RENEW_AFTER / 2)
  for (let warm = 0; warm < warmUp; warm += part) {
    await renew()
    await ours.take(call(part))
    await stock.take(call(part))
  }
  await renew()
  const comparison = await compareTimes(
    rounds,
    () => ours.take(call(callsPerRound)),
    () => stock.take(call(callsPerRound)),
    async () => {
      if (stockCalls + callsPerRound > RENEW_AFTER) {
        await renew()
        await stock.take(call(Math.max(20, 2 * inFlight)))
        if (isInside) await ours.take(call(Math.max(20, 2 * inFlight)))
      }
      stockCalls += callsPerRound
    },
  )
  for (const contender of [ours, stock]) await contender.take({ do: 'close' })
  return comparison
}

function compare({ wire, bytes }: Row, plan: Plan): Promise<Comparison> {
  const measure = (calling: Calling) => withContenders((both) => compareCalls(both, [calling, calling], plan))
  return wire === 'json' || wire === 'sse' || wire === 'sdk'
    ? withServer(wire, ({ url }) => measure({ wire, bytes, url: url.href }))
    : measure({ wire, bytes })
}

function figureOf(name: string, seen: Comparison, against: string, budget: number, limit: number): Figure {
  const { ratio, spread } = seen
  const compared = { with: against, value: seen.stock }
  return { name, unit: 'µs', ours: seen.ours, compared, ratio, spread, promise: boundRatio(budget, limit) }
}

/** A connection that is looked at, by the page and by an inspector, against one that is not. */
function compareInspected(plan: Plan): Promise<Comparison> {
  const plain = { wire: 'memory', bytes: 1 } as const
  return withBothWays((both) => compareCalls(both, [{ ...plain, inspected: true }, plain], plan))
}

/** What is measured as one task for each time; the last tells the figure. */
function timesOf(
  { name, against, budget, limit }: { name: string; against: string; budget: number; limit: number },
  measure: () => Promise<Comparison>,
  { short }: Effort,
): Task[] {
  const times = short ? 1 : TIMES
  let rounds: Comparison['rounds'] = []
  return Array.from({ length: times }, (_, time) => ({
    name,
    run: async () => {
      const seen = await measure()
      // One that is measured anew, in a short run, is measured by that alone.
      rounds = short ? seen.rounds : [...rounds, ...seen.rounds]
      return time < times - 1 ? [] : [figureOf(name, comparisonOf(rounds), against, budget, limit)]
    },
  }))
}

const inspected = { name: 'call, memory, inspected', against: 'not inspected', budget: 1.05, limit: 1.25 }

export const calls: Suite = {
  title: 'Calls',
  figures(effort): readonly Task[] {
    const chosen = rows
      .filter(({ long }) => !long || !effort.short)
      .map((row) =>
        timesOf({ ...row, name: nameOf(row), against: 'SDK client' }, () => compare(row, planFor(row, effort)), effort),
      )
    const plain = planFor({ wire: 'memory', bytes: 1 }, effort)
    const all = [...chosen, timesOf(inspected, () => compareInspected(plain), effort)]
    return Array.from({ length: TIMES }, (_, time) => all.flatMap((times) => times[time] ?? [])).flat()
  },
}
