import type { Readable } from 'node:stream'
import type { Chance } from './chance.js'

interface OutputWays {
  readonly stream: Readable
  readonly chance: Chance
  /** Does it after so long, if the child lives then. */
  readonly plan: (ms: number, fn: () => void) => void
  readonly extraMs: () => number
  /** Nothing is written just now. */
  readonly isStopped: () => boolean
}

/** What a child writes, on its way: in pieces that are cut anywhere, within a character too, and in order. */
export class ChildOutput {
  readonly #ways: OutputWays
  readonly #pieces: Buffer[] = []
  #isWriting = false

  constructor(ways: OutputWays) {
    this.#ways = ways
  }

  write(text: string): void {
    const bytes = Buffer.from(text)
    const { chance } = this.#ways
    const cuts = Array.from({ length: chance.mostlySmall(0, 3) }, () => chance.whole(0, bytes.length))
    let from = 0
    for (const cut of [...cuts.sort((a, b) => a - b), bytes.length]) {
      if (cut > from) this.#pieces.push(bytes.subarray(from, cut))
      from = cut
    }
    this.goOn()
  }

  /** What was stopped may be written now. */
  goOn(): void {
    const { stream, chance, plan, extraMs, isStopped } = this.#ways
    if (this.#isWriting || this.#pieces.length === 0 || isStopped()) return
    this.#isWriting = true
    plan(chance.mostlySmall(0, 5) + extraMs(), () => {
      this.#isWriting = false
      if (isStopped()) return
      stream.push(this.#pieces.shift())
      this.goOn()
    })
  }
}
