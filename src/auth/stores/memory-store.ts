import type { TokenStore } from '../store.js'
import { KeyQueue } from './key-queue.js'

/** Tokens that live as long as this object. Connections that share it share logins and refreshes. */
export function memoryStore(): Required<TokenStore> {
  const values = new Map<string, string>()
  const listeners = new Map<string, Set<() => void>>()
  const queue = new KeyQueue()
  const tell = (key: string) => {
    for (const listener of [...(listeners.get(key) ?? [])]) listener()
  }
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => {
      if (values.get(key) === value) return
      values.set(key, value)
      tell(key)
    },
    delete: async (key) => {
      if (values.delete(key)) tell(key)
    },
    lock: (key, work) => queue.run(key, work),
    watch: (key, listener) => {
      // The same function may watch twice, and each watch ends by itself.
      const own = () => listener()
      const all = listeners.get(key) ?? new Set()
      listeners.set(key, all.add(own))
      return () => {
        if (all.delete(own) && all.size === 0 && listeners.get(key) === all) listeners.delete(key)
      }
    },
  }
}
