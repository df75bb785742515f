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
  names(): readonly string[]
  views(): readonly View[]
  /** Why this server stands as it does, in lines; nothing where there is no more to tell. */
  explain(name: string): readonly string[]
  /** One JSON object a line, for programs. */
  readonly json: boolean
}

/** What a person can ask for while it is shown. */
export interface Wishes {
  stop(): void
  /** Everything that waits or has failed is tried at once. */
  retry(): void
  /** This server gets a new link. */
  restart(name: string): void
}

export function displayFor(io: Io, shown: Shown, wishes: Wishes): Display {
  if (shown.json) return new JsonDisplay(io)
  return isScreen(io.stdout, io.env) ? new ScreenDisplay(io, shown, wishes) : new LineDisplay(io, shown)
}

class LineDisplay implements Display {
  readonly #io: Io
  readonly #shown: Shown

  constructor(io: Io, shown: Shown) {
    this.#io = io
    this.#shown = shown
  }

  changed(after: View, before: View): void {
    this.#write(changeLine(after, before, this.#io.clock.now(), columnsFor(this.#shown.names())))
  }

  note(name: string, text: string): void {
    this.#write(noteLine(name, text, this.#io.clock.now(), columnsFor(this.#shown.names())))
  }

  closing(): void {}

  end(lastWords: string): void {
    this.#write([piece(lastWords)])
  }

  #write(line: Line | undefined): void {
    if (line) this.#io.stdout.write(`${paint(line, { colour: false })}\n`)
  }
}

class JsonDisplay implements Display {
  readonly #io: Io

  constructor(io: Io) {
    this.#io = io
  }

  changed(after: View, before: View): void {
    if (!changeLine(after, before, this.#io.clock.now(), 0)) return
    const { name, where, status, state, login, tools, attempts, maxAttempts, nextAt, fault, incident } = after
    const { code, summary, advice } = fault ?? {}
    this.#write({
      ...{ event: 'status', name, where, status, state, login, tools, attempts, maxAttempts, nextAt },
      ...(fault && { fault: { code, summary, advice, at: fault.at } }),
      ...(incident && { incident }),
    })
  }

  note(name: string, text: string): void {
    this.#write({ event: 'note', ...(name && { name }), text })
  }

  closing(): void {
    this.#write({ event: 'closing' })
  }

  end(lastWords: string): void {
    this.#write({ event: 'end', text: lastWords })
  }

  #write(event: object): void {
    this.#io.stdout.write(`${JSON.stringify({ at: this.#io.clock.now(), ...event })}\n`)
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
  readonly #colour: boolean
  /** The server that keys are about. */
  #selected = 0
  #why = false
  #history: Line[] = []
  #timer: unknown
  #dueAt = Number.POSITIVE_INFINITY
  #isClosing = false
  #over = false

  constructor(io: Io, shown: Shown, wishes: Wishes) {
    this.#io = io
    this.#shown = shown
    this.#colour = wantsColour(io.stdout, io.env)
    const keys: Keys = {
      stop: wishes.stop,
      retry: wishes.retry,
      restart: () => {
        const selected = shown.views()[this.#selected]
        if (selected) wishes.restart(selected.name)
      },
      move: (by) => {
        this.#selected = Math.max(0, Math.min(shown.views().length - 1, this.#selected + by))
        this.#drawWithin(0)
      },
      why: () => {
        this.#why = !this.#why
        this.#drawWithin(0)
      },
    }
    this.#terminal = new Terminal(io, keys, () => this.#drawWithin(0))
    this.#terminal.take()
    this.#drawWithin(0)
  }

  changed(after: View, before: View): void {
    const line = changeLine(after, before, this.#io.clock.now(), columnsFor(this.#shown.names()))
    if (line) this.#remember(line)
    this.#drawWithin(GATHER_MS)
  }

  note(name: string, text: string): void {
    this.#remember(noteLine(name, text, this.#io.clock.now(), columnsFor(this.#shown.names())))
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
    const selected = Math.min(this.#selected, Math.max(0, views.length - 1))
    const closing = this.#isClosing
    const meant = views[selected]
    const why = this.#why && meant ? this.#shown.explain(meant.name) : undefined
    const scene = { views, history: this.#history, now, width, height, closing, keys, selected, ...(why && { why }) }
    const lines = screenLines(scene)
    this.#terminal.draw(lines.map((line) => paint(line, { colour: this.#colour, width })))
    this.#dueAt = Number.POSITIVE_INFINITY
    const countsDown = views.some(({ nextAt }) => nextAt !== undefined)
    this.#drawWithin(countsDown ? FAST_MS : SLOW_MS)
  }
}
