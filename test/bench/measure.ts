/** Side-by-side measuring: two contenders in one run, taking turns, so that what the machine does hits both alike. */

export interface Contender {
  /** One call. */
  readonly call: () => Promise<unknown>
  readonly close: () => Promise<void>
}

/** What one took and then the other, in the same unit. */
interface Round {
  readonly ours: number
  readonly stock: number
}

export interface Comparison {
  readonly rounds: readonly Round[]
  readonly ours: number
  readonly stock: number
  /** Median over rounds of ours / stock, in one round measured one after the other. */
  readonly ratio: number
  /** The ratios between which the middle half of the rounds lies. */
  readonly spread: readonly [number, number]
}

export interface Plan {
  readonly rounds: number
  readonly callsPerRound: number
  /** Calls of each before anything is measured, so that the code is warm. Default: those of one round. */
  readonly warmUp?: number
  /** Calls that are under way at a time. Default 1. */
  readonly inFlight?: number
  /** A stock client slows down as it grows old (SDK trap 18), so a new one serves every so many calls. Default 1,000. */
  readonly renewAfter?: number
  /** So does the SDK's server: one that runs in this process is renewed with the client, on both sides. Default: not. */
  readonly renewsServer?: boolean
}

/** Median time of one call in microseconds, ours against stock. The order changes from round to round. */
export async function compareCalls(
  makeOurs: () => Promise<Contender>,
  makeStock: () => Promise<Contender>,
  { rounds, callsPerRound, warmUp = callsPerRound, inFlight = 1, renewAfter = 1_000, renewsServer = false }: Plan,
): Promise<Comparison> {
  let ours = await makeOurs()
  let stock = await makeStock()
  let stockCalls = 0
  const renew = async (): Promise<void> => {
    await stock.close()
    stock = await makeStock()
    stockCalls = 0
    if (!renewsServer) return
    await ours.close()
    ours = await makeOurs()
  }
  const warmPart = Math.min(warmUp, renewAfter / 2)
  for (let done = 0; done < warmUp; done += warmPart) {
    await timeCalls(ours, warmPart, inFlight)
    await timeCalls(stock, warmPart, inFlight)
    await renew()
  }
  const comparison = await compareTimes(
    rounds,
    () => timeCalls(ours, callsPerRound, inFlight),
    () => timeCalls(stock, callsPerRound, inFlight),
    async () => {
      if (stockCalls + callsPerRound > renewAfter) {
        await renew()
        await timeCalls(stock, 20, inFlight)
        if (renewsServer) await timeCalls(ours, 20, inFlight)
      }
      stockCalls += callsPerRound
    },
  )
  await Promise.all([ours.close(), stock.close()])
  return comparison
}

/** Two ways to do a thing, each of which tells what it took. The order changes from round to round. */
export async function compareTimes(
  rounds: number,
  takeOurs: () => Promise<number>,
  takeStock: () => Promise<number>,
  before: () => Promise<void> = async () => {},
): Promise<Comparison> {
  const seen: Round[] = []
  for (let round = 0; round < rounds; round++) {
    await before()
    if (round % 2 === 0) {
      const first = await takeOurs()
      seen.push({ ours: first, stock: await takeStock() })
    } else {
      const first = await takeStock()
      seen.push({ stock: first, ours: await takeOurs() })
    }
  }
  return comparisonOf(seen)
}

/** What rounds come to; they may have been measured at different times. */
export function comparisonOf(rounds: readonly Round[]): Comparison {
  const ratios = rounds.map(({ ours, stock }) => ours / stock)
  return {
    rounds,
    ours: quantile(rounds.map(({ ours }) => ours)),
    stock: quantile(rounds.map(({ stock }) => stock)),
    ratio: quantile(ratios),
    spread: middleHalf(ratios),
  }
}

/** Median of one call, in microseconds; of its share in a batch where many are under way. */
async function timeCalls({ call }: Contender, count: number, inFlight: number): Promise<number> {
  const times: number[] = []
  for (let done = 0; done < count; done += inFlight) {
    const begin = performance.now()
    if (inFlight === 1) await call()
    else await Promise.all(Array.from({ length: inFlight }, call))
    times.push(((performance.now() - begin) * 1_000) / inFlight)
  }
  return quantile(times)
}

/** How long the work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

export function quantile(values: readonly number[], q = 0.5): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

export const middleHalf = (values: readonly number[]): [number, number] => [
  quantile(values, 0.25),
  quantile(values, 0.75),
]
