import { type Observable, Subject } from 'rxjs'
import type { WireEvidence } from '../../../machines/evidence.js'
import type { Clock } from '../../clock.js'
import { failureResponse, WireError } from '../failure.js'
import { isNotification, isRequest, type JsonRpcId, type JsonRpcMessage } from '../messages.js'
import type { SendOptions, Wire, WireEvent } from '../wire.js'
import { childEnvironment } from './environment.js'
import { closedEvidence, endEvidence, stdioEvidence } from './evidence.js'
import { LineReader } from './framing.js'
import { Inbox } from './inbox.js'
import { NoiseMeter } from './noise.js'
import { DEFAULT_GRACE_MS, type StdioWireOptions, withDefaults } from './options.js'
import { Outgoing } from './outgoing.js'
import { Pending } from './pending.js'
import { type ProcessEnd, ServerProcess } from './server-process.js'
import { spawnFailure } from './spawn-failure.js'
import { StderrTail } from './stderr-tail.js'
import { processSystem } from './system.js'

/** Where the wire stands. It only ever moves to the right. */
type Phase = 'new' | 'starting' | 'open' | 'closing' | 'ended'

/** Of the time that closing has: two graces, and a rest for the end by force. */
const GRACE_SHARE = 0.4

const DONE = Promise.resolve()

/**
 * A server run as a child process that speaks over its stdin and stdout, one JSON-RPC message a line.
 *
 * Fits wherever the SDK takes a `Transport`. Beyond what {@link Wire} promises:
 *
 * - The wire ends when the process exits, closes its stdout or stops taking input, whichever shows first, and never
 *   waits for its pipes to be released by descendants. What it wrote before it exited is still delivered.
 * - Closing leaves nothing of its process group. A descendant that made a session of its own (`setsid`) is out of
 *   reach and gets only the end of stdin.
 * - Lines on stdout that are no messages are counted and told, and do no harm; stderr is always drained.
 */
export class StdioWire implements Wire {
  readonly kind = 'stdio'
  readonly events$: Observable<WireEvent>
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  // biome-ignore lint/suspicious/noExplicitAny: see TransportLike
  onmessage?: ((message: any, extra?: any) => void) | undefined

  readonly #options: ReturnType<typeof withDefaults>
  readonly #clock: Clock
  readonly #events = new Subject<WireEvent>()
  readonly #pending = new Pending()
  readonly #stderr: StderrTail
  readonly #noise: NoiseMeter
  readonly #lines: LineReader
  #phase: Phase = 'new'
  #process: ServerProcess | undefined
  #outgoing: Outgoing | undefined
  #end: ProcessEnd | undefined
  #starting: Promise<void> = DONE
  #closing: Promise<void> | undefined
  #lastLifeAt = 0

