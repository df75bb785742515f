import type { Fault } from '../../machines/faults.js'
import { ConnectionClosedError, ConnectionFailedError } from '../errors.js'
import type { ConnectionActor, ConnectionSnapshot } from './connection.js'

/** How a connection stands right now, as far as calls have to know: kept, not asked for, since it is read on every call. */
export class Standing {
  readonly actor: ConnectionActor
  readonly #name: string
  usable = false
  stopped = false
  /** The actor is done, was stopped by its parent, or broke. */
  over = false
  /** What broke the actor: an extension's guard or action that threw. */
  broken: unknown

  constructor(name: string, actor: ConnectionActor) {
    this.#name = name
    this.actor = actor
  }

  follow(snapshot: ConnectionSnapshot): void {
    this.usable = snapshot.hasTag('usable')
    this.stopped = snapshot.hasTag('stopped')
  }

  end(broken?: unknown): void {
    this.over = true
    this.usable = false
    this.broken = broken
  }

  get fault(): Fault | undefined {
    return this.actor.getSnapshot().context.fault
  }

  /** Why nothing goes, when nothing does. */
  refusal(): Error | undefined {
    if (this.broken !== undefined) return new ConnectionFailedError(this.#name, this.fault, { cause: this.broken })
    if (this.over) return new ConnectionClosedError(this.#name)
    return this.stopped ? new ConnectionFailedError(this.#name, this.fault) : undefined
  }
}
