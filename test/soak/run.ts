/**
 * `npm run soak -- [--minutes N] [--seed N] [--connections N]`: connections of every kind in one process, used all the
 * time, while servers and the application do them harm. In rounds: after each, everything is closed, and the process has
 * to hold what it held before the first. A run of ten minutes is the default.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Chance } from './chance.js'
import { Crowd } from './crowd.js'
import { drift, heapMiB, holdings, settled } from './measure.js'
import type { Calls } from './tally.js'

/** Heap that a later round may hold above the first: what is compiled, cached and counted grows a little by itself. */
const HEAP_GROWTH_MIB = 3

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    connections: { type: 'string', default: '200' },
  },
})
const minutes = Number(values.minutes)
const rounds = Math.max(3, Math.round(minutes))
const connections = Number(values.connections)
const stdio = Math.ceil(connections / 10)
const http = Math.ceil(connections / 3)
const size = { stdio, http, memory: connections - stdio - http }

const troubles: string[] = []
process.on('warning', (warning) => troubles.push(`warning: ${warning.name}: ${warning.message}`))
process.on('unhandledRejection', (reason) => troubles.push(`unhandled rejection: ${String(reason)}`))

const chance = new Chance(Number(values.seed))
const calls = { made: 0, answered: 0, told: 0, late: 0, open: 0, unrun: 0, lost: 0, doubled: 0 }
const harms = new Map<string, number>()
const heaps: number[] = []
let made = 0
let stalledMs = 0

// What is made once and kept is made before the first look: code, pools, the first of each kind.
await round('warm-up', 5_000)
const before = await holdings()
console.log(`before: ${JSON.stringify(before)}`)
for (let i = 1; i <= rounds; i++) await round(`round ${i}`, (minutes * 60_000) / rounds)

const growth = (heaps.at(-1) ?? 0) - (heaps[1] ?? 0)
if (growth > HEAP_GROWTH_MIB)
  troubles.push(`heap: ${growth.toFixed(1)} MiB more after the last round than after the first`)
if (calls.lost > 0) troubles.push(`${calls.lost} calls were lost`)
if (calls.doubled > 0) troubles.push(`${calls.doubled} calls ran twice`)

const result = {
  minutes,
  seed: Number(values.seed),
  rounds,
  connections,
  connectionsMade: made,
  harms: [...harms.values()].reduce((a, b) => a + b, 0),
  kindsOfHarm: harms.size,
  calls,
  stalledMs: Math.round(stalledMs),
  heapGrowthMiB: Number(growth.toFixed(2)),
  troubles,
}
mkdirSync('.cache', { recursive: true })
writeFileSync('.cache/soak.json', `${JSON.stringify(result, null, 2)}\n`)
for (const [what, times] of [...harms].sort()) console.log(`${String(times).padStart(6)}  ${what}`)
console.log(JSON.stringify(result, null, 2))
process.exitCode = troubles.length === 0 ? 0 : 1

async function round(name: string, ms: number): Promise<void> {
  const { tally, alive, open } = await lifeOfACrowd(name, ms)
  const isWarmUp = name === 'warm-up'
  const now = isWarmUp ? await holdings() : await settled(before)
  heaps.push(now.heapMiB)
  // The last timers of a close, and what is collected late, have their time too.
  const end = performance.now() + 15_000
  while (alive() > 0 && performance.now() < end) await heapMiB()
  if (alive() > 0) troubles.push(`${name}: ${alive()} connections that were closed are still in memory`)
  if (!isWarmUp) troubles.push(...drift(before, now).map((line) => `${name}: ${line}`))
  for (const key of Object.keys(calls) as (keyof Calls)[]) calls[key] += tally[key]
  console.log(
    `${name}: ${JSON.stringify(tally)}, heap ${open.toFixed(1)} MiB open, ${now.heapMiB.toFixed(1)} MiB closed`,
  )
}

/** Apart, so that nothing of the crowd is held by a frame that still runs. */
async function lifeOfACrowd(name: string, ms: number): Promise<{ tally: Calls; alive: () => number; open: number }> {
  const crowd = await Crowd.gather(chance, name, size)
  await crowd.suffer(ms)
  const open = await heapMiB()
  troubles.push(...(await crowd.recover()).map((line) => `${name}: not back: ${line}`))
  const tally = await crowd.disperse()
  for (const [what, times] of crowd.harms) harms.set(what, (harms.get(what) ?? 0) + times)
  const refs = crowd.made
  made += refs.length
  stalledMs += crowd.stalledMs
  return { tally, alive: () => refs.filter((ref) => ref.deref() !== undefined).length, open }
}
