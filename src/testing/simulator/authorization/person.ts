import type { Connection } from '../../../connection/index.js'
import { LifelineError } from '../../../errors.js'
import type { Chance } from '../chance.js'
import type { DrivenClock } from '../driven-clock.js'
import type { GrantTraits } from '../grant-traits.js'
import type { Trace } from '../trace.js'
import type { AuthorizationServer } from './authorization-server.js'

/** Once all is well, so soon, in milliseconds. */
const QUICK_MS = 50
/** What was tried in vain is tried again after this time, in milliseconds. */
const AGAIN_MS = 1_000

interface Life {
  readonly connection: Connection
  readonly server: AuthorizationServer
  readonly traits: GrantTraits
  readonly clock: DrivenClock
  readonly chance: Chance
  readonly trace: Trace
  readonly breach: (invariant: string, message: string) => void
  readonly released: () => void
}

/** Whoever logs in when asked: after a while, at the second asking, or not before all is well. */
export class Person {
  readonly #life: Life
  #isWell = false
  /** The address that was opened last. */
  #opened: string | undefined
  /** Logins that were agreed to. */
  logins = 0

  constructor(life: Life) {
    this.#life = life
    life.connection.authorization$.subscribe((login) => {
      if (login) this.#notice(login.url)
    })
  }

  /** From now on nothing keeps the person away. */
  heal(): void {
    this.#isWell = true
    this.#lookAgain()
  }

  #lookAgain(): void {
    this.#opened = undefined
    const { authorization } = this.#life.connection
    if (authorization) this.#notice(authorization.url)
  }

  #notice({ href }: URL): void {
    const { traits, clock, chance } = this.#life
    if (href === this.#opened) return
    this.#opened = href
    const takesMs = traits.personMs && chance.whole(...traits.personMs)
    const agrees = this.#isWell || !chance.happens(traits.refusals)
    if (this.#isWell) clock.plan(QUICK_MS, () => this.#answer(href, true))
    else if (takesMs !== undefined) clock.plan(takesMs, () => this.#answer(href, agrees))
  }

  #answer(href: string, agrees: boolean): void {
    const { connection, server, trace, released } = this.#life
    // Nobody waits for this login any more.
    if (connection.authorization?.url.href !== href || connection.status === 'closed') return
    trace.note(`person: ${agrees ? 'agrees' : 'refuses'}`)
    const back = server.agree(connection.authorization.url)
    if (agrees) this.logins += 1
    else {
      back.searchParams.delete('code')
      back.searchParams.set('error', 'access_denied')
    }
    released()
    connection.authorize(back).then(
      () => trace.note('person: is done'),
      (error: unknown) => this.#failed(error),
    )
  }

  #failed(error: unknown): void {
    const { trace, breach, connection, clock } = this.#life
    clock.plan(AGAIN_MS, () => this.#lookAgain())
    if (!(error instanceof LifelineError)) breach('every error is one of the library’s', String(error))
    trace.note(`person: ${error instanceof LifelineError ? error.code : 'failed'} in ${connection.status}`)
  }
}
