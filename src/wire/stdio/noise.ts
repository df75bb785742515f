import type { Clock } from '../../clock.js'

const EXCERPT_CHARS = 500
const INTERVAL_MS = 1000

/**
 * Counts what is skipped, and tells of it at most once a second: the first line at once, then one report for all that
 * came since. A server that logs to stdout by the million costs its reader some counting, not a flood of events.
 */
export class NoiseMeter {
  readonly #clock: Clock
  readonly #report: (text: string, count: number) => void
  #text = ''
  #count = 0
  #timer: unknown

  constructor(clock: Clock, report: (text: string, count: number) => void) {
    this.#clock = clock
    this.#report = report
  }

  add(text: () => string): void {
    if (this.#count === 0) this.#text = text().slice(0, EXCERPT_CHARS)
    this.#count++
    if (this.#timer === undefined) this.#tell()
  }

  /** Tells what is still untold and stops the clock. */
  end(): void {
    this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#count > 0) this.#flush()
  }

  #tell(): void {
    this.#flush()
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined
      if (this.#count > 0) this.#tell()
    }, INTERVAL_MS)
  }

  #flush(): void {
    const [text, count] = [this.#text, this.#count]
    this.#count = 0
    this.#report(text, count)
  }
}
