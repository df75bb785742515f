/** `lifeline watch`: keeps every server of a config file connected and shows how that goes, until it is stopped. */
import { explanationText } from '../../index.js'
import { Fleet } from '../fleet.js'
import { exitCode, type Io } from '../io.js'
import { Roster } from '../roster.js'
import { listenForStop, type StopRequest } from '../stop.js'
import { count, duration, printable } from '../text.js'
import type { Words } from '../words.js'
import { type Display, displayFor } from './displays.js'

/** @throws ConfigError when the file cannot be used */
export async function watch(words: Words, io: Io): Promise<number> {
  const fleet = await Fleet.assemble({ ...words, watch: true }, io)
  const stop = listenForStop(io.clock)
  // Whoever read the output is gone, as after `lifeline watch … | head`.
  io.stdout.on('error', stop.ask)
  try {
    return await show(fleet, words, io, stop)
  } finally {
    stop.dispose()
  }
}

async function show(fleet: Fleet, { json }: Words, io: Io, stop: StopRequest): Promise<number> {
  const { clock } = io
  const { hub } = fleet
  const connectionOf = (name: string) => [...hub.connections.values()].find((one) => printable(one.name) === name)
  let display: Display | undefined
  const roster = new Roster(
    hub,
    clock,
    (after, before) => display?.changed(after, before),
    (name) => fleet.loginCommand(name),
  )
  display = displayFor(
    io,
    {
      names: () => hub.servers.map(({ name }) => printable(name)),
      views: () => roster.views,
      explain: (name) => {
        const explanation = connectionOf(name)?.explain()
        if (!explanation) return []
        // A screen is small, and what is wrong comes first.
        return explanationText(explanation, { brief: explanation.cause !== undefined })
          .trimEnd()
          .split('\n')
      },
      json,
    },
    {
      stop: stop.ask,
      retry: () => {
        for (const connection of hub.connections.values()) connection.retry()
      },
      restart: (name) =>
        void connectionOf(name)
          ?.reconnect()
          .catch(() => {}),
    },
  )
  fleet.onNote = (name, text) => display?.note(printable(name), text)
  const config = hub.config$.subscribe((news) => {
    if (news.type === 'trouble') display?.note('', `${printable(news.error.message)} What it said before still holds.`)
    else if (news.type === 'back') display?.note('', `${fleet.file} can be used again.`)
    else {
      display?.note('', `${fleet.file} changed${said(news.applied)}.`)
      for (const warning of news.applied.warnings) display?.note('', printable(warning))
    }
  })
  const shown = count(hub.servers.length, 'connection')
  void fleet.start()
  await stop.asked
  display.closing()
  const startedAt = clock.now()
  const inTime = await fleet.close()
  const took = duration(clock.now() - startedAt)
  roster.stop()
  config.unsubscribe()
  display.end(`${inTime ? 'Closed' : 'Could not close'} ${shown} in ${took}.`)
  return inTime ? exitCode.good : exitCode.failed
}

function said(applied: { added: readonly string[]; removed: readonly string[]; changed: readonly string[] }): string {
  const parts = (['added', 'removed', 'changed'] as const).flatMap((what) =>
    applied[what].length > 0 ? [`${what} ${applied[what].map(printable).join(', ')}`] : [],
  )
  return parts.length > 0 ? `: ${parts.join('; ')}` : ', but no server did'
}
