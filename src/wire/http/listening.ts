/**
 * The listening stream: the GET on which a server sends what answers no request (specification 2025-11-25, transports,
 * "Listening for messages"). Optional for the server, so what it does about it is told as events and is never the end
 * of the wire; and it is never silently given up.
 */

import type { WireEvidence } from '../../../machines/evidence.js'
import { elapsed } from '../../clock.js'
import {
  EventStream,
  type Exchange,
  type ExchangeSink,
  type Head,
  httpEvidence,
  mediaType,
  networkEvidence,
  type Outgoing,
  Refusal,
  type ResponseHeaders,
  retryAfterMs,
  type Sent,
  streamEvidence,
  thrownEvidence,
} from '../web/index.js'
import type { WireCore } from './core.js'
import { firstListen, type ListenMemory, type ListenOutcome, nextListen, opened } from './listening-policy.js'
import { SeenEvents } from './seen-events.js'

/** The longest time that requests under way can hold back the end of a session whose listening stream is dead. */
const heldMs = 30_000

export class Listening {
  readonly #core: WireCore
  readonly #onPostOnly: () => void
  /** Whether notifications of an earlier wire's session may have been missed before the first stream. */
  readonly #resumed: boolean
  readonly #seen = new SeenEvents()
  #memory: ListenMemory = firstListen
  #attempt: Attempt | undefined
  #timer: unknown
  #refusedEpoch: number | undefined
  /** Why another session is needed; told when no request is under way in this one. */
  #held: WireEvidence | undefined
  #heldTimer: unknown
  #closed = false
  lastEventId: string | undefined
  /** The server offers no listening stream, as far as it has said. */
  postOnly = false

  constructor(core: WireCore, resumed: boolean, onPostOnly: () => void) {
    this.#core = core
    this.#resumed = resumed
    this.#onPostOnly = onPostOnly
  }

  /** Asks now, unless a stream is open or being asked for. */
  open(lastEventId?: string): void {
    if (this.#closed || this.#attempt) return
    if (lastEventId !== undefined) this.lastEventId = lastEventId
    this.#refusedEpoch = undefined
    this.#core.clock.clearTimeout(this.#timer)
    this.#ask()
  }

  /** Asks anew although a stream seems open: after a sleep it may be dead without a sign (report 03.07). */
  openAnew(): void {
    const attempt = this.#attempt
    if (this.#closed || !attempt) return
    this.lastEventId = attempt.reached
    attempt.abandon()
    this.#ask()
  }

  /** The last event that came, on the stream that is open or on the one before it. */
  get reached(): string | undefined {
    return this.#attempt?.reached ?? this.lastEventId
  }

  /** A fault waits until no request is under way. */
  get holds(): boolean {
    return this.#held !== undefined
  }

  /** What was held back is told now. */
  release(): void {
    const evidence = this.#held
    this.#drop()
    if (evidence) this.#core.emit({ type: 'fault', evidence })
  }

  close(): void {
    this.#closed = true
    this.#drop()
    this.#core.clock.clearTimeout(this.#timer)
    this.#attempt?.abandon()
  }

  #ask(): void {
    const attempt = new Attempt(this.#core, this.lastEventId, {
      opened: (resumed) => this.#opened(resumed),
      isRepeated: (id, data) => this.#seen.isRepeated(id, data, elapsed(this.#core.clock)),
      over: (outcome, evidence) => this.#over(attempt, outcome, evidence),
    })
    this.#attempt = attempt
    const outgoing = this.#core.headers.for('listen')
    if (!(outgoing instanceof Promise)) {
      attempt.get(outgoing)
      return
    }
    outgoing.then(
      (ready) => {
        if (this.#refusedEpoch === undefined || ready.credentialEpoch !== this.#refusedEpoch) attempt.get(ready)
        // Still the credential that was refused: asking with it again could only be refused again (SDK trap 11).
        else attempt.giveUp({ type: 'refused', status: 401, resuming: false })
      },
      (error: unknown) => attempt.giveUp({ type: 'unreachable' }, thrownEvidence(attempt.sent, error)),
    )
  }

  #opened(resumed: boolean): void {
    this.#seen.open(resumed, elapsed(this.#core.clock))
    // Whatever kept it from being open until now, nothing was heard meanwhile.
    const gap = this.#memory !== firstListen || this.#resumed
    this.#memory = opened(this.#memory)
    this.postOnly = false
    // The place has become free after all.
    this.#drop()
    this.#core.emit({ type: 'listening', gap })
  }

  #over(attempt: Attempt, outcome: ListenOutcome, evidence: WireEvidence | undefined): void {
    this.#attempt = undefined
    if (this.#closed) return
    this.lastEventId = attempt.lastEventId
    const retryMs = attempt.retryMs ?? this.#memory.retryMs
    const step = nextListen(outcome, { ...this.#memory, ...(retryMs !== undefined && { retryMs }) }, this.#core.random)
    this.#memory = step.memory
    if (step.dropEventId) this.lastEventId = undefined
    if (outcome.type === 'refused' && outcome.status === 401)
      this.#refusedEpoch = attempt.sent.outgoing?.credentialEpoch ?? this.#refusedEpoch
    if (step.afterMs !== undefined) this.#timer = this.#core.clock.setTimeout(() => this.#ask(), step.afterMs)
    if (outcome.type === 'ended' && evidence) this.#core.emit({ type: 'listening-ended', evidence })
    this.#tell(step.tell, evidence)
  }

  #tell(what: 'post-only' | 'suspect' | 'fault' | undefined, evidence: WireEvidence | undefined): void {
    if (what === 'post-only') {
      this.postOnly = true
      this.#core.emit({ type: 'post-only', ...(evidence && { evidence }) })
      this.#onPostOnly()
    } else if (what === 'fault' && evidence?.http?.status !== 401) this.#hold(evidence)
    else if (what !== undefined && evidence !== undefined) this.#core.emit({ type: what, evidence })
  }

  /** Without a listening stream calls go on well, so those under way in the session are let finish (report 03.03). */
  #hold(evidence: WireEvidence | undefined): void {
    this.#held = evidence
    if (!this.#core.busy()) this.release()
    else this.#heldTimer = this.#core.clock.setTimeout(() => this.release(), heldMs)
  }

  #drop(): void {
    this.#held = undefined
    this.#core.clock.clearTimeout(this.#heldTimer)
  }
}

