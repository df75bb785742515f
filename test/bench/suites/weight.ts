/** What connections weigh that do nothing, and whether many of them cost no more than that many times one. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { boundRatio, type Figure, type Suite, type Task } from '../figure.js'
import { quantile } from '../measure.js'
import type { Weighed } from '../weigh.js'

const program = fileURLToPath(new URL('../weigh.js', import.meta.url))
const run = promisify(execFile)

async function weigh(kind: 'ours' | 'stock', count: number): Promise<Weighed> {
  const { stdout } = await run(process.execPath, ['--expose-gc', program, kind, String(count)])
  return JSON.parse(stdout)
}

async function heap(): Promise<Figure[]> {
  const seen = { ours: [] as number[], stock: [] as number[] }
  for (const kind of ['ours', 'stock', 'stock', 'ours', 'ours', 'stock'] as const)
    seen[kind].push((await weigh(kind, 1_000)).bytes / 1_024)
  const [ours, stock] = [quantile(seen.ours), quantile(seen.stock)]
  return [
    {
      name: 'heap per connection, 1,000',
      unit: 'KiB',
      ours,
      compared: { with: 'SDK client', value: stock },
      ratio: ours / stock,
      promise: boundRatio(1, 1.05),
    },
  ]
}

/** Ten times as many, per connection. */
async function crowd(): Promise<Figure[]> {
  const few = await weigh('ours', 1_000)
  const many = await weigh('ours', 10_000)
  const stock = await weigh('stock', 10_000)
  const [weight, weightOfFew] = [many.bytes / 1_024, few.bytes / 1_024]
  const linear = (name: string, of: 'startMs' | 'closeMs', budget: number, limit: number): Figure => {
    const [ours, value] = [many[of] / 10, few[of]]
    const compared = { with: '1,000 of them', value }
    return { name, unit: 'µs', ours, compared, ratio: ours / value, promise: boundRatio(budget, limit) }
  }
  return [
    linear('10,000 started, time of each', 'startMs', 1.2, 2),
    linear('10,000 closed, time of each', 'closeMs', 1.2, 2.5),
    {
      name: '10,000 kept, heap of each',
      unit: 'KiB',
      ours: weight,
      compared: { with: '1,000 of them', value: weightOfFew },
      ratio: weight / weightOfFew,
      promise: boundRatio(1.05, 1.2),
    },
    {
      name: '10,000 started',
      unit: 's',
      ours: many.startMs / 1_000,
      compared: { with: 'SDK clients', value: stock.startMs / 1_000 },
      ratio: many.startMs / stock.startMs,
    },
    {
      name: '10,000 closed',
      unit: 's',
      ours: many.closeMs / 1_000,
      compared: { with: 'SDK clients', value: stock.closeMs / 1_000 },
      ratio: many.closeMs / stock.closeMs,
    },
  ]
}

export const weight: Suite = {
  title: 'Weight',
  figures: (): readonly Task[] => [
    { name: 'heap per connection', run: heap },
    { name: '10,000 connections', run: crowd },
  ],
}
