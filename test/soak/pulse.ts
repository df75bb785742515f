/** A beat every so many milliseconds; one that comes much later shows that the machine did not let the process run. */
const BEAT_MS = 50
const PLAUSIBLE_MS = 150

/**
 * The time that this process had. On a busy machine it may stand for seconds, and no timer of anybody fires meanwhile:
 * that is not what a soak looks for.
 */
export class Pulse implements Disposable {
  /** Time had so far, in milliseconds. */
  ms = 0
  /** Time not had, in milliseconds. */
  stalledMs = 0
  readonly #timer: NodeJS.Timeout
  #last = performance.now()

  constructor() {
    this.#timer = setInterval(() => this.#beat(), BEAT_MS)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #beat(): void {
    const now = performance.now()
    const passed = now - this.#last
    this.#last = now
    this.ms += Math.min(passed, PLAUSIBLE_MS)
    this.stalledMs += Math.max(0, passed - PLAUSIBLE_MS)
  }
}