  constructor(options: StdioWireOptions) {
    this.#options = withDefaults(options)
    const { clock, maxMessageBytes, redact, stderrTailBytes } = this.#options
    this.#clock = clock
    this.events$ = this.#events.asObservable()
    this.#stderr = new StderrTail(stderrTailBytes, redact)
    this.#noise = new NoiseMeter(clock, (text, count) =>
      this.#events.next({ type: 'noise', text: redact(text), count }),
    )
    const inbox = new Inbox({
      pending: this.#pending,
      noise: this.#noise,
      deliver: (message) => this.#deliver(message),
      suspect: (evidence) => this.#events.next({ type: 'suspect', evidence }),
    })
    this.#lines = new LineReader(maxMessageBytes, inbox)
  }

  /** Id of the server's process and of its process group; `undefined` until it runs. */
  get pid(): number | undefined {
    return this.#process?.pid
  }

  get lastLifeAt(): number {
    return this.#lastLifeAt
  }

  get pending(): number {
    return this.#pending.size
  }

  /**
   * Starts the process; resolves when the system runs it, which says nothing yet about the server in it.
   *
   * @throws {WireError} `spawn` when it could not be started, with what was at fault as `subject`; `closed` when the
   *   wire was closed meanwhile or started before.
   */
  start(): Promise<void> {
    if (this.#phase !== 'new') {
      const summary = this.#phase === 'ended' ? 'this wire has ended; a new one is needed' : 'already started'
      return Promise.reject(new WireError(stdioEvidence('closed', summary)))
    }
    this.#phase = 'starting'
    const starting = this.#start()
    this.#starting = starting.catch(() => {})
    return starting
  }

  /**
   * As {@link Wire} says. Resolves when the message has been handed to the pipe; a request at once, however long a
   * server that does not read makes it wait.
   *
   * @throws {WireError} for a notification or a response that cannot be delivered, and for anything before the start
   */
  send(message: JsonRpcMessage, _options?: SendOptions): Promise<void> {
    if (this.#phase === 'open' && this.#outgoing) {
      if (isRequest(message)) return this.#outgoing.request(message)
      this.#forgetCancelled(message)
      return this.#outgoing.other(message)
    }
    if (this.#phase === 'new' || this.#phase === 'starting') {
      return Promise.reject(new WireError(stdioEvidence('closed', 'not started yet', { sent: false })))
    }
    const ended = stdioEvidence('closed', 'the wire has ended', { sent: false })
    if (!isRequest(message)) return Promise.reject(new WireError(ended))
    this.#failLater(message.id, { ...ended, method: message.method })
    return DONE
  }

  /** Each grace becomes so short that both and what follows them fit into the time. */
  limitClosing(closeMs: number): void {
    const graceMs = Math.min(DEFAULT_GRACE_MS, closeMs * GRACE_SHARE)
    this.#options.eofGraceMs = graceMs
    this.#options.termGraceMs = graceMs
    this.#process?.gracesChanged()
  }

  /**
   * Answers every open request, ends the process politely first and by force in the end, and resolves when nothing is
   * left of it: after `eofGraceMs + termGraceMs` and half a second at the latest.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #start(): Promise<void> {
    const { command, args, cwd, env, inheritEnv, maxMessageBytes } = this.#options
    const environment = childEnvironment({
      own: env,
      inherit: inheritEnv,
      from: process.env,
      platform: process.platform,
    })
    const spawned = processSystem().start({ command, args, cwd, env: environment })
    if ('failed' in spawned) {
      const error = await spawnFailure({ command, cwd }, await spawned.failed)
      this.#finish(error.evidence, false)
      throw error
    }
    this.#process = new ServerProcess(spawned.child, this.#options, {
      stdout: (chunk) => this.#read(chunk),
      stderr: (chunk) => this.#readStderr(chunk),
      ended: (end) => this.#processEnded(end),
    })
    this.#outgoing = new Outgoing({
      stdin: this.#process.stdin,
      maxMessageBytes,
      pending: this.#pending,
      fail: (id, evidence) => this.#failLater(id, evidence),
    })
    await this.#process.started()
    if (this.#phase !== 'starting') throw new WireError(stdioEvidence('closed', 'closed while starting'))
    this.#phase = 'open'
  }

  async #close(): Promise<void> {
    if (this.#phase === 'ended') {
      await this.#process?.end()
      return
    }
    this.#phase = 'closing'
    this.#answerAll(stdioEvidence('closed', 'closed by us'))
    if (!this.#process) await this.#starting
    await this.#process?.end()
    this.#finish(closedEvidence(this.#end, this.#stderr.text()), true)
  }

  /** Nobody waits for the answer to a cancelled request any more: one that comes late is nobody's. */
  #forgetCancelled(message: JsonRpcMessage): void {
    if (!isNotification(message) || message.method !== 'notifications/cancelled') return
    const id = message.params?.requestId
    if (typeof id === 'string' || typeof id === 'number') this.#pending.take(id)
  }

  #deliver(message: JsonRpcMessage): void {
    if (this.#phase !== 'starting' && this.#phase !== 'open') return
    this.#lastLifeAt = this.#clock.now()
    this.#hand(message)
  }

  #hand(message: JsonRpcMessage): void {
    try {
      this.onmessage?.(message)
    } catch (error) {
      this.#threw(error)
    }
  }

  /** A handler that throws must not take the reader, or the end of the wire, and so all other requests along. */
  #threw(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error(String(error)))
  }

  #read(chunk: Buffer): void {
    // Read to the end even then, or the child would block on a full pipe instead of ending.
    if (this.#phase === 'closing' || this.#phase === 'ended') return
    this.#lines.push(chunk)
    // Part of a long message is life too; log lines of a server that is otherwise stuck are not.
    if (this.#lines.midLine) this.#lastLifeAt = this.#clock.now()
  }

  #readStderr(chunk: Buffer): void {
    if (this.#phase === 'ended') return
    this.#stderr.push(chunk)
    if (this.#events.observed) this.#tellStderr(this.#stderr.lines(chunk))
  }

  #tellStderr(text: string): void {
    if (text !== '') this.#events.next({ type: 'stderr', text })
  }

  #processEnded(end: ProcessEnd): void {
    this.#end = end
    this.#lines.end()
    // While closing, `close()` finishes once nothing is left.
    if (this.#phase === 'closing') return
    this.#finish(endEvidence(this.#options.command, end, this.#stderr.text()), false)
  }

  #finish(evidence: WireEvidence, byUs: boolean): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#answerAll(evidence)
    this.#noise.end()
    this.#tellStderr(this.#stderr.rest())
    this.#events.next({ type: 'closed', evidence, byUs })
    this.#events.complete()
    try {
      this.onclose?.()
    } catch (error) {
      this.#threw(error)
    }
  }

  #answerAll(evidence: WireEvidence): void {
    for (const [id, { method, wasSent }] of this.#pending.takeAll()) {
      this.#hand(failureResponse(id, { ...evidence, method, sent: wasSent }))
    }
    this.#outgoing?.lose(evidence)
  }

  /** Later, as an answer that came from within `send` would be there before anybody waits for it. */
  #failLater(id: JsonRpcId, evidence: WireEvidence): void {
    queueMicrotask(() => this.#hand(failureResponse(id, evidence)))
  }
}
