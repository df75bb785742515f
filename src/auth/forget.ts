import type { TokenStore } from './store.js'
import { StoreVault } from './store-vault.js'

/**
 * Logs out of a server here: its tokens, and a login that is under way, are taken out of the store. Connections that use
 * the store are told and need a login from their next request on. The client's registration stays, so that the next login
 * needs no other; the authorization server is not told, and what it gave out ends when it ends.
 *
 * @returns whether there were tokens
 * @throws TokenStoreError where the store cannot be used
 */
export async function forgetLogin(store: TokenStore, url: string | URL): Promise<boolean> {
  const vault = new StoreVault(store, new URL(url))
  // Under the lock: a refresh that is under way would write its tokens after it.
  return vault.lock(async () => {
    const { tokens, login } = await vault.read()
    if (tokens || login) await vault.change({ tokens: undefined, login: undefined })
    return tokens !== undefined
  })
}
