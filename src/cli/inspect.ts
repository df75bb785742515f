/** `lifeline inspect`: keeps every server connected, and shows how that goes on a page of this machine, until it is stopped. */
import { startInspector } from '../inspect/index.js'
import { Fleet } from './fleet.js'
import { exitCode, type Io } from './io.js'
import { listenForStop } from './stop.js'
import { count } from './text.js'
import type { Words } from './words.js'

/** @throws ConfigError when the file cannot be used, or the port cannot be had */
export async function inspect(words: Words, io: Io): Promise<number> {
  const { port = 0, json } = words
  await using inspector = await startInspector({ port, clock: io.clock })
  const fleet = await Fleet.assemble({ ...words, watch: true, inspect: inspector.inspect }, io)
  const stop = listenForStop(io.clock)
  // Whoever read the output is gone.
  io.stdout.on('error', stop.ask)
  try {
    const { url } = inspector
    io.stdout.write(
      json
        ? `${JSON.stringify({ event: 'listening', url })}\n`
        : `${count(fleet.hub.servers.length, 'connection')}, shown at\n\n  ${url}\n\nWhoever has this address can stop connections. Ctrl-C ends it.\n`,
    )
    void fleet.start()
    await stop.asked
    return (await fleet.close()) ? exitCode.good : exitCode.failed
  } finally {
    stop.dispose()
  }
}
