import { resourceUrlFromServerUrl } from '@modelcontextprotocol/sdk/shared/auth-utils.js'
import type { TokenStore } from './store.js'
import type { PendingLogin, Remembered, Vault } from './vault.js'

/** What stands in a store under one key, as JSON. */
interface Record1 extends Remembered {
  readonly v: 1
}

/** A {@link TokenStore}: everything about one resource under one key, changed as a whole. */
export class StoreVault implements Vault {
  readonly #store: TokenStore
  readonly #key: string
  readonly watch?: (listener: () => void) => () => void

  constructor(store: TokenStore, url: URL) {
    const key = keyOf(url)
    this.#store = store
    this.#key = key
    if (store.watch) this.watch = (listener) => store.watch?.(key, listener) ?? (() => {})
  }

  async read(): Promise<Remembered> {
    return readRecord(await this.#store.get(this.#key))
  }

  async change(change: Remembered): Promise<void> {
    const record: Record1 = { ...(await this.read()), ...change, v: 1 }
    await this.#store.set(this.#key, JSON.stringify(record))
  }

  lock<T>(work: () => Promise<T>): Promise<T> {
    return this.#store.lock(this.#key, work)
  }
}

/** One key for one resource; a query may hold secrets and names no other resource. */
function keyOf(url: URL): string {
  const resource = resourceUrlFromServerUrl(url)
  return `${resource.origin}${resource.pathname}`
}

/** What cannot be read is as good as nothing: it is written anew by the next login. */
function readRecord(text: string | undefined): Remembered {
  if (text === undefined) return {}
  try {
    const { v, tokens, client, login }: Partial<Record1> = { ...Object(JSON.parse(text)) }
    if (v !== 1) return {}
    return {
      ...(typeof tokens?.access_token === 'string' && { tokens }),
      ...(typeof client?.client_id === 'string' && { client }),
      ...(isLogin(login) && { login }),
    }
  } catch {
    return {}
  }
}

const isLogin = (login: Partial<PendingLogin> | undefined): boolean =>
  typeof login?.state === 'string' &&
  typeof login.url === 'string' &&
  typeof login.verifier === 'string' &&
  typeof login.startedAt === 'number'
