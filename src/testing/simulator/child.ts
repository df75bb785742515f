import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { isRequest, type JsonRpcMessage, type JsonRpcRequest } from '../../wire/messages.js'
import type { Chance } from './chance.js'
import { ChildOutput } from './child-output.js'
import type { ChildTraits } from './child-traits.js'
import type { DrivenClock } from './driven-clock.js'
import { keyOf, type SimulatedServer } from './server.js'
import type { ServerSession } from './session.js'
import { StdinPipe } from './stdin-pipe.js'

/** How a process ended: one of the two is there. */
export interface ChildEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ChildSurroundings {
  readonly clock: DrivenClock
  readonly chance: Chance
  readonly traits: ChildTraits
  readonly server: SimulatedServer
  /** How much slower everything is just now, in milliseconds. */
  readonly extraMs: () => number
  /** Asked at each call: how the process ends there, if it does. */
  readonly lastCall: () => { readonly when: 'before' | 'after'; readonly end: ChildEnd } | undefined
  /** Something showed to whoever started it: its exit, the end of its output, or that nothing is left of its group. */
  readonly onSign: (child: SimulatedChild) => void
  /** It reads a request. */
  readonly onRequest: (child: SimulatedChild, request: JsonRpcRequest) => void
}

const lines = ['starting up…', '{"level":"info"}', '{not json', '[]', 'Überraschung 🎲 für alle', '']

/** A process that runs the simulated server, as whoever starts one sees it: three pipes, signals and an end. */
export class SimulatedChild extends EventEmitter {
  readonly pid: number
  readonly stdout = new Readable({ read() {} })
  readonly stderr = new Readable({ read() {} })
  session: ServerSession | undefined
  isAlive = true
  /** The exit was told. */
  isOver = false
  /** Its stdout has ended. */
  isMute = false
  /** Somebody wants it to end: its stdin was closed or a signal was sent. */
  isAsked = false
  hasHelper: boolean
  readonly #around: ChildSurroundings
  readonly #stdin: StdinPipe
  readonly #output: ChildOutput
  #isUp = false
  #isFrozen = false
  #isDeaf = false
  #isTermPending = false
  #isReading = false
  #line = ''

