import { type Connection, statusOf } from '../../connection/index.js'
import { CallRefusedError, CallTimeoutError, LifelineError, QueueFullError } from '../../errors.js'
import type { DrivenClock } from './driven-clock.js'
import type { Deed } from './schedule.js'
import type { Trace } from './trace.js'

/** One call that the application made, and what came of it. */
export interface MadeCall {
  readonly key: string
  /** Running it twice does harm, and nobody said otherwise. */
  readonly unsafe: boolean
  /** The link that was there, or was the last to be there, when it was made. */
  readonly generation: number
  readonly begunAt: number
  /** Before it, nothing but its own caller gives it up. */
  readonly dueAt: number
  /** Moves where progress extends the time. */
  deadline: number
  settledAt?: number
  outcome?: 'answered' | 'aborted' | 'certainly not run' | 'not answered' | string
}

interface Surrounding {
  readonly clock: DrivenClock
  readonly trace: Trace
  readonly trusted: boolean
  readonly callMs: number
  /** Tells its calls from those of others. */
  readonly prefix?: string
}

/** The application above the connection: it calls, changes its mind, and keeps account of what it was told. */
export class SimulatedApplication {
  readonly calls: MadeCall[] = []
  /** Resources about which the server may know something else than was asked for last: a request of that failed. */
  readonly unsure = new Set<string>()
  /** Requests that the application makes beside its calls and that are not answered yet. */
  asking = 0
  closed = false
  /** Told of everything that did not hold. */
  readonly #breach: (invariant: string, message: string) => void
  readonly #heard: (told: unknown, where: string) => void
  readonly #connection: Connection
  readonly #clock: DrivenClock
  readonly #trace: Trace
  readonly #trusted: boolean
  readonly #prefix: string
  readonly #open = new Set<MadeCall>()
  #callMs: number
  #moves = 0

  constructor(
    connection: Connection,
    { clock, trace, trusted, callMs, prefix = '' }: Surrounding,
    breach: (invariant: string, message: string) => void,
    /** Hears every error, whatever it is about. */
    heard: (told: unknown, where: string) => void,
  ) {
    this.#heard = heard
    this.#connection = connection
    this.#clock = clock
    this.#trace = trace
    this.#trusted = trusted
    this.#callMs = callMs
    this.#prefix = prefix
    this.#breach = breach
  }

  /** Links that were begun. */
  get links(): number {
    return this.#connection.actor.getSnapshot().context.generation
  }

  /** Calls that are not settled. */
  get open(): ReadonlySet<MadeCall> {
    return this.#open
  }

  perform(deed: Deed): void {
    const connection = this.#connection
    switch (deed.do) {
      case 'call':
        for (let i = 0; i < deed.times; i++) void this.call(deed)
        break
      case 'subscribe':
        this.#ask(() => connection.subscribe(deed.uri), deed.uri)
        break
      case 'unsubscribe':
        this.#ask(() => connection.unsubscribe(deed.uri), deed.uri)
        break
      case 'log level':
        this.#ask(() => connection.setLogLevel(deed.level), 'log level')
        break
      case 'connect':
        this.#ask(() => connection.connect())
        break
      case 'reconnect':
        this.#ask(() => connection.reconnect())
        break
      case 'disconnect':
        this.#ask(() => connection.disconnect())
        break
      case 'retry':
        connection.retry()
        break
      case 'configure':
        connection.configure({ policy: deed.policy })
        this.#callMs = deed.policy.timeouts?.callMs ?? this.#callMs
        break
      case 'move':
        this.#move()
        break
      case 'close':
        this.closed = true
        this.#ask(() => connection.close())
    }
  }

