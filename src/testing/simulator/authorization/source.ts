import type { TokenSource } from '../../../auth/index.js'
import type { DrivenClock } from '../driven-clock.js'
import type { GivenTokens } from './authorization-server.js'

/** How long the application waits for a token, in milliseconds. */
const PATIENCE_MS = 20_000

/** The application's own way to tokens: it asks the authorization server by itself, and tells no more than the token. */
export class SimulatedSource implements TokenSource {
  readonly #fetch: typeof globalThis.fetch
  readonly #address: string
  readonly #clock: DrivenClock
  #token: string | undefined

  constructor(fetch: typeof globalThis.fetch, address: string, clock: DrivenClock, token: string | undefined) {
    this.#fetch = fetch
    this.#address = address
    this.#clock = clock
    this.#token = token
  }

  token(): string | undefined {
    return this.#token
  }

  async refresh(): Promise<void> {
    const abort = new AbortController()
    this.#clock.plan(PATIENCE_MS, () => abort.abort(new Error('no token in time')))
    const body = 'grant_type=client_credentials&client_id=client-1'
    const response = await this.#fetch(this.#address, { method: 'POST', body, signal: abort.signal })
    const reader = response.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    if (!response.ok || !value) throw new Error(`no token: ${response.status}`)
    const given: GivenTokens = JSON.parse(new TextDecoder().decode(value))
    this.#token = given.access_token
  }
}
