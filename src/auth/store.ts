/**
 * Where credentials are remembered: one text for each key, and a key for each protected resource (the server's address
 * without query and fragment), whatever authorization server stands behind it. The text is JSON of this library's making; a store
 * only keeps it. It holds tokens: a store on disk must be readable by its owner alone.
 */
export interface TokenStore {
  get(key: string): Promise<string | undefined>
  set(key: string, value: string): Promise<void>
  delete(key: string): Promise<void>
  /** Runs `work` while no other holder of the same key (other connection or process) runs; released whatever happens. */
  lock<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Tells when another process or connection changed the key; returns what ends it. Optional. */
  watch?(key: string, listener: () => void): () => void
}
