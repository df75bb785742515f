import { type FSWatcher, watch } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { type Clock, elapsed } from '../../clock.js'
import { ConfigError } from '../../errors.js'

/** Changes come in bursts: an editor writes, renames and sets times. */
const GATHER_MS = 50
/** What cannot be read may be half written, or about to be put back: it is looked at once more before it is told. */
const SETTLE_MS = 400
/** Where the system tells of no changes (network file systems, containers, a folder that was replaced), they are looked for. */
const LOOK_MS = 5_000

export interface WatchHandlers {
  /** Takes another text; throws a ConfigError when it cannot be used. */
  take(text: string): void
  /** The file is gone or cannot be used. Told once for each trouble; what was read before still counts. */
  trouble(error: ConfigError): void
  /** The trouble is over and the file is as it was. */
  back(): void
}

/**
 * Watches one file by its folder, so that a file which is replaced (renamed over, as editors and deployments do) is
 * still watched. Links are followed. Holds no process open.
 */
export class ConfigWatcher {
  readonly #file: string
  readonly #clock: Clock
  readonly #handlers: WatchHandlers
  /** What was taken last. */
  #text: string
  /** The trouble that was told. */
  #told: string | undefined
  /** A trouble that was seen and not told yet. */
  #seen: string | undefined
  #stamp = ''
  #watchers = new Map<string, FSWatcher>()
  #timer: unknown
  #dueAt = Number.POSITIVE_INFINITY
  #looking: Promise<void> | undefined
  #over = false

  constructor(file: string, text: string, clock: Clock, handlers: WatchHandlers) {
    this.#file = resolve(file)
    this.#text = text
    this.#clock = clock
    this.#handlers = handlers
    this.#watchFolder(dirname(this.#file))
    this.#lookWithin(GATHER_MS)
  }

  /** Resolves when nothing is done any more. */
  async stop(): Promise<void> {
    this.#over = true
    this.#clock.clearTimeout(this.#timer)
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
    await this.#looking
  }

  #lookWithin(ms: number): void {
    const at = elapsed(this.#clock) + ms
    if (this.#over || at >= this.#dueAt) return
    this.#clock.clearTimeout(this.#timer)
    this.#dueAt = at
    const timer: unknown = this.#clock.setTimeout(() => {
      this.#dueAt = Number.POSITIVE_INFINITY
      this.#looking = (this.#looking ?? Promise.resolve()).then(() => this.#look())
    }, ms)
    this.#timer = timer
    if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
      timer.unref()
  }

  async #look(): Promise<void> {
    if (this.#over) return
    const trouble = await this.#read()
    await this.#watchLinked()
    if (this.#over) return
    if (trouble && this.#seen === keyOf(trouble)) this.#tell(trouble)
    this.#seen = trouble && keyOf(trouble)
    this.#lookWithin(trouble && this.#told !== this.#seen ? SETTLE_MS : LOOK_MS)
  }

  /** The trouble, if there is one. */
  async #read(): Promise<ConfigError | undefined> {
    try {
      const { mtimeMs, size, ino } = await stat(this.#file)
      const stamp = `${mtimeMs} ${size} ${ino}`
      if (stamp === this.#stamp && this.#seen === undefined) return undefined
      const text = await readFile(this.#file, 'utf8')
      if (this.#over) return undefined
      if (text !== this.#text) this.#handlers.take(text)
      this.#settled()
      // Only now: a text that was refused is read again.
      this.#text = text
      this.#stamp = stamp
      return undefined
    } catch (error) {
      this.#stamp = ''
      if (error instanceof ConfigError) return error
      const gone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      const what = gone ? 'is gone' : 'cannot be read'
      return new ConfigError(`${this.#file} ${what}.`, { cause: error, at: { file: this.#file } })
    }
  }

  #settled(): void {
    if (this.#told === undefined) return
    this.#told = undefined
    this.#handlers.back()
  }

  #tell(trouble: ConfigError): void {
    if (this.#told === keyOf(trouble)) return
    this.#told = keyOf(trouble)
    this.#handlers.trouble(trouble)
  }

  /** The folder of the file that a link leads to; also a folder that was made anew. */
  async #watchLinked(): Promise<void> {
    const real = await realpath(this.#file).catch(() => this.#file)
    if (!this.#over) for (const folder of new Set([dirname(this.#file), dirname(real)])) this.#watchFolder(folder)
  }

  #watchFolder(folder: string): void {
    if (this.#watchers.has(folder)) return
    const isHome = folder === dirname(this.#file)
    const lost = () => {
      this.#watchers.get(folder)?.close()
      this.#watchers.delete(folder)
    }
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // A folder that is removed, or put in place of another, is watched anew.
        if (name === basename(folder)) lost()
        // Deployments swap a link whose name begins with two dots; the name of a linked file may be another.
        else if (name !== null && isHome && name !== basename(this.#file) && !name.startsWith('..')) return
        // Two writes within one tick of the file system's clock carry the same time.
        this.#stamp = ''
        this.#lookWithin(GATHER_MS)
      })
      watcher.on('error', lost)
      this.#watchers.set(folder, watcher)
    } catch {
      // No such folder, or too many watches on this machine: the slow look is left.
    }
  }
}

/** Tells one trouble from another. */
function keyOf({ at: { line, column }, cause }: ConfigError): string {
  const errno = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return `${line} ${column} ${errno}`
}
