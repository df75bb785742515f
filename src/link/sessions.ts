import type { SessionMemory } from './port.js'
import type { Target } from './target.js'

/** A session that was given up without being ended, and where it is. */
export interface FormerSession {
  readonly session: SessionMemory
  readonly target: Target
  /** The server does not know it any more. */
  readonly lost: boolean
}

/** The sessions of one connection: the one to go on with, and the one before it, as long as that may have to be ended. */
export class Sessions {
  #present: SessionMemory | undefined
  #former: FormerSession | undefined
  #lost = false

  constructor(session?: SessionMemory) {
    this.#present = session
  }

  /** The session to go on with. Never shown: its id is a secret. */
  get present(): SessionMemory | undefined {
    return this.#present
  }

  /** @returns the session before, where the server still holds it */
  remember(session: SessionMemory): FormerSession | undefined {
    const former = this.takeFormer()
    this.#present = session
    this.#lost = false
    return former?.lost ? undefined : former
  }

  /** The session was ended, or the server said that it does not know it: it need not be ended there. */
  noteLost(): void {
    this.#lost = true
  }

  /** The session is over for us; should the server still hold it, it can still be ended. */
  forget(target: Target): void {
    if (this.#present) this.#former = { session: this.#present, target, lost: this.#lost }
    this.#present = undefined
  }

  /** What was given up and is to be ended now; asked for once. */
  takeFormer(): FormerSession | undefined {
    const former = this.#former
    this.#former = undefined
    return former
  }
}
