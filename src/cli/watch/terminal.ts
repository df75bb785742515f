/** The terminal, taken over and given back. */
import type { Io } from '../io.js'

const ESC = '\u001b['
/** The other screen, so that the one before is there again afterwards; no cursor, no wrapping of long lines. */
const TAKE = `${ESC}?1049h${ESC}?25l${ESC}?7l${ESC}2J`
const GIVE_BACK = `${ESC}?7h${ESC}?25h${ESC}?1049l`
/** Terminals that know it show the whole frame at once; the others ignore it. */
const [FRAME, FRAME_END] = [`${ESC}?2026h${ESC}H`, `${ESC}J${ESC}?2026l`]
const REST_OF_LINE = `${ESC}K`

const CTRL_C = '\u0003'

/** What keys do. */
export interface Keys {
  stop(): void
  retry(): void
  restart(): void
  /** Another server is meant: so many further down. */
  move(by: number): void
  /** All that is known of it is shown, or not any more. */
  why(): void
}

/** Arrows are sequences of characters, of which a terminal has two dialects. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals send begins with one
const key = /\u001b[[O][A-D]|[\s\S]/g

const meanings: Readonly<Record<string, (keys: Keys) => void>> = {
  [CTRL_C]: (keys) => keys.stop(),
  q: (keys) => keys.stop(),
  r: (keys) => keys.retry(),
  R: (keys) => keys.restart(),
  w: (keys) => keys.why(),
  k: (keys) => keys.move(-1),
  j: (keys) => keys.move(1),
  [`${ESC}A`]: (keys) => keys.move(-1),
  [`${ESC}B`]: (keys) => keys.move(1),
  '\u001bOA': (keys) => keys.move(-1),
  '\u001bOB': (keys) => keys.move(1),
}

export class Terminal {
  readonly #io: Io
  #taken = false
  #frame = ''
  readonly #onKey: (text: Buffer | string) => void
  readonly #onResize: () => void
  readonly #giveBack = () => this.giveBack()

  constructor(io: Io, keys: Keys, redraw: () => void) {
    this.#io = io
    this.#onKey = (text) => {
      // In raw mode the terminal makes no signal of Ctrl-C.
      for (const [pressed] of String(text).matchAll(key)) meanings[pressed]?.(keys)
    }
    this.#onResize = () => {
      // What stood there was laid out for another width.
      this.#frame = ''
      io.stdout.write(`${ESC}2J`)
      redraw()
    }
  }

  /** Keys are listened to. */
  get keys(): boolean {
    return this.#io.stdin.isTTY === true
  }
  get width(): number {
    return this.#io.stdout.columns || 80
  }
  get height(): number {
    return this.#io.stdout.rows || 24
  }

  take(): void {
    if (this.#taken) return
    this.#taken = true
    const { stdin, stdout } = this.#io
    stdout.write(TAKE)
    stdout.on('resize', this.#onResize)
    // However the process ends, the terminal is as it was.
    process.on('exit', this.#giveBack)
    if (!this.keys) return
    stdin.setRawMode(true)
    stdin.on('data', this.#onKey)
    stdin.resume()
  }

  /** Writes over what is there; the same lines again cost nothing. */
  draw(lines: readonly string[]): void {
    const frame = FRAME + lines.map((line) => line + REST_OF_LINE).join('\r\n') + FRAME_END
    if (!this.#taken || frame === this.#frame) return
    this.#frame = frame
    this.#io.stdout.write(frame)
  }

  giveBack(): void {
    if (!this.#taken) return
    this.#taken = false
    const { stdin, stdout } = this.#io
    process.off('exit', this.#giveBack)
    stdout.off('resize', this.#onResize)
    stdout.write(GIVE_BACK)
    if (!this.keys) return
    stdin.off('data', this.#onKey)
    stdin.setRawMode(false)
    stdin.pause()
  }
}
