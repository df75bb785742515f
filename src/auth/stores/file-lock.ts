import fs from 'node:fs'
import { rmdir, stat } from 'node:fs/promises'
import type { Clock, Random } from '../../clock.js'
import { TokenStoreError } from '../../errors.js'
import { storeError } from './store-error.js'

export interface FileLockOptions {
  /** A lock whose holder gives no sign of life for this long, in milliseconds, is free again. At least 2,000. */
  readonly staleMs: number
  /** How long to wait for a lock whose holder lives, in milliseconds. */
  readonly waitMs: number
  readonly clock: Clock
  readonly random: Random
  /** The lock was lost while the work went on. */
  readonly onLost: (cause: unknown) => void
}

/** Between two looks at a lock that somebody else holds, in milliseconds, plus as much again by chance. */
const LOOK_MS = 30

/**
 * Runs `work` while no other process runs under the lock `<path>.lock`, a folder that `proper-lockfile` makes and touches
 * every half of `staleMs`. When a lock is dead is decided here, by two rules of our own:
 *
 * - Dead is a lock that did not change while we watched it for `staleMs`, not one that looks old. After the sleep of a
 *   machine every lock looks old, and its holder is about to go on.
 * - Only one process at a time may clear a dead lock away. Otherwise the second to find it dead could take away the lock
 *   that the first has just made.
 *
 * @throws TokenStoreError `locked` after `waitMs`, counted while another holds it
 */
export async function withFileLock<T>(path: string, options: FileLockOptions, work: () => Promise<T>): Promise<T> {
  const release = await acquire(path, options)
  try {
    return await work()
  } finally {
    // It is not ours any more when it was lost, which has been told.
    await release().catch(() => {})
  }
}

async function acquire(path: string, options: FileLockOptions): Promise<() => Promise<void>> {
  let seen: number | undefined
  let watchedMs = 0
  let waitedMs = 0
  for (;;) {
    const release = await tryLock(path, options)
    if (release) return release
    const touched = await touchedAt(path)
    if (touched !== seen) watchedMs = 0
    seen = touched
    if (touched !== undefined && watchedMs >= options.staleMs) {
      await clearAway(path, touched)
      watchedMs = 0
      continue
    }
    if (waitedMs >= options.waitMs) {
      throw new TokenStoreError(
        'locked',
        `Token store: another process has held ${path}.lock for more than ${options.waitMs} ms. It is alive: see what it waits for.`,
      )
    }
    // What was planned is counted, not what the clock says: a sleep of the machine is no silence of the holder.
    const pause = LOOK_MS * (1 + options.random())
    await new Promise<void>((resolve) => options.clock.setTimeout(resolve, pause))
    watchedMs += pause
    waitedMs += pause
  }
}

async function tryLock(path: string, options: FileLockOptions): Promise<(() => Promise<void>) | undefined> {
  // Loaded with the first lock: it listens to signals of the process, to take its locks away at the end.
  const { default: lockfile } = await import('proper-lockfile')
  try {
    return await lockfile.lock(path, {
      realpath: false,
      // Never judged stale by its age; see above.
      stale: Number.POSITIVE_INFINITY,
      update: options.staleMs / 2,
      onCompromised: options.onLost,
      fs: ownLockOnly(),
    })
  } catch (error) {
    if (isCode(error, 'ELOCKED')) return undefined
    throw storeError('cannot lock', path, error)
  }
}

/**
 * A file system that takes away a lock only if it is still the one we touched last. A process that slept through its
 * own lock would else end the lock of whoever has taken it since.
 */
function ownLockOnly() {
  let mine: number | undefined
  const utimes = (path: fs.PathLike, atime: Date, mtime: Date, done: fs.NoParamCallback) => {
    mine = mtime.getTime()
    fs.utimes(path, atime, mtime, done)
  }
  const remove = (path: fs.PathLike, done: fs.NoParamCallback) => {
    fs.stat(path, (error, found) => {
      if (error) done(error)
      // Some file systems keep seconds only; another's lock is younger by `staleMs` at least.
      else if (mine !== undefined && Math.abs(found.mtimeMs - mine) >= 1_000) done(null)
      else fs.rmdir(path, done)
    })
  }
  const { mkdir, stat, rmdirSync } = fs
  return { mkdir, stat, rmdirSync, utimes, rmdir: remove }
}

/** When the holder touched it last; `undefined` when it is gone. */
async function touchedAt(path: string): Promise<number | undefined> {
  const found = await stat(`${path}.lock`).catch(() => undefined)
  return found?.mtimeMs
}

/** Takes the dead lock away, unless it has come to life or somebody else is at it. */
async function clearAway(path: string, touched: number): Promise<void> {
  const { default: lockfile } = await import('proper-lockfile')
  const only = await lockfile
    .lock(`${path}.takeover`, { realpath: false, onCompromised: () => {} })
    .catch(() => undefined)
  if (!only) return
  try {
    if ((await touchedAt(path)) === touched) await rmdir(`${path}.lock`).catch(() => {})
  } finally {
    await only().catch(() => {})
  }
}

const isCode = (error: unknown, code: string): boolean => Object(error).code === code
