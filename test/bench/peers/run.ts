/**
 * The same work through every peer, each task in a process of its own, one after the other, the order rotated from
 * round to round: `node run.ts [--rounds N] [--json FILE] [--only TASK]`.
 */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { peers } from './peers.ts'

type Seen = Readonly<Record<string, number | string | null>>

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, json: { type: 'string' }, only: { type: 'string' } },
})
const rounds = Number(values.rounds)
const names = Object.keys(peers)
const timed = ['connect20', 'callsStdio', 'callsHttp', 'killStdio', 'killHttp']
const counted = ['outage', 'vanishStdio', 'vanishHttp']
const tasks = [...timed, ...counted].filter((task) => !values.only || task === values.only)

function once(peer: string, task: string): Promise<Seen> {
  return new Promise((resolve) => {
    const args = [join(import.meta.dirname, 'task.ts'), peer, task]
    execFile(process.execPath, args, { timeout: 180_000, maxBuffer: 1e8 }, (_, stdout) => {
      const line = stdout.split('\n').findLast((one) => one.startsWith('#{'))
      resolve(line ? JSON.parse(line.slice(1)) : { error: 'no result' })
    })
  })
}

const seen: Record<string, Record<string, Seen[]>> = {}
for (const task of tasks) {
  // What is counted, and not timed, is the same each time.
  for (let round = 0; round < (timed.includes(task) ? rounds : 1); round++) {
    for (let i = 0; i < names.length; i++) {
      const peer = names[(i + round) % names.length] ?? ''
      const result = await once(peer, task)
      seen[task] ??= {}
      seen[task][peer] ??= []
      seen[task][peer].push(result)
      console.error(`${task} ${round + 1}/${rounds} ${peer} ${JSON.stringify(result)}`)
    }
  }
}

const report = {
  node: process.version,
  cpus: cpus().length,
  rounds,
  versions: Object.fromEntries(names.map((name) => [name, peers[name]?.version])),
  seen,
}
if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)

/** The median; `null`, never, counts as the longest. */
function median(task: string, peer: string, field: string): number | null | undefined {
  const found = (seen[task]?.[peer] ?? []).map((one) => one[field]).filter((one) => one !== undefined)
  const sorted = found.map((one) => (typeof one === 'number' ? one : Number.POSITIVE_INFINITY)).sort((a, b) => a - b)
  const middle = sorted[Math.floor(sorted.length / 2)]
  return middle === Number.POSITIVE_INFINITY ? null : middle
}

const total = (task: string, peer: string, field: string) =>
  (seen[task]?.[peer] ?? []).reduce((sum, one) => sum + Number(one[field] ?? 0), 0)
const ms = (value: number | null | undefined) =>
  value === undefined ? '–' : value === null ? 'never' : `${value.toFixed(0)} ms`
const both = (peer: string, field: string) => total('vanishStdio', peer, field) + total('vanishHttp', peer, field)

console.table(
  Object.fromEntries(
    names.map((peer) => [
      `${peer} ${peers[peer]?.version}`,
      {
        'connect 20': ms(median('connect20', peer, 'ms')),
        '1,000 calls, stdio': ms(median('callsStdio', peer, 'ms')),
        HTTP: ms(median('callsHttp', peer, 'ms')),
        'SIGKILL, stdio': ms(median('killStdio', peer, 'usableMs')),
        'restart, HTTP': ms(median('killHttp', peer, 'usableMs')),
        'dials in 10 s outage': total('outage', peer, 'attempts'),
        'of 10 calls answered': total('outage', peer, 'answered'),
        doubled: both(peer, 'doubled'),
        hung: both(peer, 'hung'),
      },
    ]),
  ),
)