interface AttemptOwner {
  opened(resumed: boolean): void
  /** The event came before. */
  isRepeated(id: string | undefined, data: string): boolean
  over(outcome: ListenOutcome, evidence?: WireEvidence): void
}

/** One GET, from asking to its end. */
class Attempt implements ExchangeSink {
  readonly #core: WireCore
  readonly #owner: AttemptOwner
  readonly #resuming: boolean
  #exchange: Exchange | undefined
  #head: Head | undefined
  #stream: EventStream | undefined
  #refusal: Refusal | undefined
  #openedAt = 0
  #lastAt = 0
  #messages = 0
  #over = false
  sent: Sent
  lastEventId: string | undefined

  constructor(core: WireCore, lastEventId: string | undefined, owner: AttemptOwner) {
    this.#core = core
    this.#owner = owner
    this.#resuming = lastEventId !== undefined
    this.lastEventId = lastEventId
    this.sent = { wire: core.wire, exchange: 'listen', target: core.target }
  }

  get retryMs(): number | undefined {
    return this.#stream?.retryMs
  }

  /** The last event that came. */
  get reached(): string | undefined {
    return this.#stream?.lastEventId ?? this.lastEventId
  }

  get(outgoing: Outgoing): void {
    if (this.#over) return
    const { client, target } = this.#core
    this.sent = { ...this.sent, outgoing }
    const resume = this.lastEventId === undefined ? undefined : { 'last-event-id': this.lastEventId }
    this.#exchange = client.exchange({ method: 'GET', target, headers: { ...outgoing.headers, ...resume } }, this)
  }

  abandon(): void {
    this.#over = true
    this.#refusal?.drop()
    this.#exchange?.abort()
  }

  giveUp(outcome: ListenOutcome, evidence?: WireEvidence): void {
    if (this.#over) return
    this.#over = true
    this.#owner.over(outcome, evidence)
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#lastAt = this.#core.alive(status)
    const head = { status, headers }
    this.#head = head
    if (status >= 200 && status <= 299 && status !== 204 && mediaType(headers) === 'text/event-stream') {
      this.#openedAt = this.#lastAt
      this.#stream = this.#read()
      this.#owner.opened(this.#resuming)
      return
    }
    // A good status with another type can be a page without end; its body explains nothing (SDK trap 12).
    if (status <= 299) this.#exchange?.abort()
    const told = (body: string) => this.#refused(head, body)
    if (status <= 299) {
      told('')
      return
    }
    this.#refusal = new Refusal(this.#core.clock, () => this.#exchange, told)
  }

  data(chunk: Uint8Array): void {
    if (this.#refusal) {
      this.#refusal.data(chunk)
      return
    }
    this.#lastAt = this.#core.alive(200)
    this.#stream?.feed(chunk)
  }

  end(): void {
    if (this.#refusal) this.#refusal.end()
    else this.#ended()
  }

  fail(error: unknown, sent: boolean | undefined): void {
    if (this.#refusal) this.#refusal.fail()
    else if (this.#stream) this.#ended(error)
    else this.giveUp({ type: 'unreachable' }, networkEvidence(this.sent, error, sent))
  }

  #read(): EventStream {
    const core = this.#core
    return new EventStream(
      {
        message: (value, id, data) => {
          this.#messages += 1
          if (this.#owner.isRepeated(id, data)) core.noise('an event of the listening stream that came before')
          else core.receive(value)
        },
        garbage: () => core.noise('an event of the listening stream that is no JSON'),
        oversize: () => {
          core.noise('a message of the listening stream over the size limit')
          // Resuming after the last event would bring the same message again.
          this.lastEventId = undefined
          this.#stream = undefined
          this.#exchange?.abort()
          this.#finish()
        },
      },
      core.maxMessageBytes,
    )
  }

  #ended(error?: unknown): void {
    this.#stream?.finish()
    this.lastEventId = this.reached
    this.#finish(error)
  }

  #finish(error?: unknown): void {
    const now = elapsed(this.#core.clock)
    const livedMs = now - this.#openedAt
    const times = { idleMs: Math.round(now - this.#lastAt), livedMs: Math.round(livedMs) }
    const evidence = this.#head && streamEvidence(this.sent, 'listen', this.#head, error, times)
    this.giveUp({ type: 'ended', livedMs, messages: this.#messages }, evidence)
  }

  #refused(head: Head, body: string): void {
    const now = elapsed(this.#core.clock)
    const retryAfter = retryAfterMs(head.headers, now)
    this.giveUp(
      {
        type: 'refused',
        status: head.status,
        resuming: this.#resuming,
        ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
      },
      httpEvidence(this.sent, head, body, now),
    )
  }
}
