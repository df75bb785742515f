/**
 * `npm run bench`: every figure measured side by side in this one run.
 *
 *     npm run bench -- [--short] [--only PATTERN] [--json FILE]
 *
 * `--short` is for CI: fewer rounds. `--only` takes a regular expression for names. Fails when a figure is over its limit.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { cells, type Figure, type Suite, verdictOn } from './figure.js'
import { calls } from './suites/calls.js'
import { connecting } from './suites/connecting.js'
import { recovering } from './suites/recovering.js'
import { storms } from './suites/storm.js'
import { weight } from './suites/weight.js'

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, only: { type: 'string' }, json: { type: 'string' } },
})
const only = new RegExp(values.only ?? '', 'i')
const suites: readonly Suite[] = [calls, connecting, recovering, weight, storms]

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version

const widths = [52, 11, 40, 6, 13, 16]
const line = (row: readonly string[]) => console.log(row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' '))

const begun = performance.now()
const load = loadavg()[0] ?? 0
const done: { title: string; figures: Figure[] }[] = []
line(['what', 'ours', 'compared with', 'ratio', 'middle half', 'promise', ''])
for (const suite of suites) {
  const tasks = suite.figures({ short: values.short }).filter(({ name }) => only.test(name))
  const figures: Figure[] = []
  for (const task of tasks) {
    const seen = await task.run()
    for (const figure of seen) line(cells(figure))
    figures.push(...seen)
  }
  if (figures.length > 0) done.push({ title: suite.title, figures })
}

const seconds = Math.round((performance.now() - begun) / 1_000)
console.log(`${seconds} s; load of the machine before: ${load.toFixed(1)}, after: ${(loadavg()[0] ?? 0).toFixed(1)}`)
if (values.json) {
  const packages = ['@modelcontextprotocol/sdk', 'xstate', 'undici', 'rxjs']
  const versions = Object.fromEntries(packages.map((name) => [name, versionOf(name)]))
  const report = {
    node: process.version,
    cpus: availableParallelism(),
    load: Number(load.toFixed(1)),
    short: values.short,
    seconds,
    versions,
    suites: done,
  }
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
}

const failed = done.flatMap(({ figures }) => figures).filter((figure) => verdictOn(figure) === 'FAILED')
if (failed.length > 0) {
  console.log(`over the limit: ${failed.map(({ name }) => name).join('; ')}`)
  process.exitCode = 1
}
// Sockets that the SDK's fetch keeps open hold the process for nobody.
process.exit()
