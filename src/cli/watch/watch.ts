/** `lifeline watch`: keeps every server of a config file connected and shows how that goes, until it is stopped. */
import type { Clock } from '../../clock.js'
import { readServers } from '../example-config.js'
import { assemble, dismiss, type Member } from '../fleet.js'
import { exitCode, type Io } from '../io.js'
import { type Observed, observe } from '../observe.js'
import { listenForStop, type StopRequest } from '../stop.js'
import { count, duration, printable } from '../text.js'
import type { View } from '../view.js'
import { type Display, displayFor } from './displays.js'

/** A local server that ended is started again after this time: long enough to see what its connection does meanwhile. */
const REVIVE_MS = 3_000

/** @throws ConfigError when the file cannot be used */
export async function watch(file: string, io: Io): Promise<number> {
  const members = await assemble(await readServers(file), io.clock)
  const stop = listenForStop(io.clock)
  // Whoever read the output is gone, as after `lifeline watch … | head`.
  io.stdout.on('error', stop.ask)
  try {
    return await show(members, io, stop)
  } finally {
    stop.dispose()
  }
}

async function show(members: readonly Member[], io: Io, stop: StopRequest): Promise<number> {
  const { clock } = io
  const observed: Observed[] = []
  const display = displayFor(
    io,
    {
      names: members.map(({ connection }) => printable(connection.name)),
      views: () => observed.map(({ view }) => view),
    },
    {
      stop: stop.ask,
      retry: () => {
        for (const { connection } of members) connection.retry()
      },
    },
  )
  const changed = (after: View, before: View) => display.changed(after, before)
  for (const { connection, entry } of members) observed.push(observe(connection, entry.target, clock, changed))
  for (const member of members) void begin(member, display, clock, stop.signal)
  await stop.asked
  display.closing()
  const startedAt = clock.now()
  const inTime = await dismiss(members, clock)
  const took = duration(clock.now() - startedAt)
  for (const each of observed) each.stop()
  display.end(`${inTime ? 'Closed' : 'Could not close'} ${count(members.length, 'connection')} in ${took}.`)
  return inTime ? exitCode.good : exitCode.failed
}

async function begin({ connection, server }: Member, display: Display, clock: Clock, stopped: AbortSignal) {
  if (server) await serve(printable(connection.name), server, display, clock, stopped)
  // What becomes of it is seen in its state.
  if (!stopped.aborted) connection.connect().catch(() => {})
}

/** Keeps a local server running: whoever kills it wants to see the connection come back. */
async function serve(
  name: string,
  server: NonNullable<Member['server']>,
  display: Display,
  clock: Clock,
  stopped: AbortSignal,
): Promise<void> {
  const again = (how: string) => {
    display.note(name, `its local server ${how}; started again in ${duration(REVIVE_MS)}`)
    const timer = clock.setTimeout(() => void start(), REVIVE_MS)
    stopped.addEventListener('abort', () => clock.clearTimeout(timer), { once: true })
  }
  const start = async () => {
    try {
      await server.start()
      if (!stopped.aborted) display.note(name, `its local server runs, process ${server.pid}`)
    } catch (error) {
      if (!stopped.aborted) again(error instanceof Error ? error.message : String(error))
    }
  }
  server.onLoss = again
  await start()
}
