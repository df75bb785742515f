import { memoryStore, type TokenStore } from '../../../auth/index.js'

/** As much of what the library remembers as others who use the same store have to know. */
export interface StoredLogin {
  readonly v: 1
  readonly tokens?: {
    readonly access_token: string
    readonly refresh_token?: string
    readonly client?: { readonly client_id: string }
    readonly [more: string]: unknown
  }
  readonly client?: { readonly client_id: string; readonly [more: string]: unknown }
  readonly [more: string]: unknown
}

/** A store in memory that several processes share, and that can be looked into. */
export class SharedStore {
  readonly store: Required<TokenStore>
  readonly #key: string
  #text = '{"v":1}'
  /** How many wait to be told of changes. */
  listeners = 0

  constructor(key: string) {
    const store = memoryStore()
    this.#key = key
    this.store = {
      ...store,
      set: async (of, text) => {
        this.#text = text
        await store.set(of, text)
      },
      watch: (of, listener) => {
        const end = store.watch(of, listener)
        this.listeners += 1
        return () => {
          this.listeners -= 1
          end()
        }
      },
    }
  }

  get login(): StoredLogin {
    return JSON.parse(this.#text)
  }

  /** Only while locked, or before anybody looks. */
  write(login: StoredLogin): void {
    void this.store.set(this.#key, JSON.stringify(login))
  }

  lock(work: () => Promise<void>): Promise<void> {
    return this.store.lock(this.#key, work)
  }
}
