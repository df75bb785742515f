/**
 * Each contender has a process of its own, as in an application: there it pays for its own garbage and no other's, and
 * what its code was optimized for is its own use. They take turns; while one works the other waits for its turn.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Told } from './contender.js'
import type { Side, Work } from './work.js'

const program = fileURLToPath(new URL('./contender.js', import.meta.url))

export interface Contender {
  /** What the work takes, in the unit that {@link Work} names. */
  take(work: Work): Promise<number>
}

export interface Contenders {
  readonly ours: Contender
  readonly stock: Contender
}

/** Both sides, for as long as the measuring lasts. */
export async function withContenders<T>(measure: (contenders: Contenders) => Promise<T>): Promise<T> {
  const [ours, stock] = [new ContenderProcess('ours'), new ContenderProcess('stock')]
  try {
    return await measure({ ours, stock })
  } finally {
    ours.end()
    stock.end()
  }
}

/** Ours in two ways, in one process: the same code in two processes can differ by a tenth, by where it came to lie. */
export async function withBothWays<T>(measure: (contenders: Contenders) => Promise<T>): Promise<T> {
  const both = new ContenderProcess('ours')
  try {
    return await measure({ ours: both, stock: { take: (work) => both.take({ ...work, beside: true } as Work) } })
  } finally {
    both.end()
  }
}

class ContenderProcess implements Contender {
  readonly #child: ChildProcess
  #settle: ((told: Told) => void) | undefined

  constructor(side: Side) {
    this.#child = fork(program, [side])
    this.#child.on('message', (told: Told) => this.#settle?.(told))
    this.#child.on('exit', () => this.#settle?.({ error: 'the process of a contender ended' }))
  }

  async take(work: Work): Promise<number> {
    const { value, error } = await new Promise<Told>((resolve) => {
      this.#settle = resolve
      this.#child.send(work)
    })
    if (value === undefined) throw new Error(error)
    return value
  }

  /** By itself and not by a signal, so that a profile of it is written. */
  end(): void {
    if (this.#child.connected) this.#child.disconnect()
  }
}
