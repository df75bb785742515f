import { type Clock, elapsed } from '../../clock.js'
import { forgetLive, noteLive } from './live-trees.js'
import { type ProcessTree, processTree } from './process-tree.js'
import type { PipedChild } from './spawn.js'
import { type ProcessSystem, processSystem } from './system.js'

/**
 * How long after the first sign of the end (exit, or EOF on stdout) the other signs are waited for: a last answer may
 * still be in the pipe, the exit code still under way. A descendant that holds the pipes keeps them from closing for
 * ever, so more than this is not given (SDK trap 6).
 */
const LAST_WORDS_MS = 50
/** What a leader that died by itself left behind in its group has this long to end too. */
const SURVIVOR_GRACE_MS = 100
/** The same when we asked it to end: its descendants may be putting things in order. */
const ASKED_SURVIVOR_GRACE_MS = 500
/** SIGKILL cannot be refused; only a process stuck in the kernel takes longer than a moment. */
const KILL_WAIT_MS = 500
const SURVIVOR_POLL_MS = 20

/** What is known of the end of a server process. */
export interface ProcessEnd {
  /** Absent when the process was not seen to end: it closed its stdout, or stopped taking input. */
  readonly exit?: { readonly code: number | null; readonly signal: NodeJS.Signals | null }
  /** The error of its stdin, when that was what told. */
  readonly errno?: string
  readonly first: 'exit' | 'stdout' | 'stdin'
}

export interface ProcessHandlers {
  stdout(chunk: Buffer): void
  stderr(chunk: Buffer): void
  /** The process is of no more use. Called once; stdout has been read to its end, as far as it has one. */
  ended(end: ProcessEnd): void
}

/** Read as they stand: a grace may change while it is given. */
export interface ProcessSettings {
  readonly clock: Clock
  readonly eofGraceMs: number
  readonly termGraceMs: number
  readonly watchdog: boolean
}

/** A server's process from spawn until nothing is left of it. */
export class ServerProcess {
  readonly pid: number
  readonly #child: PipedChild
  readonly #clock: Clock
  readonly #settings: ProcessSettings
  readonly #system: ProcessSystem
  readonly #tree: ProcessTree
  readonly #handlers: ProcessHandlers
  readonly #exited: Promise<void>
  #exit: ProcessEnd['exit']
  #errno: string | undefined
  #first: ProcessEnd['first'] | undefined
  #openOutputs = 2
  #lastWords: unknown
  /** Whether we asked it to end: then only its exit counts as the end, not the signs before it. */
  #asked = false
  #ended = false
  readonly #told: Promise<void>
  #changed = bell()
  #tell: () => void = () => {}
  #ending: Promise<void> | undefined

