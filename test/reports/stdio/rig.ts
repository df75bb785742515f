/** What the field reports about processes are played on: a connection to a scripted child, and the child's own log. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SimulatedClock } from 'xstate'
import {
  type CallToolResult,
  type Connection,
  type ConnectionOptions,
  createConnection,
  type Status,
} from '../../../src/index.js'
import { type ChildLogLine, type ChildScript, childServer, readChildLog } from '../../../src/testing/child/index.js'
import { isAlive } from '../../wire/stdio/is-alive.js'

export { isAlive }

export type ChildSceneOptions = Omit<ConnectionOptions, 'name' | 'target'>

/** Looks again and again until it is so: there is no event for what happens in another process. */
export async function eventually(isSo: () => boolean, withinMs = 8_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`not so within ${withinMs} ms: ${isSo}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** One connection to one command, and everything its processes wrote down. Disposing of it leaves no process. */
export class ChildScene implements AsyncDisposable {
  readonly connection: Connection
  readonly folder: string
  /** Statuses from the beginning, in order. */
  readonly statuses: Status[] = []
  readonly #logFile: string

  constructor(script: (file: (name: string) => string) => ChildScript, options: ChildSceneOptions) {
    this.folder = mkdtempSync(join(tmpdir(), 'lifeline-'))
    this.#logFile = this.file('log')
    const target = childServer({ log: this.#logFile, ...script((name) => this.file(name)) })
    this.connection = createConnection({ name: 'test', target, ...options })
    this.connection.status$.subscribe((status) => this.statuses.push(status))
  }

  /** A file of this scene. */
  file(name: string): string {
    return join(this.folder, name)
  }

  get log(): ChildLogLine[] {
    return readChildLog(this.#logFile)
  }

  of(event: ChildLogLine['event']): ChildLogLine[] {
    return this.log.filter((line) => line.event === event)
  }

  get starts(): ChildLogLine[] {
    return this.of('start')
  }

  /** Process ids of all children so far, in order. */
  get pids(): number[] {
    return this.starts.map(({ pid }) => pid)
  }

  get living(): number[] {
    return this.pids.filter(isAlive)
  }

  /** Messages of this method that the children received. */
  messages(method: string): ChildLogLine[] {
    return this.log.filter(({ message }) => message?.method === method)
  }

  async received(method: string, times = 1): Promise<ChildLogLine> {
    await eventually(() => this.messages(method).length >= times)
    return this.messages(method)[times - 1] as ChildLogLine
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close()
    const left = this.log.map(({ pid }) => pid).filter(isAlive)
    for (const pid of left) process.kill(pid, 'SIGKILL')
    rmSync(this.folder, { recursive: true })
    if (left.length > 0) throw new Error(`processes are left: ${left.join(', ')}`)
  }
}

type Script = ChildScript | ((file: (name: string) => string) => ChildScript)

/** Under the real clock, with short waits and short graces for a child that will not end. */
export function quickChild(script: Script = {}, { policy, ...options }: ChildSceneOptions = {}): ChildScene {
  return new ChildScene(typeof script === 'function' ? script : () => script, {
    ...options,
    policy: {
      backoff: { baseMs: 5, capMs: 50 },
      ...policy,
      timeouts: { closeMs: 500, ...policy?.timeouts },
    },
  })
}

/** Under a driven clock: no deadline passes and no wait ends unless the test says so. */
export function drivenChild(script: Script = {}, options: ChildSceneOptions = {}): DrivenChild {
  const clock = new SimulatedClock()
  const scene = new ChildScene(typeof script === 'function' ? script : () => script, {
    clock,
    random: () => 0.5,
    ...options,
  })
  return { scene, clock, [Symbol.asyncDispose]: () => closing(scene, clock) }
}

export interface DrivenChild extends AsyncDisposable {
  readonly scene: ChildScene
  readonly clock: SimulatedClock
}

/** The graces of a child that will not end are times of the clock too. */
async function closing(scene: ChildScene, clock: SimulatedClock): Promise<void> {
  let isOver = false
  const over = scene[Symbol.asyncDispose]().finally(() => {
    isOver = true
  })
  await passing(clock, () => isOver)
  await over
}

/** Lets the clock run, a step each few milliseconds of the other processes' time, until the condition holds. */
export async function passing(clock: SimulatedClock, isMet: () => boolean, stepMs = 100): Promise<void> {
  await eventually(() => {
    if (isMet()) return true
    clock.increment(stepMs)
    return isMet()
  })
}

/** Resolves when the child of this link runs and its handshake has begun; from then on the clock stands. */
export async function begun({ scene, clock }: DrivenChild, link: number): Promise<void> {
  const { actor } = scene.connection
  await passing(clock, () => actor.getSnapshot().context.generation === link, 50)
  await eventually(() => scene.connection.status === 'initializing' && scene.starts.length === link)
}

/** The error a promise rejects with, and after how many milliseconds. */
export async function failureIn(promise: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const from = performance.now()
  try {
    await promise
  } catch (error) {
    return { error, ms: performance.now() - from }
  }
  throw new Error('this should have been rejected')
}

export const textOf = ({ content }: CallToolResult): unknown => content[0]?.text
