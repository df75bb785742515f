/** What every command that connects, does its work and ends has in common. */
import { Fleet } from './fleet.js'
import { exitCode, type Io } from './io.js'
import { listenForStop } from './stop.js'
import type { Words } from './words.js'

/** The work of a command; the signal aborts when it is asked to stop. Gives the exit code. */
export type Work = (fleet: Fleet, io: Io, signal: AbortSignal) => Promise<number>

/** @throws ConfigError when the configuration cannot be used */
export async function withFleet(words: Words, io: Io, work: Work): Promise<number> {
  const fleet = await Fleet.assemble(words, io)
  const stop = listenForStop(io.clock)
  io.stdout.on?.('error', stop.ask)
  const stopped = stop.asked.then(() => exitCode.interrupted)
  try {
    // What is asked to stop is not waited for: closing ends it.
    return await Promise.race([work(fleet, io, stop.signal), stopped])
  } finally {
    await fleet.close()
    stop.dispose()
  }
}

export const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
