import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { TokenStoreError } from '../../errors.js'
import type { Codec } from './file-store.js'

/** One secret of the system's keyring. `@napi-rs/keyring`'s AsyncEntry is one. */
export interface KeyringEntry {
  /** The secret; nothing when there is none yet. Rejects when the keyring is locked or denied. */
  getPassword(): Promise<string | null | undefined>
  setPassword(secret: string): Promise<void>
}

/** As much of `@napi-rs/keyring` as is used: its types are not there where it is not installed. */
interface KeyringPackage {
  readonly AsyncEntry: new (
    service: string,
    account: string,
    options?: { linux?: { store?: 'secret-service' } },
  ) => KeyringEntry
}

const PACKAGE = '@napi-rs/keyring'
const KEY_BYTES = 32

/**
 * The entry of the system's keyring.
 *
 * On Linux only the Secret Service will do. The package's own way out, the kernel's keyring, forgets everything with
 * the next start of the machine.
 *
 * @throws TokenStoreError `unavailable` when the package is missing or there is no keyring
 */
export async function openKeyring(
  service: string,
  load = (): Promise<KeyringPackage> => import('@napi-rs/keyring'),
): Promise<KeyringEntry> {
  let loaded: KeyringPackage
  try {
    loaded = await load()
  } catch (error) {
    throw new TokenStoreError(
      'unavailable',
      `Token store: the keyring needs the package ${PACKAGE}, which cannot be loaded. Run npm install ${PACKAGE}, or use fileStore().`,
      error,
    )
  }
  try {
    return new loaded.AsyncEntry(service, 'token-key', { linux: { store: 'secret-service' } })
  } catch (error) {
    throw denied(error)
  }
}

/**
 * Values sealed by a key that stands in the keyring (AES-256-GCM; the name of the value is part of what is sealed, so
 * that files cannot be exchanged). `alone` makes sure that only one process makes the key.
 */
export function sealedCodec(
  open: () => Promise<KeyringEntry>,
  alone: <T>(work: () => Promise<T>) => Promise<T>,
): Codec & { ready(): Promise<void> } {
  let known: Buffer | undefined
  const fetchKey = async (entry: KeyringEntry) => {
    const secret = await asked(() => entry.getPassword())
    const found = secret ? Buffer.from(secret, 'base64') : undefined
    if (found === undefined || found.length === KEY_BYTES) return found
    throw new TokenStoreError(
      'unavailable',
      'Token store: the entry in the keyring is no key of this store. Remove it, or choose another `service`.',
    )
  }
  const key = async () => {
    if (known) return known
    const entry = await open()
    known = await fetchKey(entry)
    known ??= await alone(async () => {
      const theirs = await fetchKey(entry)
      if (theirs) return theirs
      const made = randomBytes(KEY_BYTES)
      await asked(() => entry.setPassword(made.toString('base64')))
      return made
    })
    return known
  }
  const unseal = async (name: string, text: string) => {
    const { iv, tag, data } = Object(JSON.parse(text))
    const decipher = createDecipheriv('aes-256-gcm', await key(), Buffer.from(iv, 'base64'), { authTagLength: 16 })
    decipher.setAAD(Buffer.from(name)).setAuthTag(Buffer.from(tag, 'base64'))
    return Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString()
  }
  return {
    extension: 'sealed',
    ready: async () => {
      await key()
    },
    write: async (name, value) => {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', await key(), iv).setAAD(Buffer.from(name))
      const data = Buffer.concat([cipher.update(value), cipher.final()])
      const text = (bytes: Buffer) => bytes.toString('base64')
      return `${JSON.stringify({ iv: text(iv), tag: text(cipher.getAuthTag()), data: text(data) })}\n`
    },
    read: async (name, text) => {
      try {
        return await unseal(name, text)
      } catch (error) {
        if (error instanceof TokenStoreError) throw error
        // The keyring may hold another key by now; with the right one it opens.
        known = undefined
        return unseal(name, text)
      }
    },
  }
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw denied(error)
  }
}

function denied(cause: unknown): TokenStoreError {
  return new TokenStoreError(
    'denied',
    'Token store: the keyring of this system is locked, denies access or is not there. Unlock it, or use fileStore().',
    cause,
  )
}
