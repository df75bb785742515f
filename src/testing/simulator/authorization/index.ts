import { type AnyAuthorizer, oauth } from '../../../auth/index.js'
import type { Connection } from '../../../connection/index.js'
import type { AuthorizationMisfortune } from '../authorization-misfortunes.js'
import type { Chance } from '../chance.js'
import type { DrivenClock } from '../driven-clock.js'
import type { AuthorizationKind, GrantTraits } from '../grant-traits.js'
import type { Service } from '../network.js'
import type { Trace } from '../trace.js'
import { AuthorizationServer, type GivenTokens } from './authorization-server.js'
import { AuthorizationService } from './authorization-service.js'
import { OtherProcess } from './other-process.js'
import { Person } from './person.js'
import { ProtectedService } from './protected-service.js'
import { SharedStore } from './remembered.js'
import { SimulatedSource } from './source.js'
import { AuthorizationWatch } from './watch.js'

interface Surroundings {
  readonly kind: Exclude<AuthorizationKind, 'none'>
  readonly traits: GrantTraits
  /** The server, whose every request needs a credential. */
  readonly service: Service
  readonly address: URL
  readonly clock: DrivenClock
  readonly chance: Chance
  readonly trace: Trace
  readonly breach: (invariant: string, message: string) => void
  /** Told when somebody logs in, or another process has: waits that were planned no longer bind. */
  readonly released: () => void
}

/** Everything about credentials: who gives them, who wants them, who remembers them, and what befalls them. */
export class SimulatedAuthorization {
  readonly watch: AuthorizationWatch
  readonly authorizationService: AuthorizationService
  readonly protectedService: ProtectedService
  readonly #around: Surroundings
  readonly #origin: string
  readonly #server: AuthorizationServer
  readonly #store: SharedStore | undefined
  readonly #otherProcess: OtherProcess | undefined
  readonly #first: GivenTokens | undefined
  #person: Person | undefined
  #slow = 0
  #distrust = 0

  constructor(around: Surroundings) {
    const { kind, traits, service, address, clock, trace, breach } = around
    this.#around = around
    this.#origin = `http://login.${address.host}`
    this.watch = new AuthorizationWatch(clock, trace, breach)
    this.#server = new AuthorizationServer(traits, clock)
    const plan = (ms: number, fn: () => void) => void clock.plan(ms, fn)
    this.authorizationService = new AuthorizationService(this.#origin, this.#server, traits.echoes, plan, this.watch)
    const origins = { own: address.origin, authorization: this.#origin }
    this.protectedService = new ProtectedService(
      service,
      this.#server,
      this.authorizationService,
      origins,
      traits,
      this.watch,
    )
    const isLoggedIn = traits.begins === 'logged in' || traits.begins === 'expired'
    const client = traits.begins === 'never there' && kind === 'oauth' ? undefined : this.#server.register()
    this.#first =
      isLoggedIn && client ? this.#server.begin(client, kind === 'oauth' ? 'read' : 'read write') : undefined
    if (traits.begins === 'expired') this.#server.revokeAccess()
    if (kind === 'oauth') {
      this.#store = new SharedStore(`${address.origin}/mcp`)
      this.#remember(this.#store, client)
      this.#otherProcess = new OtherProcess(this.#store, this.#server, clock, this.#origin, (spent, tokens) => {
        this.watch.elsewhere(spent, tokens)
        around.released()
      })
    }
    this.watch.follow(this.#server, this.#store, this.#first?.refresh_token)
  }

  authorizer(fetch: typeof globalThis.fetch): AnyAuthorizer {
    if (this.#store) return oauth({ store: this.#store.store, redirectUrl: 'http://localhost:9/callback' })
    return new SimulatedSource(fetch, `${this.#origin}/token`, this.#around.clock, this.#first?.access_token)
  }

  follow(connection: Connection): void {
    this.watch.listen(connection)
    this.#person = new Person({ ...this.#around, connection, server: this.#server })
  }

  get logins(): number {
    return this.#person?.logins ?? 0
  }

  /** What serves an address; `undefined`: nobody. */
  serviceOf({ origin }: URL): Service | undefined {
    if (origin === this.#around.address.origin) return this.protectedService
    return origin === this.#origin ? this.authorizationService : undefined
  }

  befall(step: AuthorizationMisfortune): void {
    const { clock } = this.#around
    switch (step.do) {
      case 'revoke access':
        this.#server.revokeAccess()
        break
      case 'revoke logins':
        this.#server.revokeLogins()
        break
      case 'forget clients':
        this.#server.clients.clear()
        break
      case 'fail tokens':
        this.authorizationService.failing = { ...step, left: step.times }
        break
      case 'other process':
        this.#otherProcess?.visit(step)
        break
      case 'distrust': {
        const spell = ++this.#distrust
        this.protectedService.distrusts = true
        clock.plan(step.ms, () => {
          if (spell === this.#distrust) this.protectedService.distrusts = false
        })
        break
      }
      case 'slow tokens': {
        const spell = ++this.#slow
        this.authorizationService.extraMs = step.extraMs
        clock.plan(step.ms, () => {
          if (spell === this.#slow) this.authorizationService.extraMs = 0
        })
      }
    }
  }

  heal(): void {
    this.protectedService.distrusts = false
    this.authorizationService.failing = undefined
    this.authorizationService.extraMs = 0
    this.#person?.heal()
  }

  #remember(store: SharedStore, id: string | undefined): void {
    if (!id) return
    const { traits, clock } = this.#around
    const client = { client_id: id, issuer: this.#origin, redirect_uris: ['http://localhost:9/callback'] }
    const endsAt = clock.now() / 1_000 + (traits.begins === 'expired' ? -1 : traits.lifeS)
    const tokens = this.#first && {
      ...this.#first,
      issuer: this.#origin,
      login_id: 'before',
      client,
      ...(traits.tellsLife && { expires_at: endsAt }),
    }
    store.write({ v: 1, client, ...(tokens && { tokens }) })
  }
}