  constructor(child: PipedChild, settings: ProcessSettings, handlers: ProcessHandlers) {
    this.pid = child.pid
    this.#child = child
    this.#clock = settings.clock
    this.#settings = settings
    this.#handlers = handlers
    this.#system = processSystem()
    this.#tree = processTree(child.pid, this.#system)
    noteLive(child.pid, settings.watchdog)
    this.#told = new Promise((resolve) => {
      this.#tell = resolve
    })
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#exit = { code, signal }
        resolve()
        this.#sawEnd('exit')
      })
    })
    // After the spawn this tells of a failed kill only, and we do not kill through the child object.
    child.on('error', () => {})
    child.stdin.on('error', (error: NodeJS.ErrnoException) => {
      this.#errno ??= error.code
      this.#sawEnd('stdin')
    })
    this.#watchOutput(child.stdout, handlers.stdout, () => this.#sawEnd('stdout'))
    this.#watchOutput(child.stderr, handlers.stderr, () => this.#gatherEnd())
  }

  /** What goes to the process. */
  get stdin(): PipedChild['stdin'] {
    return this.#child.stdin
  }

  /** Resolves when the system says that the program runs, or has ended. */
  started(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.once('spawn', resolve)
      this.#child.once('exit', () => resolve())
    })
  }

  /**
   * Ends the process and its group: EOF on stdin, then SIGTERM, then SIGKILL, with the graces in between. Resolves when
   * nothing is left of it within reach and `ended` has been called. Any number of calls share one ending.
   */
  end(): Promise<void> {
    if (this.#ending === undefined) {
      this.#asked = true
      this.#ending = this.#endTree().then(() => this.#release())
    }
    return this.#ending
  }

  /** A grace that is being given is measured anew. */
  gracesChanged(): void {
    const { ring } = this.#changed
    this.#changed = bell()
    ring()
  }

  #watchOutput(stream: PipedChild['stdout'], data: (chunk: Buffer) => void, closed: () => void): void {
    stream.on('data', data)
    // A read error is the end of the stream as far as we are concerned; 'close' follows it.
    stream.on('error', () => {})
    let open = true
    const end = () => {
      if (!open) return
      open = false
      this.#openOutputs--
      closed()
    }
    stream.once('end', end)
    stream.once('close', end)
  }

  #sawEnd(sign: ProcessEnd['first']): void {
    this.#first ??= sign
    if (sign === 'exit' && this.#ending === undefined) {
      this.#ending = this.#reapSurvivors().then(() => this.#release())
    }
    this.#gatherEnd()
  }

  #gatherEnd(): void {
    if (this.#first === undefined || this.#ended || (this.#asked && !this.#exit)) return
    if (this.#exit && this.#openOutputs === 0) {
      this.#tellEnd()
      return
    }
    // Where the event loop was held up, the time is over before the pipes have been looked at: once, they are.
    this.#lastWords ??= this.#clock.setTimeout(() => this.#system.afterPipes(() => this.#tellEnd()), LAST_WORDS_MS)
  }

  #tellEnd(): void {
    if (this.#ended || this.#first === undefined) return
    this.#ended = true
    this.#clock.clearTimeout(this.#lastWords)
    this.#handlers.ended({
      first: this.#first,
      ...(this.#exit ? { exit: this.#exit } : {}),
      ...(this.#errno === undefined ? {} : { errno: this.#errno }),
    })
    this.#tell()
    // One that closed its stdout or stdin and lives on is of no use to anybody.
    void this.end()
  }

  async #endTree(): Promise<void> {
    this.#child.stdin.end()
    if (await this.#gone(() => this.#settings.eofGraceMs)) return
    if (this.#tree.terminate() && (await this.#gone(() => this.#settings.termGraceMs))) return
    this.#tree.kill()
    await this.#gone(() => KILL_WAIT_MS)
  }

  async #gone(withinMs: () => number): Promise<boolean> {
    const begunAt = elapsed(this.#clock)
    const left = () => Math.max(0, begunAt + withinMs() - elapsed(this.#clock))
    do await this.#within(left(), Promise.race([this.#exited, this.#changed.rung]))
    while (!this.#exit && left() > 0)
    if (!this.#exit) return false
    return this.#survivorsGone(Math.min(left(), ASKED_SURVIVOR_GRACE_MS))
  }

  async #reapSurvivors(): Promise<void> {
    if (await this.#survivorsGone(SURVIVOR_GRACE_MS)) return
    this.#tree.kill()
    await this.#survivorsGone(KILL_WAIT_MS)
  }

  async #survivorsGone(withinMs: number): Promise<boolean> {
    const deadline = elapsed(this.#clock) + withinMs
    // Looked at before the first wait: a group that is empty may be given to somebody else from now on.
    while (this.#tree.hasSurvivors()) {
      if (elapsed(this.#clock) >= deadline) return false
      await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, SURVIVOR_POLL_MS))
    }
    return true
  }

  async #within(ms: number, event: Promise<void>): Promise<void> {
    let timer: unknown
    const late = new Promise<void>((resolve) => {
      timer = this.#clock.setTimeout(resolve, ms)
    })
    await Promise.race([event, late])
    this.#clock.clearTimeout(timer)
  }

  async #release(): Promise<void> {
    forgetLive(this.pid)
    // Not even SIGKILL has shown an effect: it is over for us all the same.
    if (!this.#exit) {
      this.#first ??= 'exit'
      this.#tellEnd()
    }
    await this.#told
    // Descendants out of reach may hold the other ends for ever; they must not hold this process too.
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy()
    this.#child.unref()
  }
}

/** Something that is waited for until it is rung. */
function bell(): { rung: Promise<void>; ring: () => void } {
  let ring = (): void => {}
  const rung = new Promise<void>((resolve) => {
    ring = resolve
  })
  return { rung, ring }
}
