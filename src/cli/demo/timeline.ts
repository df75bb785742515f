/** What happens to all connections, in one column of milliseconds. */
import type { Io } from '../io.js'
import { type Line, paint, piece, type Tone, wantsColour } from '../style.js'
import { column, columnsFor, duration } from '../text.js'
import { mainState, toneOf, type View } from '../view.js'
import type { CallRecord } from './calls.js'

const TIME_COLUMNS = 9

export class Timeline {
  readonly #io: Io
  readonly #startedAt: number
  readonly #nameColumns: number
  readonly #colour: boolean

  constructor(io: Io, names: readonly string[]) {
    this.#io = io
    this.#startedAt = io.clock.now()
    this.#nameColumns = columnsFor(names)
    this.#colour = wantsColour(io.stdout, io.env)
  }

  /** Milliseconds since the beginning. */
  get elapsedMs(): number {
    return this.#io.clock.now() - this.#startedAt
  }

  /** Every change of state; also of the regions of ready. */
  changed(after: View, before: View): void {
    const newFault = after.fault !== before.fault && after.fault
    if (after.state === before.state && !newFault) return
    const state = mainState(after) === mainState(before) ? after.state : mainState(after)
    const why = newFault ? `   ${newFault.code}: ${newFault.summary}` : ''
    this.#entry(after.name, [piece(state, toneOf(after)), piece(why, 'faint')])
  }

  settled({ connection, moment, outcome, tookMs }: CallRecord): void {
    const tone: Tone = outcome === 'answered' ? 'good' : outcome === 'pending' || outcome === 'late' ? 'bad' : 'busy'
    this.#entry(connection, [
      piece(`call ${moment === 'in flight' ? moment : `${moment} the outage`}: `),
      piece(outcome, tone),
      piece(` after ${duration(tookMs)}`, 'faint'),
    ])
  }

  /** What is done to a connection. */
  deed(name: string, text: string): void {
    this.#entry(name, [piece(`✂ ${text}`, 'strong')])
  }

  say(line: Line): void {
    this.#io.stdout.write(`${paint(line, { colour: this.#colour })}\n`)
  }

  #entry(name: string, rest: Line): void {
    const ms = `${Math.round(this.elapsedMs)} ms`.padStart(TIME_COLUMNS)
    this.say([piece(`${ms}  `, 'faint'), piece(column(name, this.#nameColumns)), ...rest])
  }
}
