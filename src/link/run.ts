import type { Subscription } from 'rxjs'
import type { Phase, WireEvidence } from '../../machines/evidence.js'
import { complainsOf, type Fault, wantsScope } from '../../machines/faults.js'
import { isEarlyExit } from '../../machines/guards.js'
import { REFUSALS_MS } from '../../machines/policy.js'
import type { LinkCommand, LinkEvent, LinkInput, UnderWay } from '../../machines/types.js'
import { supportedVersions } from '../../machines/versions.js'
import { elapsed } from '../clock.js'
import { evidenceOf, WireError } from '../wire/failure.js'
import type { WireEvent } from '../wire/wire.js'
import { Admission, type AdmissionWays } from './admission.js'
import { changedLists } from './catalog.js'
import { Contents } from './contents.js'
import { Errands } from './errands.js'
import { judge } from './judge.js'
import { LiveLink } from './live-link.js'
import type { Link, LinkListener } from './port.js'
import { isAnswer, Prober } from './prober.js'
import type { ConnectionRuntime } from './runtime.js'

/** One link from its first moment to its last: obeys the chart's commands, and tells what happens in the chart's words. */
export class LinkRun implements LinkListener, AdmissionWays {
  readonly #runtime: ConnectionRuntime
  readonly #input: LinkInput
  readonly #sendBack: (event: LinkEvent) => void
  #wireEvents: Subscription | undefined
  #admission: Admission | undefined
  #link: Link | undefined
  #phase: Phase = 'connecting'
  #left = false
  #keepSession = false
  /** What becomes of the requests that are under way when the link is left. */
  #underWay: UnderWay = 'cut'
  /** The chart left the link. Otherwise the actor was stopped from outside, and nothing comes after it. */
  #detached = false
  readonly #errands: Errands
  #contents: Contents | undefined
  #prober: Prober | undefined
  /** Resolves when the wire may be released: the slot of this link ends with it. */
  #finish: (() => void) | undefined

  constructor(runtime: ConnectionRuntime, input: LinkInput, sendBack: (event: LinkEvent) => void) {
    this.#runtime = runtime
    this.#input = input
    this.#sendBack = sendBack
    this.#errands = new Errands(runtime.clock, runtime.policy.callMs)
    runtime.run = this
  }

