import type { StoredClient } from './stored-client.js'
import type { StoredTokens } from './tokens.js'

/** A login that was begun and waits for its answer. Holds secrets. */
export interface PendingLogin {
  readonly state: string
  readonly verifier: string
  readonly url: string
  readonly redirectUrl: string
  readonly issuer: string
  /** `issuer` of the server's own metadata, which answers name (RFC 9207). */
  readonly namedIssuer?: string
  /** The server said that it names itself in every answer. */
  readonly namesItself?: boolean
  readonly scope?: string
  readonly resource?: string
  /** The registered client that it was begun as: another process may register another one meanwhile. */
  readonly client?: StoredClient
  /** Milliseconds of the clock. */
  readonly startedAt: number
}

export interface Remembered {
  readonly tokens?: StoredTokens | undefined
  readonly client?: StoredClient | undefined
  readonly login?: PendingLogin | undefined
}

/** Where the credentials of one resource are remembered, whatever is behind it. */
export interface Vault {
  read(): Promise<Remembered>
  /** Puts in place what is given and takes away what is given as `undefined`. Only while locked. */
  change(change: Remembered): Promise<void>
  /** Nobody else reads, refreshes and writes meanwhile. */
  lock<T>(work: () => Promise<T>): Promise<T>
  /** Tells of changes from elsewhere. Without it, every reading asks. */
  watch?(listener: () => void): () => void
}

/** One after another, within this process. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => {})
    return mine
  }
}
