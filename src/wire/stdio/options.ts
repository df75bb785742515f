import { type Clock, systemClock } from '../../clock.js'

/** How to start a server as a child process, and how much to bear from it. */
export interface StdioWireOptions {
  /** Program to run; looked up in the PATH of the child's environment. Run without a shell. */
  command: string
  /** Arguments, passed on as they are. They never appear in evidence, as they may hold tokens. */
  args?: string[]
  /**
   * The server's own variables. They win over inherited ones; `undefined` takes an inherited one away. Values never
   * appear in evidence.
   */
  env?: Record<string, string | undefined>
  /**
   * Names of further variables to take over from this process. Without it only a short safe list is (see
   * `inheritedNames`), so that no secret of the host reaches a server that was not given it.
   */
  inheritEnv?: string[]
  /** Working directory of the server. Default: that of this process. One that is missing is told apart from a missing command. */
  cwd?: string
  /**
   * Largest message, in bytes, either way, and most bytes waiting for a server that does not read. Default 32 MiB.
   * A message over it fails its own request; the wire lives on.
   */
  maxMessageBytes?: number
  /** How much of the end of stderr goes into evidence, in bytes. Default 4 KiB. */
  stderrTailBytes?: number
  /**
   * How long `close()` waits for the server to end by itself once its stdin has ended, in milliseconds. Default 2,000.
   * Servers in containers often need this one: it is the only sign that gets through to them.
   */
  eofGraceMs?: number
  /**
   * How long `close()` waits after SIGTERM before it sends SIGKILL, in milliseconds. Default 2,000; not used on
   * Windows. `close()` takes at most both graces and half a second.
   */
  termGraceMs?: number
  /** Applied to every text of the server's that leaves the wire: stderr, and lines that were skipped. Default: unchanged. */
  redact?: (text: string) => string
  /**
   * Have a small helper process end the server's process group when this process is killed by SIGKILL and so cannot
   * do it itself. One helper serves all wires. POSIX only; no effect on Windows. Default `false`.
   */
  watchdog?: boolean
  /** Where time comes from. Default: the system's. */
  clock?: Clock
}

export const DEFAULT_GRACE_MS = 2_000

const DEFAULTS = {
  maxMessageBytes: 32 * 1024 * 1024,
  stderrTailBytes: 4 * 1024,
  eofGraceMs: DEFAULT_GRACE_MS,
  termGraceMs: DEFAULT_GRACE_MS,
}

/**
 * The options with every default filled in.
 *
 * @throws {RangeError} when a limit or a grace is no number of bytes or milliseconds
 */
export function withDefaults(options: StdioWireOptions) {
  const { clock = systemClock, args = [], redact = (text: string) => text, watchdog = false } = options
  const limits = { ...DEFAULTS }
  for (const name of ['maxMessageBytes', 'stderrTailBytes', 'eofGraceMs', 'termGraceMs'] as const) {
    const value = options[name]
    if (value === undefined) continue
    // A timer set beyond 2^31 fires at once; NaN would make a limit that nothing exceeds.
    if (!(value >= 0 && value < 2 ** 31)) throw new RangeError(`${name} must be a number from 0 to 2^31, not ${value}`)
    limits[name] = value
  }
  return { ...options, ...limits, clock, args, redact, watchdog }
}
