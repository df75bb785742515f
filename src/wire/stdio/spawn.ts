import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import crossSpawn from 'cross-spawn'

/** A child with all three pipes ours. */
export type PipedChild = ChildProcessByStdio<Writable, Readable, Readable> & { readonly pid: number }

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

function isPiped(child: ReturnType<typeof crossSpawn>): child is PipedChild {
  return child.pid !== undefined && child.stdin !== null && child.stdout !== null && child.stderr !== null
}
