import { BehaviorSubject, Subject } from 'rxjs'
import { classify } from '../../machines/classify.js'
import type { Fault } from '../../machines/faults.js'
import type { AuthInput, AuthOutcome, ConnectionEvent, Runtime } from '../../machines/types.js'
import {
  type AuthorizationResponse,
  type Authorizer,
  type Credentials,
  type CredentialsChange,
  failedBy,
  type LoginRequest,
  refusalOf,
  type Site,
  stepEvidence,
} from '../auth/index.js'
import type { AccessToken } from '../wire/index.js'
import { evidenceOf, WireError } from '../wire/index.js'

/** A store that cannot tell of changes is looked into so often while somebody is to log in. */
const LOOK_MS = 2_000

const authorizations = new WeakMap<Runtime, Authorization>()

/** What carries out the chart's steps of authorization, beside the runtime that the chart carries. */
export const authorizationOf = (runtime: Runtime): Authorization | undefined => authorizations.get(runtime)

/** The credentials of one connection as its chart, its wires and its handle use them. Holds secrets; shows none. */
export class Authorization {
  /** The login that waits for a person. */
  readonly login$ = new BehaviorSubject<LoginRequest | undefined>(undefined)
  /** Credentials that came from elsewhere. */
  readonly changes$ = new Subject<CredentialsChange>()
  /** What became of the last answer of a login. */
  exchanged: AuthOutcome['type'] | undefined
  readonly #authorizer: Authorizer
  readonly #site: Omit<Site, 'url'>
  #url: URL
  #credentials: Credentials
  /** Watched from the first use on: a connection that was only made holds nothing open. */
  #unwatch: (() => void) | undefined
  #closed = false

  constructor(authorizer: Authorizer, site: Site) {
    this.#authorizer = authorizer
    this.#site = site
    this.#url = site.url
    this.#credentials = authorizer.attach(site)
  }

  /** From here on the runtime's steps of authorization are carried out by this. */
  serve(runtime: Runtime): void {
    authorizations.set(runtime, this)
  }

  toJSON(): unknown {
    return {}
  }

  /** Another server has other credentials; the same one, under other headers perhaps, has those that are held. */
  retarget(url: URL): void {
    if (url.href === this.#url.href) return
    this.#url = url
    this.#unwatch?.()
    this.#unwatch = undefined
    this.#credentials = this.#authorizer.attach({ ...this.#site, url })
    this.login$.next(undefined)
  }

  /** Nobody listens any more. Steps that are under way end by themselves: a refresh that was begun must not be lost. */
  close(): void {
    this.#closed = true
    this.#unwatch?.()
    this.changes$.complete()
    this.login$.complete()
  }

  /** @throws WireError where the authorizer threw: nothing was sent, and it may pass */
  async token(): Promise<AccessToken | undefined> {
    this.#watch()
    try {
      return await this.#credentials.token()
    } catch (error) {
      const name = error instanceof Error ? error.name : typeof error
      throw new WireError(evidenceOf(error) ?? stepEvidence(`reading the credential: ${name} was thrown`))
    }
  }

  get answered(): boolean {
    return this.#credentials.answered
  }

  /** @throws AuthorizationResponseError */
  async answer(response: AuthorizationResponse): Promise<void> {
    await this.#credentials.answer(response)
    this.exchanged = undefined
  }

  /** An answer that is at hand is exchanged first. */
  refresh({ fault }: AuthInput): Promise<AuthOutcome> {
    return this.#noting(() => this.#credentials.refresh(fault && refusalOf(fault)))
  }

  stepUp({ fault }: AuthInput): Promise<AuthOutcome> {
    return this.#credentials.stepUp(fault ? refusalOf(fault) : { insufficientScope: true })
  }

  exchange(): Promise<AuthOutcome> {
    return this.#noting(() => this.#credentials.exchange())
  }

  async #noting(step: () => Promise<AuthOutcome>): Promise<AuthOutcome> {
    const { answered } = this
    const outcome = await step()
    if (answered) this.exchanged = outcome.type
    return outcome
  }

  /** Begins the login that a person is waited for, and tells the chart what comes of it; returns what ends that. */
  hold({ fault }: AuthInput, tell: (event: ConnectionEvent) => void): () => void {
    const { clock } = this.#site
    this.#watch()
    let timer: unknown
    const look = () => {
      timer = clock.setTimeout(() => {
        this.#credentials.look().catch(() => {})
        look()
      }, LOOK_MS)
    }
    look()
    if (this.answered) tell({ type: 'auth.responded' })
    else {
      this.#credentials.begin(fault && refusalOf(fault)).catch((error: unknown) => {
        tell({ type: 'fault', fault: faultOf(failedBy(error, 'beginning the login'), fault) })
      })
    }
    return () => clock.clearTimeout(timer)
  }

  #watch(): void {
    if (this.#closed) return
    this.#unwatch ??= this.#credentials.watch({
      changed: (change) => this.changes$.next(change),
      login: () => this.login$.next(this.#credentials.pending),
    })
  }
}

/** Judged where the connection stood when the credential was refused. */
function faultOf(outcome: AuthOutcome, refused: Fault | undefined): Fault {
  const seen = outcome.type === 'failed' ? outcome.evidence : stepEvidence('the login was not begun')
  const { wire = 'http', everReady, legacyAllowed, dialectsTried } = refused?.evidence ?? {}
  return classify({ ...seen, wire, phase: 'reauthorizing', everReady, legacyAllowed, dialectsTried })
}