  /** Resolves when the call is settled, whatever came of it. */
  async call(deed: Extract<Deed, { do: 'call' }>): Promise<void> {
    const { tool, timeoutMs = this.#callMs, abortAfterMs, progress, replay } = deed
    const begunAt = this.#clock.elapsed
    const dueAt = begunAt + Math.min(timeoutMs, progress?.maxTotalMs ?? timeoutMs)
    const call: MadeCall = {
      key: `${this.#prefix}call-${this.calls.length + 1}`,
      unsafe: replay !== 'always' && !(tool === 'read' && this.#trusted),
      generation: this.#connection.actor.getSnapshot().context.generation,
      begunAt,
      dueAt,
      deadline: dueAt,
    }
    this.calls.push(call)
    this.#open.add(call)
    const abort = abortAfterMs === undefined ? undefined : new AbortController()
    if (abort) this.#clock.plan(abortAfterMs ?? 0, () => abort.abort())
    this.#trace.note(`application: ${call.key} ${tool}`)
    const { key } = call
    const options = {
      ...deedOptions(deed),
      ...(abort && { signal: abort.signal }),
      ...(progress && { ...progress, onProgress: this.#hearer(call, timeoutMs, progress.maxTotalMs) }),
    }
    let outcome: string
    try {
      const { content } = await this.#connection.callTool({ name: tool, arguments: { key } }, options)
      outcome = 'answered'
      const text = (content[0] as { text?: unknown } | undefined)?.text
      if (text !== key) this.#breach('every call gets its own answer', `${key} got ${String(text)}`)
    } catch (error) {
      this.#heard(error, `the error of ${key}`)
      outcome = abort?.signal.aborted ? 'aborted' : this.#meaning(error)
    }
    call.settledAt = this.#clock.elapsed
    call.outcome = outcome
    this.#open.delete(call)
    this.#trace.note(`application: ${key} ${outcome}`)
  }

  /** Progress is of this call alone, goes up each time it is sent, and ends with it. */
  #hearer(call: MadeCall, timeoutMs: number, maxTotalMs: number | undefined) {
    let last = { sending: 0, progress: 0 }
    return ({ progress, message = '' }: { progress: number; message?: string }) => {
      const [key, sending] = [message.split(' ')[0], Number(message.split(' ')[1])]
      const told = `${call.key} is told of ${message}: ${progress}`
      if (key !== call.key) this.#breach('progress is of its own call', told)
      const isNext = sending > last.sending || (sending === last.sending && progress > last.progress)
      if (!isNext) this.#breach('progress comes in order', told)
      if (call.settledAt !== undefined) this.#breach('no progress comes after the end of a call', told)
      last = { sending, progress }
      if (maxTotalMs === undefined) return
      call.deadline = Math.min(call.begunAt + maxTotalMs, this.#clock.elapsed + timeoutMs)
    }
  }

  #meaning(error: unknown): string {
    if (error instanceof CallRefusedError || error instanceof QueueFullError) return 'certainly not run'
    if (error instanceof CallTimeoutError) return error.sent ? 'not answered' : 'certainly not run'
    if (error instanceof LifelineError) return error.code
    this.#breach('every error is one of the library’s', String(error))
    return 'odd'
  }

  #ask(deed: () => Promise<void>, about?: string): void {
    this.asking += 1
    const done = (outcome: string) => {
      this.asking -= 1
      this.#trace.note(
        `application: ${about ?? 'a command'} ${outcome} in ${statusOf(this.#connection.actor.getSnapshot())}`,
      )
    }
    deed().then(
      () => done('done'),
      (error: unknown) => {
        this.#heard(error, `the error of ${about ?? 'a command'}`)
        if (about !== undefined) this.unsure.add(about)
        if (!(error instanceof LifelineError)) this.#breach('every error is one of the library’s', String(error))
        done('failed')
      },
    )
  }

  #move(): void {
    this.#moves += 1
    const moved = `${addressOf(this.#connection.name)}?${this.#moves}`
    const { wire } = this.#connection.actor.getSnapshot().context
    if (wire === 'http') this.#connection.configure({ target: { url: moved, kind: 'http' } })
  }
}

/** No two simulations share an address: what the process remembers of one is nothing to another. */
export const addressOf = (name: string): string => `http://${name}.test/mcp`

const deedOptions = ({ timeoutMs, replay }: Extract<Deed, { do: 'call' }>) => ({
  ...(timeoutMs !== undefined && { timeoutMs }),
  ...(replay && { replay }),
})
