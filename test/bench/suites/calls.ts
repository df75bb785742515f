/** One call through a ready connection against the bare SDK `Client` with its own transport. */
import type { InspectionEvent } from 'xstate'
import { redacted, startInspector } from '../../../src/inspect/index.js'
import {
  type HttpServerKind,
  inMemory,
  leanStdioTarget,
  ours,
  stdioTarget,
  stock,
  stockTransport,
  withServer,
} from '../contenders.js'
import { boundRatio, type Effort, type Figure, type Suite, type Task } from '../figure.js'
import { type Comparison, compareCalls, comparisonOf, type Plan } from '../measure.js'

type Wire = 'memory' | 'stdio' | 'sdk-stdio' | HttpServerKind

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

/** Many short rounds rather than few long ones: what the machine does beside then hits both alike. */
function planFor({ wire, bytes, inFlight = 1 }: Row, { short }: Effort, isFirst: boolean): Plan {
  const share = short ? 0.4 : 1 / TIMES
  const rounds = (whole: number): number => Math.ceil(whole * share)
  const batches = wire === 'memory' ? 8 : 2
  if (inFlight > 1) return { rounds: rounds(40), callsPerRound: inFlight * batches, inFlight }
  if (bytes > 100_000) return { rounds: rounds(40), callsPerRound: wire === 'memory' ? 40 : 8, warmUp: 40 }
  // A call in memory takes so little that many are needed before the code is warm and the clock tells them apart.
  if (wire === 'memory') return { rounds: rounds(60), callsPerRound: 200, warmUp: 4_000 }
  return { rounds: rounds(100), callsPerRound: 40, warmUp: isFirst ? 2_000 : 400 }
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

function compare({ wire, bytes }: Row, plan: Plan): Promise<Comparison> {
  const text = 'x'.repeat(bytes)
  switch (wire) {
    case 'memory':
      return compareCalls(
        () => ours({ open: inMemory }, text),
        () => stock(inMemory(), text),
        { ...plan, renewsServer: true },
      )
    case 'stdio':
    case 'sdk-stdio': {
      const target = wire === 'stdio' ? leanStdioTarget : stdioTarget
      return compareCalls(
        () => ours(target, text),
        () => stock(stockTransport(target), text),
        plan,
      )
    }
    default:
      return withServer(wire, ({ url }) =>
        compareCalls(
          () => ours({ url }, text),
          () => stock(stockTransport(url), text),
          plan,
        ),
      )
  }
}

function figureOf(name: string, seen: Comparison, against: string, budget: number, limit: number): Figure {
  const { ratio, spread } = seen
  const compared = { with: against, value: seen.stock }
  return { name, unit: 'µs', ours: seen.ours, compared, ratio, spread, promise: boundRatio(budget, limit) }
}

/** A connection that is looked at, by the page and by an inspector, against one that is not. */
async function compareInspected(plan: Plan): Promise<Comparison> {
  await using inspector = await startInspector()
  const toAnother = redacted(() => {})
  const inspect = (event: InspectionEvent) => {
    inspector.inspect(event)
    toAnother(event)
  }
  return await compareCalls(
    () => ours({ open: inMemory }, 'x', { inspect }),
    () => ours({ open: inMemory }, 'x'),
    { ...plan, renewsServer: true },
  )
}

/** A row as one task for each time at which it is measured; the last tells the figure. */
function timesOf(row: Row, effort: Effort): Task[] {
  const name = nameOf(row)
  const times = effort.short ? 1 : TIMES
  let rounds: Comparison['rounds'] = []
  return Array.from({ length: times }, (_, time) => ({
    name,
    run: async () => {
      const seen = await compare(row, planFor(row, effort, time === 0))
      // One that is measured anew, in a short run, is measured by that alone.
      rounds = effort.short ? seen.rounds : [...rounds, ...seen.rounds]
      return time < times - 1 ? [] : [figureOf(name, comparisonOf(rounds), 'SDK client', row.budget, row.limit)]
    },
  }))
}

export const calls: Suite = {
  title: 'Calls',
  figures(effort): readonly Task[] {
    const chosen = rows.filter(({ long }) => !long || !effort.short).map((row) => timesOf(row, effort))
    const inspected = 'call, memory, inspected'
    return [
      ...Array.from({ length: TIMES }, (_, time) => chosen.flatMap((times) => times[time] ?? [])).flat(),
      {
        name: inspected,
        run: async () => {
          const seen = await compareInspected({ rounds: effort.short ? 24 : 60, callsPerRound: 200, warmUp: 4_000 })
          return [figureOf(inspected, seen, 'not inspected', 1.05, 1.25)]
        },
      },
    ]
  },
}
