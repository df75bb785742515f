import type { Readable, Writable } from 'node:stream'
import crossSpawn from 'cross-spawn'

/** A child with all three pipes ours, as much of it as a wire looks at. */
export interface PipedChild {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  once(event: 'spawn', listener: () => void): unknown
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  unref(): void
}

export interface SpawnTarget {
  command: string
  args: string[]
  cwd: string | undefined
  env: Record<string, string>
}

/**
 * Starts a process at the head of a group of its own, so that a Ctrl+C in the terminal does not reach it (field report
 * 02.12) and the whole group can be ended later.
 *
 * The child is returned at once, in the same turn, so that the caller owns it before anything can happen to it.
 * Node throws some failures and emits others; both arrive through `failed`.
 */
export function spawnChild(target: SpawnTarget): { child: PipedChild } | { failed: Promise<Error> } {
  try {
    const child = crossSpawn(target.command, target.args, {
      cwd: target.cwd,
      env: target.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    if (isPiped(child)) return { child }
    return { failed: new Promise((resolve) => child.once('error', resolve)) }
  } catch (error) {
    return { failed: Promise.resolve(error instanceof Error ? error : new Error(String(error))) }
  }
}

function isPiped(child: ReturnType<typeof crossSpawn>): child is ReturnType<typeof crossSpawn> & PipedChild {
  return child.pid !== undefined && child.stdin !== null && child.stdout !== null && child.stderr !== null
}
