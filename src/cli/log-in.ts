/** One login, from the browser that opens to the tokens in the store. */
import type { Fault } from '../../machines/faults.js'
import {
  type Credentials,
  type LoginRequest,
  type LoopbackCallback,
  listenForCallback,
  oauth,
  refusalOf,
  type TokenStore,
} from '../auth/index.js'
import { CallbackError, LifelineError } from '../errors.js'
import { evidenceOf, loneFetch } from '../wire/index.js'
import type { Io } from './io.js'
import { CLIENT_NAME } from './logins.js'
import { openBrowser } from './open-browser.js'
import { Progress } from './progress.js'
import { printable } from './text.js'
import type { Words } from './words.js'

/** What a login is for. */
export interface Begun {
  readonly name: string
  readonly url: URL
  readonly words: Words
  readonly io: Io
  readonly signal: AbortSignal
}

/** A person may have to find a password and a telephone. */
const PERSON_MS = 5 * 60_000
/** A client that the authorization server has forgotten is registered again, once. */
const ATTEMPTS = 2

/**
 * Logs in and leaves the tokens in the store. `refused` is what the server said when it asked for a login. With
 * `isOptional` the server works without one: a login that is there is `had`, and where none can be begun, it needs `none`.
 *
 * @throws LoginError, CallbackError, AuthorizationResponseError
 */
export async function logIn(
  begun: Begun,
  store: TokenStore,
  refused: Fault | undefined,
  isOptional: boolean,
): Promise<'done' | 'had' | 'none'> {
  for (let attempt = 1; ; attempt++) {
    const callback = new Callback(begun)
    try {
      await callback.listen()
      const credentials = attached(begun, store, callback.redirectUrl)
      const held = await credentials.token()
      if (held && isOptional) return 'had'
      try {
        await credentials.begin(refusalFor(begun, refused, held?.epoch))
      } catch (error) {
        if (isOptional) return 'none'
        throw new LoginError(evidenceOf(error)?.summary ?? 'no login could be begun')
      }
      const { pending } = credentials
      // Somebody logged in at the very moment.
      if (!pending) return 'done'
      await callback.await(pending)
      await show(pending, begun)
      const waiting = new Progress(begun.io, () => 'waiting for the login in the browser')
      const response = await callback.response.finally(() => waiting.end())
      await credentials.answer(response)
      const outcome = await credentials.exchange()
      if (outcome.type === 'granted') return 'done'
      if (outcome.type === 'failed') throw new LoginError(outcome.evidence.summary)
      if (attempt === ATTEMPTS) throw new LoginError('the authorization server takes no login of this client')
    } finally {
      await callback.close()
    }
  }
}

/** The login came to nothing; the message says why. */
class LoginError extends LifelineError {
  static override readonly code = 'LOGIN_FAILED'
  readonly code = LoginError.code

  constructor(why: string) {
    super(`The login failed: ${why}.`)
  }
}

function attached({ name, url, words: { scope }, io: { clock } }: Begun, store: TokenStore, redirectUrl: string) {
  const authorizer = oauth({ store, redirectUrl, clientName: CLIENT_NAME, ...(scope !== undefined && { scope }) })
  return authorizer.attach({ name, url, clock, fetch: loneFetch({}) })
}

/** Whatever credential is at hand is taken for the refused one: who logs in wants another. */
function refusalFor({ words: { scope } }: Begun, refused: Fault | undefined, credentialEpoch: number | undefined) {
  const said = refused ? refusalOf(refused) : { insufficientScope: false }
  return {
    ...said,
    ...(credentialEpoch !== undefined && { credentialEpoch }),
    ...(scope !== undefined && { scope, insufficientScope: true }),
  } satisfies Parameters<Credentials['begin']>[0]
}

/** Where the browser comes back to. */
class Callback {
  readonly #begun: Begun
  #callback: LoopbackCallback | undefined
  /** Names the one answer that is waited for. */
  #state: string | null | undefined

  constructor(begun: Begun) {
    this.#begun = begun
  }

  get redirectUrl(): string {
    return this.#callback?.redirectUrl ?? ''
  }

  get response(): Promise<URL> {
    return this.#callback?.response ?? Promise.reject(new LoginError('nobody listens for its answer'))
  }

  async listen(redirectUrl = `http://127.0.0.1:${this.#begun.words.port ?? 0}/callback`): Promise<void> {
    const { words, io, signal } = this.#begun
    this.#callback = await listenForCallback({
      redirectUrl,
      timeoutMs: words.timeoutMs ?? PERSON_MS,
      signal,
      clock: io.clock,
      accept: ({ searchParams }) => searchParams.get('state') === this.#state,
    })
  }

  /** A login that another process began, and perhaps left, comes back to that one's address. */
  async await({ url, redirectUrl }: LoginRequest): Promise<void> {
    this.#state = url.searchParams.get('state')
    if (redirectUrl === this.redirectUrl) return
    await this.close()
    try {
      await this.listen(redirectUrl)
    } catch (error) {
      if (!(error instanceof CallbackError || error instanceof TypeError)) throw error
      throw new LoginError(
        'another program waits for a login to this server already; finish it there, or log out first',
      )
    }
  }

  async close(): Promise<void> {
    await this.#callback?.close()
  }
}

/** On stderr, where no program reads it: the address holds secrets of the login. */
async function show({ url }: LoginRequest, { name, words, io }: Begun): Promise<void> {
  const isOpened = words.open && (await openBrowser(url))
  const how = isOpened ? 'Your browser opens. If it does not, go to' : 'Open this address in a browser'
  io.stderr.write(`Log in to ${printable(name)}. ${how}:\n\n  ${printable(url.href)}\n\n`)
}
