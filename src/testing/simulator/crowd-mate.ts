import type { Policy } from '../../../machines/index.js'
import type { Connection } from '../../connection/index.js'
import type { SimulatedApplication } from './application.js'
import type { Deed } from './schedule.js'
import type { Surroundings } from './surroundings.js'
import type { Watch } from './watch.js'

interface Parts {
  readonly place: number
  readonly connection: Connection
  readonly application: SimulatedApplication
  readonly watch: Watch
  readonly own: Surroundings['network']
}

/** One connection of a crowd, with who uses it and what it has under way. */
export class CrowdMate implements Parts {
  readonly place: number
  readonly connection: Connection
  readonly application: SimulatedApplication
  readonly watch: Watch
  readonly own: Parts['own']
  /** Somebody asked for its next dial: nothing that a server named holds it. */
  insists = false
  /** What was asked of it last is to be connected. */
  wantsLink = false
  wishes = 0

  constructor({ place, connection, application, watch, own }: Parts) {
    this.place = place
    this.connection = connection
    this.application = application
    this.watch = watch
    this.own = own
  }

  get policy(): Policy {
    return this.connection.actor.getSnapshot().context.policy
  }

  /** Its next request is the first of a link. */
  get isDialling(): boolean {
    const { linked } = this.connection.actor.getSnapshot().value as { linked?: { initializing?: unknown } | string }
    return typeof linked === 'object' && linked.initializing !== undefined
  }

  perform(deed: Deed): void {
    if (deed.do !== 'call') {
      this.wishes += 1
      this.wantsLink = deed.do !== 'disconnect' && deed.do !== 'close'
      this.watch.released()
    }
    this.application.perform(deed)
  }
}
