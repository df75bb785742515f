import { type FSWatcher, readFileSync, watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../clock.js'
import { digest, prepareFolder } from './folder.js'
import type { ProblemListener } from './store-error.js'

/** How often the files are looked at besides, in milliseconds: network file systems tell nothing of other machines. */
const LOOK_MS = 30_000
/** The same when the system does not tell of changes at all. */
const LOOK_BLINDLY_MS = 2_000

interface Watched {
  readonly listeners: Set<() => void>
  /** Digest of the content that listeners know; `undefined` for none. */
  known: string | undefined
  /** Told while it was being read: to be read again. */
  again: boolean
  reading: boolean
}

/** Tells when the content of single files of a folder changes; a file that is written anew with the same content does not count. */
export class FolderWatch {
  readonly #folder: string
  readonly #clock: Clock
  readonly #onProblem: ProblemListener
  readonly #files = new Map<string, Watched>()
  #watcher: FSWatcher | undefined
  #timer: unknown

  constructor(folder: string, clock: Clock, onProblem: ProblemListener) {
    this.#folder = folder
    this.#clock = clock
    this.#onProblem = onProblem
  }

  /** What is there when this returns is known; any later change is told. @returns what ends it */
  add(name: string, listener: () => void): () => void {
    if (this.#files.size === 0) this.#start()
    // At once, not in the background: a change in between would be taken for what was known.
    const file = this.#files.get(name) ?? {
      listeners: new Set(),
      known: this.#digestNow(name),
      again: false,
      reading: false,
    }
    this.#files.set(name, file)
    const own = () => listener()
    file.listeners.add(own)
    return () => {
      if (!file.listeners.delete(own) || file.listeners.size > 0) return
      this.#files.delete(name)
      if (this.#files.size === 0) this.#stop()
    }
  }

  #start(): void {
    try {
      prepareFolder(this.#folder)
      this.#watcher = watch(this.#folder, { persistent: false }, (_event, name) => {
        if (name === null) this.#lookAtAll()
        else void this.#look(name)
      })
      this.#watcher.on('error', (error) => this.#goBlind(error))
    } catch (error) {
      this.#goBlind(error)
    }
    this.#schedule()
  }

  #stop(): void {
    this.#watcher?.close()
    this.#watcher = undefined
    this.#clock.clearTimeout(this.#timer)
  }

  #goBlind(cause: unknown): void {
    this.#watcher?.close()
    this.#watcher = undefined
    this.#clock.clearTimeout(this.#timer)
    this.#schedule()
    this.#onProblem({
      kind: 'unwatched',
      message: `Token store: the system does not tell of changes in ${this.#folder} (${Object(cause).code}). It is looked at every ${LOOK_BLINDLY_MS} ms instead.`,
      cause,
    })
  }

  #schedule(): void {
    const timer: unknown = this.#clock.setTimeout(
      () => {
        this.#lookAtAll()
        this.#schedule()
      },
      this.#watcher ? LOOK_MS : LOOK_BLINDLY_MS,
    )
    this.#timer = timer
    // Watching holds no process open.
    if (timer instanceof Object && 'unref' in timer && typeof timer.unref === 'function') timer.unref()
  }

  #lookAtAll(): void {
    for (const name of this.#files.keys()) void this.#look(name)
  }

  async #look(name: string): Promise<void> {
    const file = this.#files.get(name)
    if (!file) return
    file.again = true
    if (file.reading) return
    file.reading = true
    while (file.again) {
      file.again = false
      const content = await readFile(join(this.#folder, name)).catch(() => undefined)
      const found = content && digest(content)
      if (found === file.known) continue
      file.known = found
      for (const listener of [...file.listeners]) listener()
    }
    file.reading = false
  }

  #digestNow(name: string): string | undefined {
    try {
      return digest(readFileSync(join(this.#folder, name)))
    } catch {
      return undefined
    }
  }
}
