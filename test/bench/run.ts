/** `npm run bench`: every figure a ratio, measured side by side in this one run. `--short` for CI, `--json` for files. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compareInspected, compareWire, type Wire } from './calls.js'
import { countExchanges } from './exchanges.js'

interface Row {
  readonly name: string
  readonly ours: string
  readonly stock: string
  readonly ratio: number
  readonly spread?: readonly [number, number]
  /** Design budget. */
  readonly budget: number
  /** Where a run fails: noise of shared machines allowed for. */
  readonly limit: number
}

const short = process.argv.includes('--short')
const rounds = short ? 10 : 30

async function callRow(wire: Wire, bytes: number, budget: number, limit: number): Promise<Row> {
  // A call in memory takes so little that many are needed before the code is warm and the clock tells them apart.
  const callsPerRound = wire === 'memory' ? 300 : bytes > 100_000 ? 20 : 100
  const { ours, stock, ratio, spread } = await compareWire(wire, bytes, { rounds, callsPerRound })
  const what = wire === 'sdk' ? "json, SDK's server" : wire
  const size = bytes >= 1_000_000 ? '1 MB' : bytes >= 10_000 ? '10 kB' : '100 B'
  return { name: `call, ${what}, ${size}`, ours: us(ours), stock: us(stock), ratio, spread, budget, limit }
}

async function inspectedRow(): Promise<Row> {
  const { ours, stock, ratio, spread } = await compareInspected({ rounds, callsPerRound: 300 })
  const [budget, limit] = [1.05, 1.25]
  return { name: 'call, memory, inspected', ours: us(ours), stock: us(stock), ratio, spread, budget, limit }
}

function heapRow(): Row {
  const file = fileURLToPath(new URL('./heap.js', import.meta.url))
  const bytes = (kind: string): number =>
    JSON.parse(execFileSync(process.execPath, ['--expose-gc', file, kind], { encoding: 'utf8' })).bytes
  const [ours, stock] = [bytes('ours'), bytes('stock')]
  const kib = (n: number) => `${(n / 1024).toFixed(1)} KiB`
  return { name: 'heap per connection', ours: kib(ours), stock: kib(stock), ratio: ours / stock, budget: 1, limit: 1 }
}

const us = (n: number) => `${n.toFixed(0)} µs`

const rows: Row[] = [
  await callRow('memory', 100, 1.1, 1.25),
  await callRow('stdio', 100, 0.95, 1.1),
  ...(short ? [] : [await callRow('stdio', 1_000_000, 0.9, 1.1)]),
  await callRow('json', 100, 0.4, 0.6),
  await callRow('sse', 100, 0.4, 0.6),
  await callRow('sdk', 100, 0.6, 0.8),
  ...(short ? [] : [await callRow('json', 10_000, 0.4, 0.6), await callRow('json', 1_000_000, 0.9, 1.1)]),
  await inspectedRow(),
  heapRow(),
]
const exchanges = await countExchanges()

if (process.argv.includes('--json')) console.log(JSON.stringify({ rows, exchanges }, null, 2))
else {
  console.log('what                             ours      stock     ratio  (middle half)   budget')
  for (const row of rows) {
    const spread = row.spread ? `${row.spread[0].toFixed(2)}–${row.spread[1].toFixed(2)}` : ''
    const mark = row.ratio <= row.budget ? '' : row.ratio <= row.limit ? ' over budget' : ' FAILED'
    console.log(
      `${row.name.padEnd(32)} ${row.ours.padStart(9)} ${row.stock.padStart(9)} ${row.ratio.toFixed(2).padStart(6)}  ${spread.padEnd(14)} ≤ ${row.budget}${mark}`,
    )
  }
  console.log(`connect to ready: ${exchanges.connect} exchanges (budget 3); resume: ${exchanges.resume} (budget 1)`)
}

const bad = rows.filter((row) => row.ratio > row.limit)
if (bad.length > 0 || exchanges.connect > 3 || exchanges.resume > 1) process.exitCode = 1
