/** `lifeline demo`: breaks every connection of a config file, and proves that each comes back. */
import { ConfigError } from '../../errors.js'
import { Fleet } from '../fleet.js'
import { exitCode, type Io } from '../io.js'
import { observe } from '../observe.js'
import { asJson } from '../run.js'
import { listenForStop } from '../stop.js'
import { piece } from '../style.js'
import { column, duration, printable } from '../text.js'
import type { Words } from '../words.js'
import { type Facts, problemsOf, summaryOf } from './facts.js'
import { type Member, Play } from './play.js'
import { Remains } from './remains.js'
import { Timeline } from './timeline.js'

const BOUND_MS = 45_000
const LABEL_COLUMNS = 20

/** @throws ConfigError when the file cannot be used, or names nothing to break */
export async function demo({ config, json }: Words, world: Io): Promise<number> {
  // What a person reads goes where it is in no program's way.
  const io: Io = json ? Object.create(world, { stdout: { value: world.stderr } }) : world
  const { clock } = io
  const remains = new Remains(clock)
  const fleet = await Fleet.assemble({ config }, io)
  const members = breakable(fleet)
  const stop = listenForStop(clock)
  io.stdout.on('error', stop.ask)
  const timeline = new Timeline(
    io,
    members.map(({ connection }) => printable(connection.name)),
  )
  const watched = members.map(({ connection }) =>
    observe(connection, '', clock, (after, before) => timeline.changed(after, before)),
  )
  const play = new Play(members, remains, timeline, clock)
  const bound = clock.setTimeout(stop.ask, BOUND_MS)
  const interruption = await Promise.race([
    play.run().then(() => undefined, reasonOf),
    stop.asked.then(() => `It was stopped after ${duration(timeline.elapsedMs)}, before its end.`),
  ])
  clock.clearTimeout(bound)
  const tookMs = timeline.elapsedMs
  const closedInTime = await fleet.close()
  for (const each of watched) each.stop()
  const left = await remains.look()
  stop.dispose()
  const facts = { ...play.facts, closedInTime, processesLeft: left.processes, resourcesLeft: left.resources }
  const problems = [...(interruption ? [interruption] : []), ...problemsOf(facts)]
  if (json) world.stdout.write(asJson({ isGood: problems.length === 0, problems, tookMs, ...facts }))
  return conclude(timeline, facts, problems, tookMs)
}

/** Servers whose process is ours: those can be killed. */
function breakable({ hub, locals, file }: Fleet): Member[] {
  const ours = [...hub.connections].flatMap(([name, connection]) => {
    const server = locals.get(name)
    const isOurs = server || connection.actor.getSnapshot().context.wire === 'stdio'
    return isOurs ? [{ connection, server }] : []
  })
  if (ours.length > 0) return ours
  throw new ConfigError(`${file}: the demo kills servers, so it needs some with a command, or with serve beside a url.`)
}

const reasonOf = (error: unknown): string => `It broke off: ${error instanceof Error ? error.message : String(error)}.`

function conclude(timeline: Timeline, facts: Facts, problems: readonly string[], tookMs: number): number {
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
