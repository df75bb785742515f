/** `lifeline demo`: breaks every connection of a config file, and proves that each comes back. */
import { ConfigError } from '../../errors.js'
import { readServers, type ServerEntry } from '../example-config.js'
import { assemble, dismiss } from '../fleet.js'
import { exitCode, type Io } from '../io.js'
import { observe } from '../observe.js'
import { listenForStop } from '../stop.js'
import { piece } from '../style.js'
import { column, duration, printable } from '../text.js'
import { type Facts, problemsOf, summaryOf } from './facts.js'
import { Play } from './play.js'
import { Remains } from './remains.js'
import { Timeline } from './timeline.js'

const BOUND_MS = 45_000
const LABEL_COLUMNS = 20

/** @throws ConfigError when the file cannot be used, or names nothing to break */
export async function demo(file: string, io: Io): Promise<number> {
  const { clock } = io
  const entries = breakable(await readServers(file), file)
  const stop = listenForStop(clock)
  io.stdout.on('error', stop.ask)
  const remains = new Remains(clock)
  const names = entries.map(({ name }) => printable(name))
  const timeline = new Timeline(io, names)
  const members = await assemble(entries, clock)
  const watched = members.map(({ connection, entry }) =>
    observe(connection, entry.target, clock, (after, before) => timeline.changed(after, before)),
  )
  const play = new Play(members, remains, timeline, clock)
  const bound = clock.setTimeout(stop.ask, BOUND_MS)
  const interruption = await Promise.race([
    play.run().then(() => undefined, reasonOf),
    stop.asked.then(() => `It was stopped after ${duration(timeline.elapsedMs)}, before its end.`),
  ])
  clock.clearTimeout(bound)
  const tookMs = timeline.elapsedMs
  const closedInTime = await dismiss(members, clock)
  for (const each of watched) each.stop()
  const left = await remains.look()
  stop.dispose()
  const facts = { ...play.facts, closedInTime, processesLeft: left.processes, resourcesLeft: left.resources }
  return conclude(timeline, facts, interruption, tookMs)
}

/** Servers whose process is ours: those can be killed. */
function breakable(entries: readonly ServerEntry[], file: string): ServerEntry[] {
  const ours = entries.filter(({ target, serve }) => serve || 'command' in target)
  if (ours.length > 0) return ours
  throw new ConfigError(`${file}: the demo kills servers, so it needs some with a command, or with serve beside a url.`)
}

const reasonOf = (error: unknown): string => `It broke off: ${error instanceof Error ? error.message : String(error)}.`

function conclude(timeline: Timeline, facts: Facts, interruption: string | undefined, tookMs: number): number {
  const problems = [...(interruption ? [interruption] : []), ...problemsOf(facts)]
  timeline.say([])
  for (const [label, text] of summaryOf(facts, tookMs)) {
    timeline.say([piece(column(printable(label), LABEL_COLUMNS), 'strong'), piece(text)])
  }
  timeline.say([])
  if (problems.length === 0) {
    timeline.say([piece('Every connection came back, every list was read again, every call settled.', 'good')])
    return exitCode.good
  }
  for (const problem of problems) timeline.say([piece(printable(problem), 'bad')])
  return exitCode.failed
}
