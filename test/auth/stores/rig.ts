import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { KeyringEntry } from '../../../src/auth/stores/index.js'

/** A folder that is gone with the test. */
export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'lifeline-store-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** A keyring that works. `secret` is what stands in it. */
export class FakeKeyring implements KeyringEntry {
  secret: string | undefined
  writes = 0
  /** Refuse everything, as a locked keyring does. */
  isLocked = false

  async getPassword(): Promise<string | undefined> {
    this.#check()
    return this.secret
  }

  async setPassword(secret: string): Promise<void> {
    this.#check()
    this.writes += 1
    this.secret = secret
  }

  #check(): void {
    if (this.isLocked) throw new Error('AccessDenied')
  }
}

/** Another process that works with a store; see child.ts. */
export class StoreProcess implements AsyncDisposable {
  readonly lines: string[] = []
  readonly #child: ChildProcess
  readonly #over: Promise<unknown>
  #wake: (() => void) | undefined

  constructor(task: string, options: Record<string, unknown>, shell?: string) {
    const args = ['--import', 'tsx', join(import.meta.dirname, 'child.ts'), task, JSON.stringify(options)]
    const stdio = ['ignore', 'pipe', 'inherit'] as const
    this.#child = shell
      ? spawn('/bin/sh', ['-c', `${shell}; exec "$@"`, 'sh', process.execPath, ...args], { stdio: [...stdio] })
      : spawn(process.execPath, args, { stdio: [...stdio] })
    this.#over = once(this.#child, 'exit')
    if (this.#child.stdout) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        this.lines.push(line)
        this.#wake?.()
      })
    }
    void this.#over.then(() => this.#wake?.())
  }

  /** Waits for it to say so. */
  async said(line: string, times = 1): Promise<void> {
    while (this.lines.filter((one) => one === line).length < times) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`it ended without saying ${line}: ${this.lines.join(' ')}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Waits for its end; resolves with all that it said. */
  async ended(): Promise<string[]> {
    await this.#over
    return this.lines
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#child.kill(signal)
    if (signal === 'SIGKILL') await this.#over
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#over
  }
}
