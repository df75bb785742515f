/** The order of events: everything connects, then one server after another is struck. */
import type { Clock } from '../../clock.js'
import type { Connection } from '../../index.js'
import type { LocalServer } from '../local-server.js'
import { CALL_MS, CallLog } from './calls.js'
import type { Facts, OutageFacts } from './facts.js'
import { type Deed, outage } from './outage.js'
import type { Remains } from './remains.js'
import type { Timeline } from './timeline.js'

/** A connection, and the server of this machine behind it, where there is one. */
export interface Member {
  readonly connection: Connection
  readonly server: LocalServer | undefined
}

export class Play {
  readonly #members: readonly Member[]
  readonly #remains: Remains
  readonly #timeline: Timeline
  readonly #clock: Clock
  readonly #calls: CallLog
  readonly #outages: OutageFacts[] = []
  readonly #neverReady: Facts['neverReady'][number][] = []
  /** Process of each server that its connection started. */
  readonly #processes = new Map<Member, number>()

  constructor(members: readonly Member[], remains: Remains, timeline: Timeline, clock: Clock) {
    this.#members = members
    this.#remains = remains
    this.#timeline = timeline
    this.#clock = clock
    this.#calls = new CallLog(clock, (record) => timeline.settled(record))
  }

  /** What has been seen so far. */
  get facts(): Pick<Facts, 'neverReady' | 'outages' | 'calls'> {
    return { neverReady: this.#neverReady, outages: this.#outages, calls: this.#calls.records }
  }

  async run(): Promise<void> {
    const served = this.#members.filter(({ server }) => server)
    const spawned = this.#members.filter(({ server }) => !server)
    await Promise.all([...served.map((member) => this.#serve(member)), this.#connectInTurn(spawned)])
    if (this.#neverReady.length > 0) return
    for (const member of this.#members) {
      const { connection } = member
      const tell = (deed: string) => this.#timeline.deed(connection.name, deed)
      this.#outages.push(await outage(connection, this.#deedFor(member), this.#calls, this.#clock, tell))
      this.#remains.children()
    }
  }

  async #serve(member: Member): Promise<void> {
    await member.server?.start()
    await this.#connect(member)
  }

  /** In turn, so that it is known which process belongs to whom. */
  async #connectInTurn(members: readonly Member[]): Promise<void> {
    for (const member of members) {
      const before = this.#remains.children()
      await this.#connect(member)
      const others = [...before, ...this.#members.map(({ server }) => server?.pid)]
      const [pid] = this.#remains.children().filter((child) => !others.includes(child))
      if (pid !== undefined) this.#processes.set(member, pid)
    }
  }

  async #connect({ connection }: Member): Promise<void> {
    connection.connect().catch(() => {})
    await connection.ready({ timeoutMs: CALL_MS }).catch(() => {
      const { fault } = connection
      const reason = fault ? `${fault.code}: ${fault.evidence.summary}. ${fault.advice}` : 'nothing is known of it.'
      this.#neverReady.push({ connection: connection.name, reason })
    })
  }

  #deedFor(member: Member): Deed {
    const { server } = member
    if (server) {
      return {
        name: 'the loss of its server and all sessions',
        strike: () => server.stop(),
        mend: () => server.start(),
      }
    }
    const pid = this.#processes.get(member)
    return {
      name: `SIGKILL of its process ${pid}`,
      strike: async () => {
        if (pid === undefined) throw new Error(`${member.connection.name} has no process`)
        process.kill(pid, 'SIGKILL')
      },
    }
  }
}
