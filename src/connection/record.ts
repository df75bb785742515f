import type { Fault } from '../../machines/faults.js'
import type { ConnectionContext, ConnectionEmitted, HoldReason } from '../../machines/types.js'
import type { ChangeRecord, CutRecord, FaultRecord, Incident, LinkRecord } from '../diagnosis/index.js'
import type { LinkNote, RestoredItem } from '../link/index.js'
import type { ConnectionSnapshot } from './connection.js'
import { IncidentLog } from './incidents.js'
import type { Status } from './status.js'

/** Of each kind of record. */
const KEPT = 20
/** Of stderr, in characters. */
const KEPT_STDERR = 2_000
const KEPT_NOISE = 200

/** Timers of a clock are a little early at times. */
const EARLY_MS = 5

/** What is written of a link while it lives. */
type Link = { -readonly [K in keyof LinkRecord]: LinkRecord[K] }

/** Records that most connections never have: a thousand well ones keep nothing for them. */
interface Troubles {
  callFaults: readonly FaultRecord[]
  cuts: readonly CutRecord[]
  changes: readonly ChangeRecord[]
  noise: { count: number; text: string }
  stderr: string
}

const noTroubles: Troubles = { callFaults: [], cuts: [], changes: [], noise: { count: 0, text: '' }, stderr: '' }

/**
 * Keeps what an explanation needs, out of the chart's own news and snapshots: a bounded list of links, faults, cut
 * streams and changed lists. It decides nothing, and no call passes through it.
 */
export class ConnectionRecord {
  readonly incidents = new IncidentLog()
  #links: readonly Link[] = []
  #troubles: Troubles = noTroubles
  #fault: Fault | undefined
  #session: ConnectionContext['session']
  /** What was written to stderr so far is another process's. */
  #isAnotherProcess = false
  /** When the next attempt is due, while one is waited for. */
  nextAttemptAt: number | undefined
  /** Why the attempt is held at the gate, while it is. */
  held: HoldReason | undefined
  status: Status
  statusSince: number

  constructor(status: Status, now: number) {
    this.status = status
    this.statusSince = now
  }

  get links(): readonly LinkRecord[] {
    return this.#links
  }

  get troubles(): Readonly<Troubles> {
    return this.#troubles
  }

  /** News come before the snapshot of the same step, so the link that is known is the one they are about. */
  take(news: ConnectionEmitted, now: number, restored: readonly RestoredItem[]): Incident | undefined {
    const link = this.#links.at(-1)
    if (news.type === 'connection.retrying') this.nextAttemptAt = now + news.inMs
    if (news.type === 'connection.held') {
      this.held = news.because
      this.nextAttemptAt = now + news.inMs
    }
    if (news.type === 'connection.lost' && link) link.fault = news.fault
    return this.incidents.take(news, now, { begunAt: link?.begunAt ?? now }, restored)
  }

  /** The actor is over; returns the incident that ends with it. */
  end(now: number): Incident | undefined {
    if (this.status !== 'closed') {
      this.status = 'closed'
      this.statusSince = now
    }
    this.#end(now)
    return this.incidents.end('closed', now)
  }

  /** Every snapshot; what is compared here is all that a snapshot costs. */
  follow({ context, value }: ConnectionSnapshot, status: Status, now: number): void {
    const { fault, generation, session } = context
    const isNewFault = fault !== this.#fault
    if (isNewFault) this.#noteFault(fault)
    const link = this.#links.at(-1)
    if (generation > 0 && generation !== link?.generation) this.#begin(generation, isNewFault, now)
    if (session !== this.#session) this.#noteSession(context)
    if (status !== this.status) this.#noteStatus(status, context, isLinked(value), now)
  }

  note(note: LinkNote, now: number): void {
    const before = this.#troubles
    switch (note.type) {
      case 'call-fault':
        this.#troubles = { ...before, callFaults: kept(before.callFaults, { at: now, fault: note.fault }) }
        break
      case 'cut':
        this.#troubles = { ...before, cuts: kept(before.cuts, { at: now, evidence: note.evidence }) }
        break
      case 'changes':
        this.#troubles = {
          ...before,
          changes: [...before.changes, ...note.changes.map((change) => ({ at: now, ...change }))].slice(-KEPT),
        }
        break
      case 'noise':
        this.#troubles = { ...before, noise: noisier(before.noise, note) }
        break
      case 'stderr':
        this.#troubles = {
          ...before,
          stderr: `${this.#isAnotherProcess ? '' : before.stderr}${note.text}`.slice(-KEPT_STDERR),
        }
        this.#isAnotherProcess = false
    }
  }

  #noteFault(fault: Fault | undefined): void {
    this.#fault = fault
    const link = this.#links.at(-1)
    if (link && fault) link.fault = fault
  }

  #begin(generation: number, afterFault: boolean, now: number): void {
    this.#end(now)
    const isDue = this.nextAttemptAt !== undefined && now >= this.nextAttemptAt - EARLY_MS
    const isAsked = !afterFault && !isDue
    this.nextAttemptAt = undefined
    this.#links = kept(this.#links, { generation, begunAt: now, ...(isAsked && { asked: true }) })
    this.#isAnotherProcess = true
  }

  #noteSession({ session, reached, resumed }: ConnectionContext): void {
    this.#session = session
    const link = this.#links.at(-1)
    if (!link || !session || reached === 'nothing') return
    link.session = session
    if (resumed) link.resumed = true
  }

  #noteStatus(status: Status, context: ConnectionContext, linked: boolean, now: number): void {
    this.status = status
    this.statusSince = now
    const link = this.#links.at(-1)
    if (status === 'ready' && link) {
      link.readyAt ??= now
      if (context.session) link.session = context.session
      if (context.resumed) link.resumed = true
    }
    if (!linked) this.#end(now)
    if (status !== 'backoff' || !linked) this.held = undefined
    if (status !== 'backoff') this.nextAttemptAt = undefined
    else if (context.coolMs > 0 && this.nextAttemptAt === undefined) this.nextAttemptAt = now + context.coolMs
  }

  #end(now: number): void {
    const link = this.#links.at(-1)
    if (link) link.endedAt ??= now
    const { fault } = link ?? {}
    // The one stream of the older wire ends the link with it, so nobody else tells of the cut.
    if (link?.endedAt === now && fault?.evidence.idleMs !== undefined && fault.code === 'wire.closed')
      this.note({ type: 'cut', evidence: fault.evidence }, now)
  }
}

/** A link that is held at the gate waits as in backoff, and is there all the same. */
const isLinked = (value: unknown): boolean => typeof value === 'object' && value !== null && 'linked' in value

/** Put together by `concat`, which takes no room for more: nearly every connection has one link for long. */
const kept = <T>(list: readonly T[], item: T): readonly T[] => list.slice(-(KEPT - 1)).concat([item])

/** The noise of a child comes in portions; that of other wires is not asked for. */
const noisier = (before: Troubles['noise'], { text, count }: { text: string; count: number }): Troubles['noise'] => ({
  count: before.count + count,
  text: before.count === 0 ? text.slice(0, KEPT_NOISE) : before.text,
})
