/** Calls at a steady pace through one connection while something is done to the server, and what became of each. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, createConnection, type PolicyOptions, type Target } from '../../src/index.js'
import type { Site } from './rig.js'

const results = join(import.meta.dirname, '../../.cache/lab.jsonl')

export interface Tally {
  readonly calls: number
  readonly answered: number
  /** Rejected: the caller was told, and knows whether it may have run. */
  readonly told: number
  /** Neither answered nor rejected by the deadline; or answered, and never ran. */
  readonly lost: number
  /** Ran more than once. */
  readonly doubled: number
  /** From the end of the trouble until a call was answered, in milliseconds. */
  readonly recoveredMs: number
  readonly incidents: number
}

export interface Plan {
  readonly target: Target
  readonly policy?: PolicyOptions
  /** A call is begun every so many milliseconds. Default 50. */
  readonly everyMs?: number
  /** Time for each call. Default 15 s. */
  readonly callMs?: number
  /** How long one call takes on the server. Default: no time. */
  readonly takesMs?: number
}

/** Loads the connection while `trouble` lasts and until a call is answered after it; prints one line of figures. */
export async function underLoad(
  site: Site,
  situation: string,
  plan: Plan,
  trouble: (connection: Connection) => Promise<void>,
): Promise<Tally> {
  const { target, policy, everyMs = 50, callMs = 15_000, takesMs } = plan
  await using connection = createConnection({ name: 'lab', target, policy })
  let incidents = 0
  connection.incidents$.subscribe(() => incidents++)
  await connection.connect()

  const outcomes = new Map<string, 'answered' | 'told' | 'lost'>()
  const calls: Promise<void>[] = []
  let troubled = true
  let troubleEnded = 0
  let recoveredMs = Number.NaN
  const begin = (): void => {
    const id = `call-${calls.length}`
    const began = performance.now()
    outcomes.set(id, 'lost')
    const settle = (outcome: 'answered' | 'told') => {
      const now = performance.now()
      // A call that settles long after its deadline is as good as hung.
      if (now - began < callMs + 2_000) outcomes.set(id, outcome)
      if (outcome === 'answered' && !troubled && Number.isNaN(recoveredMs)) recoveredMs = now - troubleEnded
    }
    const params = { name: 'work', arguments: { id, takesMs } }
    calls.push(
      connection.callTool(params, { timeoutMs: callMs }).then(
        () => settle('answered'),
        () => settle('told'),
      ),
    )
  }

  const done = trouble(connection).then(() => {
    troubled = false
    troubleEnded = performance.now()
  })
  while (troubled || (Number.isNaN(recoveredMs) && performance.now() - troubleEnded < 60_000)) {
    begin()
    await pause(everyMs)
  }
  await done
  await Promise.race([Promise.all(calls), pause(callMs + 3_000)])

  if (Number.isNaN(recoveredMs)) throw new Error(`${situation}: no call was answered within 60 s of its end`)

  const runs = site.runs()
  const count = (wanted: string) => [...outcomes.values()].filter((outcome) => outcome === wanted).length
  const ran = (id: string) => runs.filter((run) => run === id).length
  const tally = {
    calls: calls.length,
    answered: count('answered'),
    told: count('told'),
    lost: count('lost') + [...outcomes].filter(([id, outcome]) => outcome === 'answered' && ran(id) === 0).length,
    doubled: [...outcomes.keys()].filter((id) => ran(id) > 1).length,
    recoveredMs: Math.round(recoveredMs),
    incidents,
  }
  note(situation, tally)
  return tally
}

/** Adds what was seen to the results, and prints it. */
export function note(situation: string, seen: Readonly<Record<string, number>> | Tally): void {
  mkdirSync(join(results, '..'), { recursive: true })
  appendFileSync(results, `${JSON.stringify({ situation, ...seen })}\n`)
  console.log(`${situation}: ${JSON.stringify(seen)}`)
}
