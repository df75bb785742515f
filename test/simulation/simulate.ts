/** `npm run simulate -- --seeds N [--from FIRST | --from fresh] [--seed S] [--keep 1,4,7] [--trace]` */
import { parseArgs } from 'node:util'
import { onlySteps, runSchedule, seedSchedule, simulate, summarizeCampaign } from '../../src/testing/simulator/index.js'

const command = 'npm run simulate --'
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    keep: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
})

const isMany = values.seed === undefined
process.exitCode = (await (isMany ? many(Number(values.seeds)) : one(Number(values.seed)))) ? 0 : 1

/** Many seeds from the first on, until one fails. */
async function many(seeds: number): Promise<boolean> {
  const began = performance.now()
  // Fresh ones differ with every run; what fails is replayed by its seed.
  const from = values.from === 'fresh' ? 1_000_000 + Math.floor(Math.random() * 1e9) : Number(values.from)
  console.log(`seeds ${from} to ${from + seeds - 1}`)
  const report = await simulate({
    seeds,
    from,
    onSeed: (seed) => {
      if (seed % 1_000 === 0 && seed < seeds) console.log(`${seed} of ${seeds}`)
    },
  })
  console.log(summarizeCampaign(report, command))
  console.log(`a second            ${((1_000 * report.seeds) / (performance.now() - began)).toFixed(0)} schedules`)
  return report.failures.length === 0 && report.lost === 0 && report.doubled === 0
}

/** One seed, or what is kept of it; with `--trace`, everything that happens. */
async function one(seed: number): Promise<boolean> {
  const schedule = seedSchedule(seed)
  const places = values.keep === undefined ? undefined : values.keep.split(',').filter((place) => /^\d+$/.test(place))
  const {
    breaches,
    trace = [],
    hash,
  } = await runSchedule(places ? onlySteps(schedule, places.map(Number)) : schedule, { trace: values.trace })
  for (const line of trace) console.log(line)
  for (const { invariant, message, atMs } of breaches) console.log(`broken at ${atMs} ms: ${invariant}\n  ${message}`)
  console.log(`seed ${seed}: ${breaches.length} broken, hash ${hash}`)
  return breaches.length === 0
}
