import { TokenStoreError } from '../../errors.js'
import type { TokenStore } from '../store.js'
import { type FileStoreOptions, FolderStore, fileStore } from './file-store.js'
import { type KeyringEntry, openKeyring, sealedCodec } from './keyring.js'
import { warnOfProblem } from './store-error.js'

export interface KeyringStoreOptions extends FileStoreOptions {
  /** How the entry is called in the keyring. Default `mcp-lifeline`. */
  readonly service?: string
  /** Another keyring than the system's. Default: an entry of `@napi-rs/keyring`, which has to be installed. */
  readonly entry?: KeyringEntry
}

/**
 * Tokens in files, sealed by a key that stands in the system's keyring: as {@link fileStore}, but a copy of the files is
 * worth nothing. The keyring holds the key and not the tokens, since keyrings neither lock nor tell of changes, and
 * Windows' takes no more than 2,560 bytes.
 *
 * A file that the key of the keyring does not open counts as empty, as a broken one does.
 *
 * Its methods throw TokenStoreError as those of `fileStore` do, and also `unavailable` when the package
 * `@napi-rs/keyring` is missing and `denied` when the keyring is locked or not there.
 */
export function keyringStore(options: KeyringStoreOptions = {}): Required<TokenStore> {
  return sealed(options).store
}

/**
 * The keyring where there is one, files where there is none: in a container, over SSH, on a server. Decided with the
 * first use, once for each object; `onProblem` is told of a fallback. Tokens are not carried from one to the other.
 */
export function keyringOrFileStore(options: KeyringStoreOptions = {}): Required<TokenStore> {
  const { store, ready } = sealed(options)
  const files = fileStore(options)
  const { onProblem = warnOfProblem } = options
  const decide = async () => {
    try {
      await ready()
      return store
    } catch (error) {
      if (!(error instanceof TokenStoreError)) throw error
      onProblem({ kind: 'fallback', message: `${error.message} Tokens go into files for now.`, cause: error })
      return files
    }
  }
  let decided: Promise<TokenStore> | undefined
  const chosen = () => {
    decided ??= decide().catch((error) => {
      decided = undefined
      throw error
    })
    return decided
  }
  return {
    get: async (key) => (await chosen()).get(key),
    set: async (key, value) => (await chosen()).set(key, value),
    delete: async (key) => (await chosen()).delete(key),
    lock: async (key, work) => (await chosen()).lock(key, work),
    // Both stand in one folder under different names; the one that is not in use does not change.
    watch: (key, listener) => {
      const ends = [store.watch(key, listener), files.watch(key, listener)]
      return () => {
        for (const end of ends) end()
      }
    },
  }
}

function sealed(options: KeyringStoreOptions): { store: FolderStore; ready: () => Promise<void> } {
  const { service = 'mcp-lifeline', entry } = options
  let opened: Promise<KeyringEntry> | undefined
  const open = () => {
    // A failure is not remembered: the keyring may be unlocked meanwhile.
    opened ??= (entry ? Promise.resolve(entry) : openKeyring(service)).catch((error) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const codec = sealedCodec(open, (work) => store.lock(`the key of ${service}`, work))
  const store = new FolderStore(options, codec)
  return { store, ready: codec.ready }
}