  constructor(pid: number, around: ChildSurroundings) {
    super()
    this.pid = pid
    this.#around = around
    this.hasHelper = around.traits.helper !== 'none'
    this.#output = new ChildOutput({
      stream: this.stdout,
      chance: around.chance,
      plan: (ms, fn) => this.#plan(ms, fn),
      extraMs: around.extraMs,
      isStopped: () => this.#isFrozen || this.isMute,
    })
    this.#stdin = new StdinPipe(around.traits.pipeBytes, () => {
      this.isAsked ||= this.#stdin.ended
      this.#read()
    })
  }

  get stdin() {
    return this.#stdin.writable
  }

  /** Something of its group runs. */
  get isThere(): boolean {
    return this.isAlive || this.hasHelper
  }

  unref(): void {}

  /** It was started: it gets to work after a while, or ends before. */
  begin(extraMs: number, early: { readonly afterMs: number; readonly end: ChildEnd } | undefined): void {
    const { chance, traits } = this.#around
    const [least, most] = traits.startMs
    const upIn = chance.whole(least, most) + extraMs
    this.#plan(0, () => this.emit('spawn'))
    if (early) this.#plan(early.afterMs, () => this.die(early.end))
    this.#plan(upIn, () => {
      if (!this.#around.server.up) this.die({ code: 1, signal: null })
      this.#isUp = true
      this.#read()
    })
  }

  /** Does nothing, or goes on. */
  freeze(isFrozen: boolean): void {
    this.#isFrozen = isFrozen
    if (isFrozen) return
    if (this.#isTermPending) this.#terminate()
    this.#output.goOn()
    this.#read()
  }

  /** Reads nothing, or goes on. */
  deafen(isDeaf: boolean): void {
    this.#isDeaf = isDeaf
    if (!isDeaf) this.#read()
  }

  /** Writes lines that nobody asked for. */
  babble(on: 'stdout' | 'stderr', count: number): void {
    const text = Array.from({ length: count }, () => `${this.#around.chance.pick(lines)}\n`).join('')
    if (on === 'stdout') this.#output.write(text)
    else if (this.isAlive && !this.#isFrozen) this.stderr.push(text)
  }

  closeStdout(): void {
    if (this.isMute) return
    this.isMute = true
    this.stdout.push(null)
    this.#around.onSign(this)
  }

  die(end: ChildEnd): void {
    if (!this.isAlive) return
    const { chance, server, traits, onSign } = this.#around
    this.isAlive = false
    server.trace.note(`child ${this.pid}: ended by ${end.signal ?? end.code}`)
    if (this.session) server.leave(this.session)
    this.#stdin.break()
    // What is told of an end comes in any order.
    const [exitIn, outputsIn] = [chance.mostlySmall(0, 30), chance.mostlySmall(0, 30)]
    this.#around.clock.plan(exitIn, () => {
      this.isOver = true
      this.stdin.destroy()
      this.emit('exit', end.code, end.signal)
      onSign(this)
    })
    this.#around.clock.plan(outputsIn, () => {
      if (!this.hasHelper || traits.helper === 'plain') this.#endOutputs()
    })
  }

  /** A signal to it and everything in its group. */
  signal(name: NodeJS.Signals | 0): void {
    if (name === 0) return
    const { clock, chance } = this.#around
    this.isAsked = true
    if (name === 'SIGKILL') {
      clock.plan(chance.whole(0, 3), () => {
        this.die({ code: null, signal: name })
        this.#endHelper()
      })
    } else if (this.#isFrozen) this.#isTermPending = true
    else this.#terminate()
  }

  #terminate(): void {
    const { traits, chance, clock } = this.#around
    if (traits.ignoresTerm) return
    clock.plan(chance.mostlySmall(0, 300), () => {
      this.die(chance.pick([{ code: null, signal: 'SIGTERM' } as const, { code: 0, signal: null }]))
      this.#endHelper()
    })
  }

  #endHelper(): void {
    if (!this.hasHelper) return
    this.hasHelper = false
    if (!this.isAlive) this.#endOutputs()
    this.#around.onSign(this)
  }

  #endOutputs(): void {
    this.closeStdout()
    this.stderr.push(null)
  }

  #plan(ms: number, fn: () => void): void {
    this.#around.clock.plan(ms, () => {
      if (this.isAlive) fn()
    })
  }

  get #reads(): boolean {
    return this.isAlive && this.#isUp && !this.#isFrozen && !this.#isDeaf
  }

  #read(): void {
    if (!this.#reads || this.#isReading) return
    this.#isReading = true
    const { chance, extraMs, traits } = this.#around
    this.#plan(chance.mostlySmall(0, 5) + extraMs(), () => {
      this.#isReading = false
      if (!this.#reads) return
      const text = this.#line + this.#stdin.read()
      const whole = text.split('\n')
      this.#line = whole.pop() ?? ''
      for (const line of whole) if (this.isAlive) this.#receive(JSON.parse(line))
      if (this.#stdin.ended && !traits.ignoresEof) this.#leave()
    })
  }

  /** Its input has ended: it puts its things in order and goes. */
  #leave(): void {
    const { chance, clock } = this.#around
    clock.plan(chance.mostlySmall(0, 500), () => {
      if (this.#isFrozen) return
      this.die({ code: 0, signal: null })
      this.#endHelper()
    })
  }

  #receive(message: JsonRpcMessage): void {
    const { server, lastCall, onRequest } = this.#around
    if (!isRequest(message)) {
      if (this.session) server.asks.hear(this.session, message)
      return
    }
    onRequest(this, message)
    const answer = (body: object) => this.#tell({ jsonrpc: '2.0', id: message.id, ...body })
    if (message.method === 'initialize') {
      const session = server.begin()
      session.notify = (notification) => this.#tell(notification)
      this.session = session
      answer({ result: server.greeting(message) })
      return
    }
    if (!this.session) return
    const last = keyOf(message) === undefined ? undefined : lastCall()
    if (last?.when === 'before') this.die(last.end)
    else
      server.handle(this.session, message, last ? () => this.die(last.end) : answer, (meanwhile) =>
        this.#tell(meanwhile),
      )
  }

  #tell(message: object): void {
    const { chance, traits } = this.#around
    if (chance.happens(traits.babbles)) this.babble('stdout', 1)
    this.#output.write(`${JSON.stringify(message)}\n`)
  }
}
