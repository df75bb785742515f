/** What goes on while a command works: a line on stderr that is drawn over, or now and then a line of its own. */
import { elapsed } from '../clock.js'
import type { Io } from './io.js'
import { isScreen } from './style.js'
import { clip, duration, printable } from './text.js'

/** Nothing is shown of what is over before that. */
const PATIENCE_MS = 400
const REDRAW_MS = 120
/** Where lines cannot be drawn over, they are rare. */
const LINE_MS = 10_000
const BAR_COLUMNS = 24
const CLEAR = '\r\u001b[K'
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** How far something is. */
export interface Step {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export class Progress {
  readonly #io: Io
  readonly #text: () => string
  readonly #startedAt: number
  readonly #isScreen: boolean
  #timer: unknown
  #frame = 0
  #drawn = false
  #step: Step | undefined

  /** `text`: what is waited for, asked anew each time. */
  constructor(io: Io, text: () => string) {
    this.#io = io
    this.#text = text
    this.#startedAt = elapsed(io.clock)
    this.#isScreen = isScreen(io.stderr, io.env)
    this.#schedule(this.#isScreen ? PATIENCE_MS : LINE_MS)
  }

  /** The work told how far it is. */
  step(step: Step): void {
    this.#step = step
  }

  end(): void {
    this.#io.clock.clearTimeout(this.#timer)
    if (this.#drawn) this.#io.stderr.write(CLEAR)
  }

  #schedule(ms: number): void {
    this.#timer = this.#io.clock.setTimeout(() => this.#draw(), ms)
  }

  #draw(): void {
    const { clock, stderr } = this.#io
    const took = duration(elapsed(clock) - this.#startedAt)
    const line = [this.#text(), this.#step && stepText(this.#step), took].filter(Boolean).join('  ')
    if (this.#isScreen) {
      this.#drawn = true
      stderr.write(`${CLEAR}${clip(`${frames[this.#frame++ % frames.length]} ${line}`, (stderr.columns ?? 80) - 1)}`)
    } else stderr.write(`lifeline: ${line}\n`)
    this.#schedule(this.#isScreen ? REDRAW_MS : LINE_MS)
  }
}

/** `████████░░░░ 8 of 12  copying`; without a total, how much was done. */
export function stepText({ progress, total, message }: Step): string {
  const said = message === undefined ? '' : `  ${printable(message)}`
  if (total === undefined || !(total > 0)) return `${progress} done${said}`
  const full = Math.round(Math.min(1, Math.max(0, progress / total)) * BAR_COLUMNS)
  return `${'█'.repeat(full)}${'░'.repeat(BAR_COLUMNS - full)} ${progress} of ${total}${said}`
}
