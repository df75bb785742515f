/**
 * `npm run bench`: every figure measured side by side in this one run.
 *
 *     npm run bench -- [--short] [--only PATTERN] [--json FILE]
 *
 * `--short` is for CI: fewer rounds, and what is over its limit is measured anew, twice at most: a regression is there
 * each time, noise is not. `--only` takes a regular expression for names. Fails when a figure is over its limit.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { cells, type Figure, type Report, type Suite, type Task, verdictOn } from './figure.js'
import { calls } from './suites/calls.js'
import { connecting } from './suites/connecting.js'
import { recovering } from './suites/recovering.js'
import { storms } from './suites/storm.js'
import { weight } from './suites/weight.js'

// A connection hands the certificates of its surroundings on to its servers, the SDK's transport does not, and Node takes
// 15 ms to read them: here no child is to have them, so that starts are compared and not certificates.
delete process.env.NODE_EXTRA_CA_CERTS

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
const seconds = () => Math.round((performance.now() - begun) / 1_000)
const load = Number((loadavg()[0] ?? 0).toFixed(1))
const broken: string[] = []
/** What there is by now: a run that is stopped leaves what it has measured. */
function keep(): void {
  if (!values.json) return
  const packages = ['@modelcontextprotocol/sdk', 'xstate', 'undici', 'rxjs']
  const report: Report = {
    node: process.version,
    cpus: availableParallelism(),
    load,
    short: values.short,
    seconds: seconds(),
    versions: Object.fromEntries(packages.map((name) => [name, versionOf(name)])),
    suites: done.filter(({ figures }) => figures.length > 0),
  }
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
}

/** The figures of a task; in a short run those of its last try. */
async function measured(task: Task): Promise<readonly Figure[]> {
  for (let left = values.short ? 2 : 0; ; left--) {
    const seen = await task.run()
    for (const figure of seen) line(cells(figure))
    if (left === 0 || !seen.some((figure) => verdictOn(figure) === 'FAILED')) return seen
  }
}

const done: { title: string; figures: Figure[] }[] = []
line(['what', 'ours', 'compared with', 'ratio', 'middle half', 'promise', ''])
for (const suite of suites) {
  const tasks = suite.figures({ short: values.short }).filter(({ name }) => only.test(name))
  const figures: Figure[] = []
  done.push({ title: suite.title, figures })
  for (const task of tasks) {
    try {
      const seen = await measured(task)
      figures.push(...seen)
      keep()
    } catch (error) {
      // One that breaks must not cost all the others.
      console.error(`${task.name} broke:`, error)
      broken.push(task.name)
    }
  }
}

keep()
console.log(`${seconds()} s; load of the machine before: ${load}, after: ${(loadavg()[0] ?? 0).toFixed(1)}`)

const figures = done.flatMap((suite) => suite.figures)
const failed = figures.filter((figure) => verdictOn(figure) === 'FAILED').map(({ name }) => name)
if (failed.length > 0) console.log(`over the limit: ${failed.join('; ')}`)
if (broken.length > 0) console.log(`broken: ${broken.join('; ')}`)
if (figures.length === 0) console.log('nothing was measured')
process.exitCode = failed.length + broken.length > 0 || figures.length === 0 ? 1 : 0
// Sockets that the SDK's fetch keeps open hold the process for nobody.
process.exit()
