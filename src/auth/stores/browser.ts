/** Stands in for this folder where a bundler builds for browsers (`browser` in package.json): no files, no keyring. */
import type { TokenStore } from '../store.js'
import type { FileStoreOptions } from './file-store.js'
import type { KeyringStoreOptions } from './keyring-store.js'

export type { FileStoreOptions } from './file-store.js'
export type { KeyringEntry } from './keyring.js'
export type { KeyringStoreOptions } from './keyring-store.js'
export { memoryStore } from './memory-store.js'
export type { StoreProblem } from './store-error.js'

function refuse(what: string): never {
  throw new TypeError(`A browser has no ${what} for tokens: use memoryStore() or a TokenStore of your own.`)
}

/** @throws TypeError always */
export const fileStore = (_options?: FileStoreOptions): Required<TokenStore> => refuse('files')

/** @throws TypeError always */
export const keyringStore = (_options?: KeyringStoreOptions): Required<TokenStore> => refuse('keyring')

/** @throws TypeError always */
export const keyringOrFileStore = (_options?: KeyringStoreOptions): Required<TokenStore> => refuse('keyring')
