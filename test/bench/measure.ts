/** Side-by-side measuring: two contenders in one run, taking turns, so that what the machine does hits both alike. */

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