  obey(command: LinkCommand): void {
    switch (command.type) {
      case 'open':
        // The slot is held from here until the wire is gone, so that the next link waits for this one to end.
        if (this.#admission) this.#admission.ask()
        else void this.#runtime.inSlot(() => this.#occupySlot())
        break
      case 'negotiate':
        this.#attempt('initializing', (link) => this.#negotiate(link))
        break
      case 'resume':
        this.#attempt('resuming', (link) => this.#resume(link))
        break
      case 'discover':
        this.#attempt('discovering', (link) => this.#discover(link))
        break
      case 'refresh':
        this.#attempt('ready', () => this.#refresh())
        break
      case 'probe':
        this.#attempt('ready', (link) => this.#probe(link))
        break
      case 'relisten':
        this.#link?.wire.relisten?.()
        break
      case 'renewed':
        this.#link?.renewed()
        break
      case 'detach':
        this.#detached = true
        this.#keepSession = command.keep
        this.#underWay = command.underWay
        // A session that is not kept is ended, and what is still under way in it with it.
        if (!command.keep) void this.#runtime.endDraining()
    }
  }

  /** The actor has ended. Nothing is reported any more; the wire is released and the slot becomes free. */
  leave(): void {
    if (this.#left) return
    this.#left = true
    if (this.#runtime.live?.link === this.#link) this.#runtime.live = undefined
    this.#wireEvents?.unsubscribe()
    if (this.#link) this.#link.listener = undefined
    this.#admission?.leave()
    this.#finish?.()
    if (!this.#detached) void this.#runtime.letGo()
  }

  /** Nothing of the link may outlast the slot; releasing it ends an opening that still goes on. */
  #occupySlot(): Promise<unknown> {
    if (this.#left) return Promise.resolve()
    return new Promise((resolve) => {
      let opening: Promise<void> | undefined
      this.#finish = () => resolve(this.#release().then(() => opening))
      opening = this.#open()
    })
  }

  async #open(): Promise<void> {
    const runtime = this.#runtime
    try {
      if (!(await this.#admitted()) || this.#left) return
      // Whoever wants a new session has done with what is under way in an older one.
      if (!this.#input.resume && this.#input.insists) void runtime.endDraining()
      if (!this.#input.resume) runtime.forgetSession()
      if (this.#input.dialect.endSession) await runtime.endRemembered()
      if (this.#left) return
      const link = runtime.makeLink(this.#input.resume ? runtime.session : undefined, this.#input.dialect.wire)
      this.#link = link
      this.#contents = new Contents(runtime, link, {
        errands: this.#errands,
        over: () => this.#left,
        judge: (error) => this.#judge(error),
        lose: (fault) => this.#meet(fault),
      })
      this.#wireEvents = link.wire.events$.subscribe((event) => this.#onWire(event))
      link.listener = this
      await link.wire.start()
      this.tell({ type: 'link.opened' })
    } catch (error) {
      this.#fail(error)
    }
  }

  /** The gate is passed; `false` when it never will be. */
  #admitted(): Promise<boolean> {
    const { insists } = this.#input
    const patienceMs = this.#runtime.policy.backoff.capMs
    this.#admission = new Admission(this.#runtime.door, { insists, patienceMs }, this)
    this.#admission.ask()
    return this.#admission.entered
  }

  async #release(): Promise<void> {
    const link = this.#link
    if (!link) return
    try {
      if (this.#underWay === 'refusals') await link.wire.answered?.(REFUSALS_MS)
      const isKept = this.#keepSession && link.wire.sessionId === this.#runtime.session?.id
      if (isKept && this.#underWay === 'drain' && this.#runtime.drain(link)) {
        link.listener = { onNotification: (told) => this.#runtime.run?.onNotification(told), onRefused: () => false }
        return
      }
      if (!isKept) {
        await link.endSession(this.#runtime.policy.closeMs / 2)
        this.#runtime.noteLostSession()
        this.#runtime.forgetSession()
      }
      await link.release()
    } catch {
      // A wire that does not end well has ended all the same; nobody is left to hear of it.
    }
  }

  /** Runs one step; its failure is a fault of the link. */
  #attempt(phase: Phase, step: (link: Link) => Promise<void>): void {
    this.#phase = phase
    const link = this.#link
    if (!link) return
    // The chart may have gone on without lists that are still under way.
    if (phase === 'ready') this.#goLive(link)
    step(link).catch((error: unknown) => this.#fail(error))
  }

  async #negotiate(link: Link): Promise<void> {
    const session = await link.negotiate(this.#input.dialect.version)
    if (this.#left) {
      // The answer came after the link was given up: the session is of use to nobody, and the server is told so.
      this.#keepSession = false
      return
    }
    this.#runtime.remember(session)
    this.#runtime.noteWire(link.wire.kind)
    this.#runtime.restoration.forgetTold()
    const { protocolVersion, serverInfo } = session
    const { name, version } = serverInfo
    const resumable = session.id !== undefined
    this.#agreed(link)
    this.tell({ type: 'link.initialized', session: { protocolVersion, server: { name, version }, resumable } })
    link.wire.listen?.()
  }

  async #resume(link: Link): Promise<void> {
    const { session } = this.#runtime
    if (!session) {
      const summary = 'there is no session to go on with'
      throw new WireError({ kind: 'thrown', subject: 'session', sent: false, wire: link.wire.kind, summary })
    }
    try {
      await link.resume(session)
      session.refusedSince = undefined
    } catch (error) {
      if (evidenceOf(error)?.http) session.refusedSince ??= elapsed(this.#runtime.clock)
      if (!isAnswer(this.#judge(error))) throw error
    }
    this.#agreed(link)
    this.#runtime.restored = []
    this.#contents?.mark()
    const known = this.#runtime.catalog$.value.fetchedAt > 0
    if (known) this.#goLive(link)
    // Before the chart goes on: whoever asks for the stream next does not know where it had got to.
    link.wire.listen?.(session.lastEventId)
    link.renewed()
    this.tell({ type: 'link.resumed', known })
  }

  /** A session is agreed on. A process has proved nothing by that yet: many end when they are first asked for something. */
  #agreed(link: Link): void {
    if (link.wire.kind !== 'stdio') this.#admission?.passed()
  }

  async #discover(link: Link): Promise<void> {
    // Credentials may have been renewed before the lists were read.
    link.renewed()
    const complete = await this.#contents?.discover()
    this.#goLive(link)
    this.tell({ type: 'link.discovered', complete: complete === true })
    this.#tellUnheard()
  }

  async #refresh(): Promise<void> {
    const read = await this.#contents?.refresh()
    if (read) this.tell({ type: 'lists.refreshed', ...read })
  }

  #proberOf(link: Link): Prober {
    this.#prober ??= new Prober(link, this.#runtime.clock, this.#errands, (error) => this.#judge(error))
    return this.#prober
  }

  async #probe(link: Link): Promise<void> {
    const life = await this.#proberOf(link)
      .ask()
      .catch((error: unknown) => this.#failProbe(error))
    if (!life) return
    this.#runtime.rttMs = life.rttMs ?? this.#runtime.rttMs
    this.tell({ type: 'probe.answered' })
  }

  /** A fault of the link is one, whatever was asked for; any other failure of a probe counts as no sign of life. */
  #failProbe(error: unknown): undefined {
    const fault = this.#judge(error)
    if (fault.scope === 'link') throw error
    this.tell({ type: 'probe.failed', fault })
  }

  /** Calls may go out from here on; of the lists, what has come counts. */
  #goLive(link: Link): void {
    if (this.#left) return
    this.#phase = 'ready'
    this.#admission?.passed()
    this.#contents?.takeArrived()
    if (this.#runtime.live?.link === link) return
    this.#runtime.live = new LiveLink(link, this.#input.generation, (fault) => this.#note(fault))
  }

  /** The server tells something, on this link or on one that drains beside it. */
  onNotification({ method, params }: { method: string; params?: Record<string, unknown> }): void {
    const changed = changedLists(method)
    this.#contents?.mark(changed)
    if (changed.length > 0) this.tell({ type: 'lists.changed' })
    this.#runtime.notifications$.next({ method, params })
  }

  /** An answer or a notification of ours was refused; `true`: it waits for a new credential. */
  onRefused(error: unknown): boolean {
    const fault = this.#judge(error)
    if (this.#left || fault.class !== 'unauthorized' || fault.scope !== 'link') return false
    this.#meet(fault)
    return true
  }

  #onWire(event: WireEvent): void {
    switch (event.type) {
      case 'closed':
        if (!event.byUs) this.#tellFault(this.#judgeEvidence(event.evidence))
        break
      case 'fault':
        this.#meet(this.#judgeEvidence(event.evidence))
        break
      case 'suspect':
        this.tell({ type: 'suspect' })
        break
      case 'listening':
        this.tell({ type: 'link.listening' })
        if (event.gap) {
          this.#contents?.mark()
          this.tell({ type: 'lists.changed' })
        } else {
          this.#contents?.opened()
          if (this.#phase === 'ready') this.#tellUnheard()
        }
        break
      case 'post-only':
        this.tell({ type: 'link.postOnly' })
        break
      case 'listening-ended':
        this.#runtime.onNote?.({ type: 'cut', evidence: event.evidence })
        break
      case 'noise':
      case 'stderr':
        this.#runtime.onNote?.(event)
    }
  }

  /** The gate turned the link away. */
  refuse(evidence: WireEvidence): void {
    this.tell({ type: 'fault', fault: this.#judgeEvidence(evidence) })
  }

  #tellUnheard(): void {
    if (this.#contents?.takeUnheard()) this.tell({ type: 'lists.unheard' })
  }

  #fail(error: unknown): void {
    if (!this.#left) this.#meet(this.#judge(error))
  }

  /** A fault of one exchange is no fault of the link, but may be a reason to look after it. */
  #meet(fault: Fault): void {
    if (fault.scope === 'link') {
      this.#tellFault(fault)
      return
    }
    this.#runtime.onNote?.({ type: 'call-fault', fault })
    if (wantsScope(fault)) this.tell({ type: 'scope.insufficient', fault, credentialEpoch: complainsOf(fault) })
    else if (fault.suspect) this.tell({ type: 'suspect' })
  }

  #judge(error: unknown): Fault {
    const evidence = evidenceOf(error)
    if (evidence) return this.#judgeEvidence(evidence)
    // What an application's function throws may hold anything; only its kind is told.
    const summary = `${error instanceof Error ? error.name : 'something that is no error'} was thrown`
    return this.#judgeEvidence({ kind: 'thrown', wire: this.#link?.wire.kind ?? 'custom', summary })
  }

  #judgeEvidence(evidence: WireEvidence): Fault {
    const askedVersion = this.#input.dialect.version ?? supportedVersions[0]
    return judge(this.#runtime, evidence, this.#phase, { ...this.#input, askedVersion })
  }

  /** What a fault says of the link, beside what the chart makes of it. */
  #note(fault: Fault): void {
    if (fault.class === 'session-expired' && !fault.endsSession) this.#runtime.noteLostSession()
    if (fault.evidence.kind === 'timeout' && this.#link) this.#proberOf(this.#link).doubt()
  }

  #tellFault(met: Fault): void {
    if (this.#left) return
    const fault = this.#counted(met)
    this.#note(fault)
    this.#admission?.heed(fault)
    this.tell({ type: 'fault', fault, credentialEpoch: complainsOf(fault) })
  }

  /** A process that ended too early is counted for all connections to its command. */
  #counted(fault: Fault): Fault {
    if (!isEarlyExit(fault)) return fault
    const earlyExits = this.#admission?.crashed(fault.evidence)
    return { ...fault, evidence: { ...fault.evidence, earlyExits } }
  }

  /** The chart is told, for as long as it knows of this link. */
  tell(event: LinkEvent): void {
    if (!this.#left) this.#sendBack(event)
  }
}
