/** A server on this machine that stands in for one somewhere else, for demonstrations. */
import type { ChildProcess } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import spawn from 'cross-spawn'
import type { Clock } from '../clock.js'
import { forgetLive, noteLive } from '../wire/index.js'
import { printable } from './text.js'

/** A program with its surroundings. */
export interface Command {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

const START_MS = 15_000
const LOOK_MS = 25
const GRACE_MS = 1_000
const TAIL_CHARS = 400

/** What a program needs to run at all. Secrets of the shell are not among it. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'PATHEXT', 'APPDATA', 'LOCALAPPDATA']

/** Ports of this machine that nobody uses just now. */
export function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, freePort))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}

export class LocalServer {
  readonly #command: Command
  readonly #url: URL
  readonly #clock: Clock
  #child: ChildProcess | undefined
  #ended: Promise<void> = Promise.resolve()
  #serves = false
  /** How the last one ended. */
  #how = ''
  /** Told when the server ends although nobody stopped it. */
  onLoss: (how: string) => void = () => {}

  constructor(command: Command, url: string, clock: Clock) {
    this.#command = command
    this.#url = new URL(url)
    this.#clock = clock
  }

  /** It runs this very command. */
  isOf(command: Command): boolean {
    return isDeepStrictEqual(command, this.#command)
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /**
   * Resolves when something listens at the url.
   *
   * @throws Error that tells how it ended, or that nothing listens in time
   */
  async start(): Promise<void> {
    const child = this.#spawn()
    const deadline = this.#clock.now() + START_MS
    while (!(await this.#listens())) {
      if (this.#child !== child) throw new Error(`${this.#command.command} ${this.#how || 'was stopped'}`)
      if (this.#clock.now() > deadline) {
        await this.stop()
        throw new Error(`${this.#command.command} serves nothing at ${this.#url.host} after ${START_MS / 1_000} s`)
      }
      await this.#pause(LOOK_MS)
    }
    this.#serves = this.#child === child
  }

  /** Ends it, with SIGKILL if need be; resolves when it is gone. */
  async stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    this.#serves = false
    if (!child?.pid) return
    signal(child, 'SIGTERM')
    const late = this.#clock.setTimeout(() => signal(child, 'SIGKILL'), GRACE_MS)
    await this.#ended
    this.#clock.clearTimeout(late)
  }

  #spawn(): ChildProcess {
    const { command, args, env, cwd } = this.#command
    this.#how = ''
    const child = spawn(command, [...args], {
      cwd,
      env: { ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])), ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
      // A group of its own: Ctrl-C in the terminal is for us, and we end it (report 02.12).
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    // However this process ends, by SIGKILL too, the server ends with it.
    if (child.pid !== undefined) noteLive(child.pid, true)
    let tail = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-TAIL_CHARS)
    })
    this.#child = child
    this.#ended = new Promise((resolve) => {
      const ended = (how: string) => {
        // What it left behind in its group.
        signal(child, 'SIGKILL')
        if (child.pid !== undefined) forgetLive(child.pid)
        resolve()
        if (this.#child !== child) return
        this.#child = undefined
        this.#how = printable(tail === '' ? how : `${how}: ${tail}`)
        if (this.#serves) this.onLoss(this.#how)
        this.#serves = false
      }
      child.once('error', (error) => ended(`could not be run (${'code' in error ? error.code : error.name})`))
      child.once('close', (code, by) => ended(by ? `ended by ${by}` : `ended with exit code ${code}`))
    })
    return child
  }

  /** Whether a connection to the url is taken. */
  #listens(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(Number(this.#url.port || 80), this.#url.hostname.replace(/^\[|\]$/g, ''))
      const answer = (taken: boolean) => {
        socket.destroy()
        resolve(taken)
      }
      socket.once('connect', () => answer(true))
      socket.once('error', () => answer(false))
    })
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.setTimeout(resolve, ms))
  }
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) child.kill(name)
    else process.kill(-child.pid, name)
  } catch {
    // Gone already.
  }
}
