import type { AuthorizationMisfortune } from '../authorization-misfortunes.js'
import type { DrivenClock } from '../driven-clock.js'
import type { AuthorizationServer, GivenTokens } from './authorization-server.js'
import type { TokenWitness } from './authorization-service.js'
import type { SharedStore } from './remembered.js'

type Visit = Extract<AuthorizationMisfortune, { do: 'other process' }>

/** Another process with the same login: it refreshes what is remembered, keeps to the lock, and may die in between. */
export class OtherProcess {
  readonly #store: SharedStore
  readonly #server: AuthorizationServer
  readonly #clock: DrivenClock
  readonly #issuer: string
  /** Told of tokens that are remembered from now on. */
  readonly #given: TokenWitness['given']

  constructor(
    store: SharedStore,
    server: AuthorizationServer,
    clock: DrivenClock,
    issuer: string,
    given: TokenWitness['given'],
  ) {
    this.#store = store
    this.#server = server
    this.#clock = clock
    this.#issuer = issuer
    this.#given = given
  }

  visit({ holdMs, logsIn, dies }: Visit): void {
    void this.#store.lock(async () => {
      const { tokens: old, client } = this.#store.login
      await this.#pass(holdMs / 2)
      const spent = old?.refresh_token
      const refreshed = spent === undefined ? undefined : this.#server.refresh(spent, clientOf(old ?? {}) ?? '')
      await this.#pass(holdMs / 2)
      if (dies) return
      if (typeof refreshed === 'object') this.#write(spent, { ...old, ...refreshed })
      else if (logsIn && client) {
        const scope = String(old?.scope ?? 'read')
        const tokens = this.#server.begin(client.client_id, scope)
        this.#write(undefined, { ...tokens, login_id: tokens.access_token, client }, { login: undefined })
      }
    })
  }

  #write(spent: string | undefined, tokens: GivenTokens & Record<string, unknown>, more: object = {}): void {
    this.#given(spent, tokens)
    const endsAt = tokens.expires_in === undefined ? undefined : this.#clock.now() / 1_000 + tokens.expires_in
    this.#store.write({
      ...this.#store.login,
      ...more,
      tokens: { ...tokens, issuer: this.#issuer, expires_at: endsAt },
    })
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.plan(ms, resolve)
    })
  }
}

const clientOf = ({ client }: { client?: { client_id: string } }): string | undefined => client?.client_id
