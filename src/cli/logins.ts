/** Logins of the command line: `lifeline login` makes them, everything else uses them and keeps them fresh. */
import type { AuthOutcome } from '../../machines/types.js'
import {
  type AuthorizationResponse,
  type Authorizer,
  type Credentials,
  type CredentialsListener,
  fileStore,
  oauth,
  type Refusal,
  stepEvidence,
  type TokenStore,
} from '../auth/index.js'
import type { Io } from './io.js'
import { printable } from './text.js'

/** What the person who logs in is shown. */
export const CLIENT_NAME = 'lifeline'

/** Nobody is ever sent back there: a login is begun by `lifeline login` alone, which listens. */
const NOWHERE = 'http://127.0.0.1/callback'

/** Files, so that every process of this person finds them, over SSH and without a desktop too. */
export function loginStore(io: Io): Required<TokenStore> {
  return fileStore({
    clock: io.clock,
    onProblem: ({ message }) => io.stderr.write(`lifeline: ${printable(message)}\n`),
  })
}

/** Logs in by what the store holds, now or as soon as somebody has logged in elsewhere. */
export function storedLogins(store: TokenStore): Authorizer {
  const logins = oauth({ store, redirectUrl: NOWHERE, clientName: CLIENT_NAME })
  return { attach: (site) => new StoredLogin(logins.attach(site)) }
}

/** Begins no login: a server that is only looked at by `list` or `doctor` is not registered with. */
class StoredLogin implements Credentials {
  readonly #credentials: Credentials

  constructor(credentials: Credentials) {
    this.#credentials = credentials
  }

  readonly pending = undefined

  get answered(): boolean {
    return false
  }

  token() {
    return this.#credentials.token()
  }

  refresh(refusal?: Refusal): Promise<AuthOutcome> {
    return this.#credentials.refresh(refusal)
  }

  async stepUp({ scope }: Refusal): Promise<AuthOutcome> {
    const wanted = scope === undefined ? 'more scope' : `the scope ${printable(scope)}`
    const summary = `the server wants ${wanted}; log in with it: lifeline login --scope`
    return { type: 'failed', evidence: stepEvidence(summary, { subject: 'credential' }) }
  }

  /** Somebody may have logged in since it was refused. */
  async begin(): Promise<void> {
    await this.#credentials.look()
  }

  answer(response: AuthorizationResponse): Promise<void> {
    return this.#credentials.answer(response)
  }

  exchange(): Promise<AuthOutcome> {
    return this.#credentials.exchange()
  }

  look(): Promise<void> {
    return this.#credentials.look()
  }

  watch(listener: CredentialsListener): () => void {
    return this.#credentials.watch(listener)
  }
}
