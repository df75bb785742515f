import type { OAuthProvider } from './provider.js'
import { type PendingLogin, type Remembered, Turns, type Vault } from './vault.js'

/** One turn at a time for each provider, by however many connections it is used. */
const turns = new WeakMap<OAuthProvider, Turns>()
/** Logins that wait, by provider; its own store holds no more of them than the verifier. */
const logins = new WeakMap<OAuthProvider, PendingLogin>()

/** A provider of the SDK's kind. What it keeps where is its own business; it is read anew each time. */
export class ProviderVault implements Vault {
  readonly #provider: OAuthProvider

  constructor(provider: OAuthProvider) {
    this.#provider = provider
  }

  async read(): Promise<Remembered> {
    const [tokens, client] = await Promise.all([this.#provider.tokens(), this.#provider.clientInformation()])
    const login = logins.get(this.#provider)
    return {
      // Some give an empty object where they have nothing.
      ...(typeof tokens?.access_token === 'string' && { tokens }),
      ...(typeof client?.client_id === 'string' && { client }),
      ...(login && { login }),
    }
  }

  async change(change: Remembered): Promise<void> {
    const provider = this.#provider
    if ('client' in change) {
      if (change.client) await provider.saveClientInformation?.(change.client)
      else await provider.invalidateCredentials?.('client')
    }
    if ('tokens' in change) {
      if (change.tokens) await provider.saveTokens(change.tokens)
      else await provider.invalidateCredentials?.('tokens')
    }
    if (!('login' in change)) return
    if (change.login) {
      logins.set(provider, change.login)
      await provider.saveCodeVerifier(change.login.verifier)
    } else logins.delete(provider)
  }

  lock<T>(work: () => Promise<T>): Promise<T> {
    const mine = turns.get(this.#provider) ?? new Turns()
    turns.set(this.#provider, mine)
    return mine.run(work)
  }
}
