/** Asks a person for the inputs of a configuration, one after the other, before anything else is shown. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { InputRequest } from '../index.js'
import type { Io } from './io.js'
import { printable } from './text.js'

export class Prompt {
  readonly #io: Io
  #last: Promise<unknown> = Promise.resolve()
  #over = false

  constructor(io: Io) {
    this.#io = io
  }

  /** There is a terminal, and nothing else is on it yet. */
  get canAsk(): boolean {
    return !this.#over && this.#io.stdin.isTTY === true && this.#io.stderr.isTTY === true
  }

  /** Nothing where nobody can be asked. */
  readonly ask = (request: InputRequest): Promise<string | undefined> => {
    if (!this.canAsk) return Promise.resolve(undefined)
    const answer = this.#last.then(() => this.#put(questionOf(request), request.password))
    this.#last = answer.catch(() => {})
    return answer
  }

  /** Nothing but a clear yes is one. */
  async confirm(question: string): Promise<boolean> {
    return this.canAsk && /^\s*y(?:es)?\s*$/i.test((await this.#put(question)) ?? '')
  }

  /** Resolves when everything that was asked is answered; nothing more is asked then. */
  async end(): Promise<void> {
    // What is asked depends on nothing that was answered, so it is all there by now.
    this.#over = true
    await this.#last
  }

  #put(question: string, password = false): Promise<string | undefined> {
    const { stdin, stderr } = this.#io
    // What is typed is echoed by the reader, not by the terminal: for a password, to nowhere.
    const echo = new Writable({
      write: (chunk, _, done) => {
        if (!password) stderr.write(String(chunk))
        done()
      },
    })
    return new Promise((resolve) => {
      const reader = createInterface({ input: stdin, output: echo, terminal: true })
      // Asked only when the reader has the terminal, which would show what is typed before.
      stderr.write(question)
      let answer: string | undefined
      reader.once('line', (line) => {
        answer = line === '' ? undefined : line
        reader.close()
      })
      reader.once('SIGINT', () => {
        reader.close()
        process.kill(process.pid, 'SIGINT')
      })
      reader.once('close', () => {
        if (password) stderr.write('\n')
        resolve(answer)
      })
    })
  }
}

function questionOf({ id, description, default: preset, password, options, server }: InputRequest): string {
  const choice = options && options.length > 0 ? ` (${options.map(printable).join(', ')})` : ''
  const offered = preset !== undefined && !password ? ` [${printable(preset)}]` : ''
  return `${printable(description ?? id)}${choice}, for ${printable(server)}${offered}: `
}
