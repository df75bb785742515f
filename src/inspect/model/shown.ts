import type { Command, Detail, Summary, Tone, TransitionView } from '../messages.js'
import { Ring } from './ring.js'

/** Something that the page shows. */
export interface Shown {
  readonly id: string
  /** It will not change any more. */
  readonly over: boolean
  summary(): Summary
  detail(): Detail
  /** Tells it what to do; what is not among `can` is refused with a sentence. */
  command(command: Command): Promise<string | undefined>
}

const KEPT_TONES = 60
const KEPT_TRANSITIONS = 30

/** What one has gone through: bounded, with times of its own clock. */
export class Course {
  readonly #now: () => number
  readonly #tones = new Ring<{ at: number; tone: Tone }>(KEPT_TONES)
  readonly #transitions = new Ring<{ at: number; from: string; to: string; label: string; step: number }>(
    KEPT_TRANSITIONS,
  )
  #status = ''
  #since: number
  #step = 0

  constructor(now: () => number) {
    this.#now = now
    this.#since = now()
  }

  get status(): string {
    return this.#status
  }
  get sinceMs(): number {
    return this.#now() - this.#since
  }

  noteStatus(status: string, tone: Tone): void {
    if (status !== this.#status) {
      this.#status = status
      this.#since = this.#now()
    }
    if (tone !== this.#tones.last?.tone) this.#tones.add({ at: this.#now(), tone })
  }

  noteTransition(from: string, to: string, label: string): void {
    this.#transitions.add({ at: this.#now(), from, to, label, step: this.#step })
  }

  /** What an event set off is over; what comes next is another step. */
  endStep(): void {
    this.#step++
  }

  history(): { agoMs: number; tone: Tone }[] {
    const now = this.#now()
    return this.#tones.items.map(({ at, tone }) => ({ agoMs: now - at, tone }))
  }

  /** Newest first. */
  transitions(): TransitionView[] {
    const now = this.#now()
    return this.#transitions.items.map(({ at, ...rest }) => ({ ...rest, agoMs: now - at })).reverse()
  }
}

/** One that is over, as it was last seen: nothing of what was behind it is held. */
export class Ended implements Shown {
  readonly id: string
  readonly over = true
  readonly #summary: Summary
  readonly #detail: Detail

  constructor(shown: Shown) {
    this.id = shown.id
    this.#summary = { ...shown.summary(), can: [] }
    this.#detail = shown.detail()
  }

  summary(): Summary {
    return this.#summary
  }
  detail(): Detail {
    return this.#detail
  }
  async command(): Promise<string> {
    return `${this.#summary.name} is over.`
  }
}
