/**
 * `npm run reliability -- [--only lab,soak] [--minutes N] [--seeds N]`: runs what is told of in
 * docs/reliability.md and writes the figures into docs/data, from which `npm run docs` makes the page. What fails leaves
 * its figures as they were.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { figures, situations } from './figures.js'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    seeds: { type: 'string', default: '10000' },
  },
})

interface Step {
  /** As a reader would run it. */
  readonly command: string
  /** What is kept of it, from what it printed. */
  readonly keep: (printed: string) => object
}

const steps: Readonly<Record<string, Step>> = {
  lab: { command: 'npm run lab', keep: () => ({ situations: situations(readFileSync('.cache/lab.jsonl', 'utf8')) }) },
  soak: {
    command: `npm run soak -- --minutes ${values.minutes}`,
    keep: () => JSON.parse(readFileSync('.cache/soak.json', 'utf8')),
  },
  simulation: {
    command: `npm run simulate -- --seeds ${values.seeds}`,
    keep: (printed) => ({ figures: figures(printed) }),
  },
  mutants: { command: 'npm run mutants', keep: (printed) => ({ figures: figures(printed) }) },
}

const wanted = values.only?.split(',') ?? Object.keys(steps)
const unknown = wanted.filter((name) => !(name in steps))
if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')}, only ${Object.keys(steps).join(', ')}`)
mkdirSync('docs/data', { recursive: true })
for (const name of wanted) {
  const { command, keep } = steps[name] as Step
  // The lab adds to what is there, and only this run counts.
  if (name === 'lab') rmSync('.cache/lab.jsonl', { force: true })
  const { code, printed } = await run(command)
  if (code !== 0) {
    console.log(`✗ ${command} failed (${code}): docs/data/${name}.json is as it was`)
    process.exitCode = 1
    continue
  }
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync(`docs/data/${name}.json`, `${JSON.stringify({ command, date, ...keep(printed) }, null, 2)}\n`)
  console.log(`✓ docs/data/${name}.json`)
}
if ((await run('npm run docs')).code !== 0) process.exitCode = 1

/** Shows what it prints, and gives it back. */
async function run(command: string): Promise<{ code: number | null; printed: string }> {
  const [program = '', ...args] = command.split(' ')
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    process.stdout.write(text)
  })
  const [code] = await once(child, 'close')
  return { code, printed }
}
