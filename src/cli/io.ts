import type { ReadStream, WriteStream } from 'node:tty'
import type { Clock } from '../clock.js'

/** What a command has of the world around it. */
export interface Io {
  readonly stdin: ReadStream
  readonly stdout: WriteStream
  readonly stderr: { write(text: string): unknown }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
}

/** How a command ends; documented in `lifeline --help`. */
export const exitCode = { good: 0, failed: 1, misused: 2 } as const
