import type { Fault } from '../../machines/faults.js'
import { AuthorizationRequiredError, ConnectionClosedError, ConnectionFailedError } from '../errors.js'
import type { Authorization } from './authorization.js'
import type { ConnectionActor, ConnectionSnapshot } from './connection.js'

/** How a connection stands right now, as far as calls have to know: kept, not asked for, since it is read on every call. */
export class Standing {
  readonly actor: ConnectionActor
  readonly #name: string
  readonly #authorization: Authorization | undefined
  usable = false
  stopped = false
  /** More scope is being asked for. */
  stepsUp = false
  needsUser = false
  /** The actor is done, was stopped by its parent, or broke. */
  over = false
  /** What broke the actor: an extension's guard or action that threw. */
  broken: unknown

  constructor(name: string, actor: ConnectionActor, authorization?: Authorization) {
    this.#name = name
    this.actor = actor
    this.#authorization = authorization
  }

  follow(snapshot: ConnectionSnapshot): void {
    // A state that an extension added may hold calls back while the link is well.
    this.usable = snapshot.hasTag('usable') && !snapshot.hasTag('draining')
    this.stopped = snapshot.hasTag('stopped')
    this.stepsUp = snapshot.hasTag('stepping-up')
    this.needsUser = snapshot.hasTag('needs-user')
  }

  end(broken?: unknown): void {
    this.over = true
    this.usable = false
    this.broken = broken
  }

  get fault(): Fault | undefined {
    return this.actor.getSnapshot().context.fault
  }

  /** Why a call waits in vain, when it is a person that is waited for. */
  loginRequired(fault = this.fault): AuthorizationRequiredError | undefined {
    if (!this.needsUser) return undefined
    return new AuthorizationRequiredError(this.#name, this.#authorization?.login$.value?.url, fault)
  }

  /** Why nothing goes, when nothing does. */
  refusal(): Error | undefined {
    if (this.broken !== undefined) return new ConnectionFailedError(this.#name, this.fault, { cause: this.broken })
    if (this.over) return new ConnectionClosedError(this.#name)
    return this.stopped ? new ConnectionFailedError(this.#name, this.fault) : undefined
  }
}
