/** Runs the command line as a person or a pipe would, and sees what is left of it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, inject, onTestFinished } from 'vitest'
import { childrenOf } from '../../src/cli/demo/processes.js'

const program = [join(inject('built'), 'src/cli/main.js')]

/** Logins of these tests, and no others. */
const stateHome = mkdtempSync(join(tmpdir(), 'lifeline-state-'))

afterAll(() => rmSync(stateHome, { recursive: true, force: true }))

export const example = 'docs/examples/servers.json'
export const everything = join(process.cwd(), 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')

export class Run {
  readonly process: ChildProcess
  readonly ended: Promise<number | null>
  #text = ''
  #output = ''
  readonly #lookers = new Set<() => void>()

  constructor(child: ChildProcess) {
    this.process = child
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#text += text
        if (stream === child.stdout) this.#output += text
        for (const look of this.#lookers) look()
      })
    }
    this.ended = new Promise((resolve) => child.once('close', resolve))
    void this.ended.then(() => {
      for (const look of this.#lookers) look()
    })
    onTestFinished(() => {
      if (child.exitCode === null) child.kill('SIGKILL')
    })
  }

  /** Everything written so far, on both streams. */
  get text(): string {
    return this.#text
  }

  /** What was written on stdout. */
  get output(): string {
    return this.#output
  }

  /** Resolves when the pattern has been written after the given place; fails with what was written when the run ends. */
  until(pattern: RegExp, from = 0): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.test(this.#text.slice(from))
        if (!found && this.process.exitCode === null) return
        this.#lookers.delete(look)
        if (found) resolve()
        else reject(new Error(`ended without ${pattern}:\n${this.#text}`))
      }
      this.#lookers.add(look)
      look()
    })
  }

  /** Every process below this one. */
  below(): number[] {
    return descendants(this.process.pid ?? 0)
  }
}

/** As in `lifeline … | cat`. */
export function piped(...args: string[]): Run {
  return new Run(spawn(process.execPath, [...program, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: quiet }))
}

/** The same in a folder, which is home too unless `more` says so: nothing else of this machine is found. */
piped.in = (folder: string, more: Record<string, string>, ...args: string[]): Run => {
  const env = { ...quiet, HOME: folder, XDG_CONFIG_HOME: undefined, APPDATA: undefined, ...more }
  const options = { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] satisfies ['ignore', 'pipe', 'pipe'] }
  return new Run(spawn(process.execPath, [...program, ...args], options))
}

/** In a pseudo-terminal, made by `script` of util-linux; what stands after the command sees the terminal it left. */
export function inTerminal(
  size: string,
  command: string,
  after = 'true',
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Run {
  const line = `stty ${size}; ${[process.execPath, ...program].join(' ')} ${command}; echo "code=$?"; ${after}`
  return new Run(
    spawn('script', ['-qec', line, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...quiet, ...env },
      ...(cwd !== undefined && { cwd }),
    }),
  )
}

const quiet = {
  ...process.env,
  NO_COLOR: undefined,
  FORCE_COLOR: undefined,
  TERM: 'xterm',
  XDG_STATE_HOME: stateHome,
}

function descendants(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(child)])
}
