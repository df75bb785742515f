import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, type Random, systemClock, systemRandom } from '../../clock.js'
import { TokenStoreError } from '../../errors.js'
import type { TokenStore } from '../store.js'
import { removeFile, writeAtomically } from './atomic-write.js'
import { type FileLockOptions, withFileLock } from './file-lock.js'
import { defaultFolder, digest, fileNameOf, prepareFolder } from './folder.js'
import { FolderWatch } from './folder-watch.js'
import { KeyQueue } from './key-queue.js'
import { type ProblemListener, storeError, warnOfProblem } from './store-error.js'

export interface FileStoreOptions {
  /**
   * Folder of the files, made for this user alone (0700) if it is not there. Default: `mcp-lifeline/tokens` where the
   * system keeps the state of programs: `$XDG_STATE_HOME` or `~/.local/state`, `~/Library/Application Support`,
   * `%LOCALAPPDATA%`.
   */
  readonly path?: string
  /** Told of what the store got over by itself. Default: a warning of the process. */
  readonly onProblem?: ProblemListener
  /**
   * A lock whose holder has died is free again after `staleMs` (default 10,000, at least 2,000). A lock whose holder
   * lives is waited for at most `waitMs` (default 60,000). Both in milliseconds.
   */
  readonly locks?: { readonly staleMs?: number; readonly waitMs?: number }
  /** Where time comes from. Default: the system's clock. */
  readonly clock?: Clock
  /** Where chance comes from: numbers in [0, 1). Default `Math.random`. */
  readonly random?: Random
}

/** How values stand in their files. `read` throws when the text is not what `write` gave for this key. */
export interface Codec {
  readonly extension: string
  write(key: string, value: string): Promise<string>
  read(key: string, text: string): Promise<string>
}

const plain: Codec = {
  extension: 'json',
  write: async (key, value) => `${JSON.stringify({ key, value })}\n`,
  read: async (key, text) => {
    const stored: unknown = JSON.parse(text)
    const { key: found, value } = Object(stored)
    if (found !== key || typeof value !== 'string') throw new TypeError('not a file of this store')
    return value
  },
}

/**
 * Tokens in files of one folder, a file for each key, for all processes of this user: readable by this user alone
 * (0600), replaced as a whole or not at all, locked between processes, and watched.
 *
 * A file that cannot be read as what it should be counts as empty; its content is kept beside it as
 * `….corrupt-…`, and `onProblem` is told.
 *
 * Its methods throw TokenStoreError: `denied`, `full`, `locked` (from `lock`) or `unavailable`.
 */
export function fileStore(options: FileStoreOptions = {}): Required<TokenStore> {
  return new FolderStore(options, plain)
}

export class FolderStore implements Required<TokenStore> {
  readonly folder: string
  readonly #codec: Codec
  readonly #onProblem: ProblemListener
  readonly #locks: Omit<FileLockOptions, 'onLost'>
  readonly #queue = new KeyQueue()
  readonly #watch: FolderWatch
  /** Digests of broken contents that were told of. */
  readonly #told = new Set<string>()

  constructor(options: FileStoreOptions, codec: Codec) {
    const { clock = systemClock, random = systemRandom, onProblem = warnOfProblem, locks = {} } = options
    this.folder = options.path ?? defaultFolder()
    this.#codec = codec
    this.#onProblem = onProblem
    this.#locks = { staleMs: Math.max(locks.staleMs ?? 10_000, 2_000), waitMs: locks.waitMs ?? 60_000, clock, random }
    this.#watch = new FolderWatch(this.folder, clock, onProblem)
  }

  async get(key: string): Promise<string | undefined> {
    const path = this.#pathOf(key)
    let content: Buffer
    try {
      content = await readFile(path)
    } catch (error) {
      if (Object(error).code === 'ENOENT') return undefined
      throw storeError('cannot read', path, error)
    }
    try {
      return await this.#codec.read(key, content.toString())
    } catch (error) {
      // What the store is built on has failed, not what it holds.
      if (error instanceof TokenStoreError) throw error
      await this.#setAside(path, content, error)
      return undefined
    }
  }

  async set(key: string, value: string): Promise<void> {
    const path = this.#pathOf(key)
    // Read first: what is there may be the same, or broken, and then it has to be kept aside.
    if ((await this.get(key).catch(() => undefined)) === value) return
    const text = await this.#codec.write(key, value)
    prepareFolder(this.folder)
    try {
      await writeAtomically(path, text)
    } catch (error) {
      throw storeError('cannot write', path, error)
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.#pathOf(key)
    try {
      await removeFile(path)
    } catch (error) {
      throw storeError('cannot remove', path, error)
    }
  }

  lock<T>(key: string, work: () => Promise<T>): Promise<T> {
    // One line within the process, so that its own connections do not have to look again and again.
    return this.#queue.run(key, () => {
      prepareFolder(this.folder)
      const path = join(this.folder, fileNameOf(key))
      const onLost = (cause: unknown) =>
        this.#onProblem({
          kind: 'lock-lost',
          message: `Token store: ${path}.lock was taken by another process, since this one gave no sign of life for ${this.#locks.staleMs} ms.`,
          cause,
        })
      return withFileLock(path, { ...this.#locks, onLost }, work)
    })
  }

  watch(key: string, listener: () => void): () => void {
    return this.#watch.add(`${fileNameOf(key)}.${this.#codec.extension}`, listener)
  }

  #pathOf(key: string): string {
    return join(this.folder, `${fileNameOf(key)}.${this.#codec.extension}`)
  }

  /** Keeps the very bytes that were read: by now another process may have put good ones in their place. */
  async #setAside(path: string, content: Buffer, cause: unknown): Promise<void> {
    const mark = digest(content).slice(0, 12)
    const aside = `${path}.corrupt-${mark}`
    await writeFile(aside, content, { flag: 'wx', mode: 0o600 }).catch(() => {})
    if (this.#told.has(mark)) return
    this.#told.add(mark)
    this.#onProblem({
      kind: 'corrupt',
      message: `Token store: ${path} cannot be read and counts as empty: whoever needs it has to log in again. Its content is kept as ${aside}.`,
      cause,
    })
  }
}
