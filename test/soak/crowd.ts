/** One application with many connections, which uses them all the time while it and chance do them harm. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, createConnection, type PolicyOptions } from '../../src/index.js'
import type { Chance } from './chance.js'
import { ChildPeer, HttpPeer, MemoryPeer, type Peer } from './peers.js'
import { Pulse } from './pulse.js'
import { CALL_MS, type Calls, Tally } from './tally.js'

export interface CrowdOptions {
  readonly memory: number
  readonly http: number
  readonly stdio: number
}

/** Short waits, so that much happens in little time. */
const policy: PolicyOptions = {
  backoff: { baseMs: 20, capMs: 500 },
  keepaliveMs: 1_000,
  stableAfterMs: 500,
  slowProbeMs: 1_000,
  timeouts: { connectMs: 3_000, initializeMs: 2_000, discoverMs: 1_000, probeMs: 1_000, closeMs: 1_000 },
}

interface Member {
  readonly peer: Peer
  connection: Connection
}

export class Crowd {
  readonly members: Member[] = []
  /** Every connection that was ever made, without keeping it alive. */
  readonly made: WeakRef<Connection>[] = []
  /** What was done, by how often. */
  readonly harms = new Map<string, number>()
  readonly #chance: Chance
  readonly #peers: Peer[] = []
  readonly #tally: Tally
  readonly #folder = mkdtempSync(join(tmpdir(), 'lifeline-soak-'))
  readonly #loops: Promise<void>[] = []
  readonly #pulse = new Pulse()
  #isOver = false

  private constructor(chance: Chance, name: string) {
    this.#chance = chance
    this.#tally = new Tally(name, this.#pulse)
  }

  static async gather(chance: Chance, name: string, { memory, http, stdio }: CrowdOptions): Promise<Crowd> {
    const crowd = new Crowd(chance, name)
    const servers = await Promise.all([
      ...[HttpPeer.start('json'), HttpPeer.start('json', false), HttpPeer.start('sse'), HttpPeer.start('legacy')],
    ])
    crowd.#peers.push(...servers)
    for (let i = 0; i < http; i++) crowd.#add(servers[i % servers.length] as Peer)
    for (let i = 0; i < memory; i++) crowd.#add(crowd.#own(new MemoryPeer()))
    for (let i = 0; i < stdio; i++) crowd.#add(crowd.#own(new ChildPeer(crowd.#folder, `child-${i}`)))
    // A first attempt may be too slow on a busy machine; that is what a connection is for.
    await Promise.all(
      crowd.members.map(async ({ connection }) => {
        await connection.connect().catch(() => {})
        await connection.ready({ timeoutMs: 60_000 })
      }),
    )
    for (const member of crowd.members) crowd.#loops.push(crowd.#use(member))
    return crowd
  }

  /** Harm after harm for so long. */
  async suffer(ms: number, everyMs = 40): Promise<void> {
    for (const end = performance.now() + ms; performance.now() < end; await pause(everyMs)) {
      const what = this.#chance.next() < 0.4 ? this.#harmPeer() : this.#harmMember()
      this.harms.set(what, (this.harms.get(what) ?? 0) + 1)
    }
  }

  /** All servers are well again: names of the connections that do not answer within a time. */
  async recover(withinMs = 30_000): Promise<string[]> {
    await Promise.all(this.#peers.map((peer) => peer.heal()))
    const outcomes = this.members.map(async (member, i) => {
      const end = performance.now() + withinMs
      while (performance.now() < end) {
        await member.connection.ready({ timeoutMs: 5_000 }).catch(() => undefined)
        if (await this.#tally.call(member.connection, 0)) return []
        await pause(100)
      }
      const { status, fault } = member.connection
      return [`${member.peer.kind} ${i}: ${status}${fault ? `, ${fault.code}` : ''}`]
    })
    return (await Promise.all(outcomes)).flat()
  }

  /** Time that the machine did not give to this process, in milliseconds. */
  get stalledMs(): number {
    return this.#pulse.stalledMs
  }

  /** Ends all, and says what became of the calls. */
  async disperse(): Promise<Calls> {
    this.#isOver = true
    await Promise.all(this.members.map(({ connection }) => connection.close()))
    await Promise.race([Promise.all(this.#loops), pause(CALL_MS + 3_000)])
    await Promise.all(this.#peers.map((peer) => peer.close()))
    const calls = this.#tally.count(this.#peers.flatMap((peer) => peer.runs()))
    rmSync(this.#folder, { recursive: true, force: true })
    this.#pulse[Symbol.dispose]()
    this.members.length = 0
    return calls
  }

  #own(peer: Peer): Peer {
    this.#peers.push(peer)
    return peer
  }

  #add(peer: Peer): void {
    this.members.push({ peer, connection: this.#connect(peer) })
  }

  #connect(peer: Peer): Connection {
    const connection = createConnection({ name: `soak-${this.made.length}`, target: peer.target, policy })
    // As an application would listen.
    connection.status$.subscribe(() => {})
    connection.incidents$.subscribe(() => {})
    connection.notifications$.subscribe(() => {})
    this.made.push(new WeakRef(connection))
    return connection
  }

  /** One call after the other, for as long as the round lasts. */
  async #use(member: Member): Promise<void> {
    while (!this.#isOver) {
      await this.#tally.call(member.connection, this.#chance.next() < 0.2 ? this.#chance.between(20, 400) : 0)
      await pause(this.#chance.between(50, 600))
    }
  }

  #harmPeer(): string {
    const kind = this.#chance.pick(['memory', 'http', 'stdio'] as const)
    const peers = this.#peers.filter((peer) => peer.kind === kind)
    const peer = peers[this.#chance.between(0, peers.length)]
    return peer ? `${kind}: ${peer.harm(this.#chance)}` : 'nothing'
  }

  #harmMember(): string {
    const member = this.members[this.#chance.between(0, this.members.length)]
    if (!member) return 'nothing'
    const { connection, peer } = member
    const [what, deed] = this.#chance.pick<readonly [string, () => unknown]>([
      ['application: reconnect()', () => connection.reconnect().catch(() => {})],
      ['application: disconnect()', () => connection.disconnect().catch(() => {})],
      ['application: connect()', () => connection.connect().catch(() => {})],
      ['application: retry()', () => connection.retry()],
      ['application: ten calls at once', () => this.#burst(connection)],
      ['application: a call aborted', () => this.#aborted(connection)],
      ['application: lists asked for', () => connection.listTools().catch(() => {})],
      ['application: explain(), report(), checkpoint()', () => this.#ask(connection)],
      [
        'application: close() and another connection',
        () => {
          void connection.close()
          member.connection = this.#connect(peer)
        },
      ],
      [
        'application: the actor stopped and another connection',
        () => {
          connection.actor.stop?.()
          member.connection = this.#connect(peer)
        },
      ],
    ])
    deed()
    return what
  }

  #burst(connection: Connection): void {
    for (let i = 0; i < 10; i++) this.#loops.push(this.#tally.call(connection, 20).then(() => {}))
  }

  #aborted(connection: Connection): void {
    const signal = AbortSignal.timeout(this.#chance.between(1, 200))
    this.#loops.push(this.#tally.call(connection, 100, signal).then(() => {}))
  }

  #ask(connection: Connection): void {
    connection.explain()
    connection.report()
    connection.checkpoint()
  }
}
