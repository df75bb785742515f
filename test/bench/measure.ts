/** Side-by-side measuring: two contenders in one run, taking turns, so that what the machine does hits both alike. */

export interface Contender {
  /** One call. */
  readonly call: () => Promise<unknown>
  readonly close: () => Promise<void>
}

export interface Comparison {
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
  /** A stock client slows down as it grows old (SDK trap 18), so a new one serves every so many calls. Default 1,000. */
  readonly renewAfter?: number
}

/** Median time of one call in microseconds, ours against stock. The order changes from round to round. */
export async function compareCalls(
  makeOurs: () => Promise<Contender>,
  makeStock: () => Promise<Contender>,
  { rounds, callsPerRound, renewAfter = 1_000 }: Plan,
): Promise<Comparison> {
  const ours = await makeOurs()
  let stock = await makeStock()
  let stockCalls = 0
  await timeCalls(ours, callsPerRound)
  await timeCalls(stock, Math.min(callsPerRound, renewAfter / 2))
  const seen: { ours: number; stock: number }[] = []
  for (let round = 0; round < rounds; round++) {
    if (stockCalls + callsPerRound > renewAfter) {
      await stock.close()
      stock = await makeStock()
      await timeCalls(stock, 20)
      stockCalls = 0
    }
    stockCalls += callsPerRound
    if (round % 2 === 0) {
      const first = await timeCalls(ours, callsPerRound)
      seen.push({ ours: first, stock: await timeCalls(stock, callsPerRound) })
    } else {
      const first = await timeCalls(stock, callsPerRound)
      seen.push({ stock: first, ours: await timeCalls(ours, callsPerRound) })
    }
  }
  await Promise.all([ours.close(), stock.close()])
  const ratios = seen.map((s) => s.ours / s.stock)
  return {
    ours: quantile(seen.map((s) => s.ours)),
    stock: quantile(seen.map((s) => s.stock)),
    ratio: quantile(ratios),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  }
}

/** Median of one call, in microseconds. */
async function timeCalls({ call }: Contender, count: number): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const begin = performance.now()
    await call()
    times.push((performance.now() - begin) * 1_000)
  }
  return quantile(times)
}

export function quantile(values: readonly number[], q = 0.5): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}
