import type { ReadStream, WriteStream } from 'node:tty'
import type { Clock } from '../clock.js'

/** What a command has of the world around it. */
export interface Io {
  readonly stdin: ReadStream
  readonly stdout: WriteStream
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
}

/** How a command ends; documented in `lifeline --help`. */
export const exitCode = {
  good: 0,
  failed: 1,
  misused: 2,
  toolFailed: 3,
  late: 4,
  unknown: 5,
  interrupted: 130,
} as const
