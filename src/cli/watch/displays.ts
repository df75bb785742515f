/** The two ways to show: a screen that is drawn over in place, and a line for each change. */
import type { Io } from '../io.js'
import { isScreen, type Line, paint, piece, wantsColour } from '../style.js'
import { columnsFor } from '../text.js'
import type { View } from '../view.js'
import { changeLine, noteLine } from './change.js'
import { screenLines } from './screen-text.js'
import { type Keys, Terminal } from './terminal.js'

export interface Display {
  changed(after: View, before: View): void
  /** Something that is not about a state. */
  note(name: string, text: string): void
  closing(): void
  end(lastWords: string): void
}

/** What a display is told beforehand: who will be there, and how to see them. */
export interface Shown {
  readonly names: readonly string[]
  views(): readonly View[]
}

export function displayFor(io: Io, shown: Shown, keys: Keys): Display {
  return isScreen(io.stdout, io.env) ? new ScreenDisplay(io, shown, keys) : new LineDisplay(io, shown)
}

class LineDisplay implements Display {
  readonly #io: Io
  readonly #nameColumns: number

  constructor(io: Io, { names }: Shown) {
    this.#io = io
    this.#nameColumns = columnsFor(names)
  }

  changed(after: View, before: View): void {
    this.#write(changeLine(after, before, this.#io.clock.now(), this.#nameColumns))
  }

  note(name: string, text: string): void {
    this.#write(noteLine(name, text, this.#io.clock.now(), this.#nameColumns))
  }

  closing(): void {}

  end(lastWords: string): void {
    this.#write([piece(lastWords)])
  }

  #write(line: Line | undefined): void {
    if (line) this.#io.stdout.write(`${paint(line, { colour: false })}\n`)
  }
}

/** So much of the history is kept; no window is higher. */
const KEPT_LINES = 200
/** So much of it stays on the screen of before. */
const LEFT_LINES = 20
/** Changes that come together are drawn together. */
const GATHER_MS = 30
/** A countdown shows tenths of seconds; everything else whole ones. */
const [FAST_MS, SLOW_MS] = [100, 1_000]

class ScreenDisplay implements Display {
  readonly #io: Io
  readonly #shown: Shown
  readonly #terminal: Terminal
  readonly #nameColumns: number
  readonly #colour: boolean
  #history: Line[] = []
  #timer: unknown
  #dueAt = Number.POSITIVE_INFINITY
  #isClosing = false
  #over = false

  constructor(io: Io, shown: Shown, keys: Keys) {
    this.#io = io
    this.#shown = shown
    this.#nameColumns = columnsFor(shown.names)
    this.#colour = wantsColour(io.stdout, io.env)
    this.#terminal = new Terminal(io, keys, () => this.#drawWithin(0))
    this.#terminal.take()
    this.#drawWithin(0)
  }

  changed(after: View, before: View): void {
    const line = changeLine(after, before, this.#io.clock.now(), this.#nameColumns)
    if (line) this.#remember(line)
    this.#drawWithin(GATHER_MS)
  }

  note(name: string, text: string): void {
    this.#remember(noteLine(name, text, this.#io.clock.now(), this.#nameColumns))
    this.#drawWithin(GATHER_MS)
  }

  closing(): void {
    this.#isClosing = true
    this.#drawWithin(0)
  }

  end(lastWords: string): void {
    this.#over = true
    this.#io.clock.clearTimeout(this.#timer)
    this.#terminal.giveBack()
    for (const line of [...this.#history.slice(-LEFT_LINES), [piece(lastWords)]]) {
      this.#io.stdout.write(`${paint(line, { colour: this.#colour })}\n`)
    }
  }

  #remember(line: Line): void {
    this.#history = [...this.#history, line].slice(-KEPT_LINES)
  }

  #drawWithin(ms: number): void {
    const { clock } = this.#io
    const at = clock.now() + ms
    if (this.#over || at >= this.#dueAt) return
    clock.clearTimeout(this.#timer)
    this.#dueAt = at
    this.#timer = clock.setTimeout(() => this.#draw(), ms)
  }

  #draw(): void {
    const { width, height, keys } = this.#terminal
    const views = this.#shown.views()
    const now = this.#io.clock.now()
    const lines = screenLines({ views, history: this.#history, now, width, height, closing: this.#isClosing, keys })
    this.#terminal.draw(lines.map((line) => paint(line, { colour: this.#colour, width })))
    this.#dueAt = Number.POSITIVE_INFINITY
    const countsDown = views.some(({ nextAt }) => nextAt !== undefined)
    this.#drawWithin(countsDown ? FAST_MS : SLOW_MS)
  }
}
