/** One line for each change that a person wants to know of: the output of a pipe, and the history on a screen. */
import { type Line, type Piece, piece } from '../style.js'
import { column, count, countdown, duration, printable, timeOfDay } from '../text.js'
import { mainState, toneOf, type View } from '../view.js'

const STATE_COLUMNS = 33

/**
 * The line, or nothing where the change is of no interest: probes of a healthy link, for example, come every half
 * minute and say nothing.
 */
export function changeLine(after: View, before: View, now: number, nameColumns: number): Line | undefined {
  const moved = mainState(after) !== mainState(before)
  const retimed = after.status === 'backoff' && after.nextAt !== before.nextAt
  const newFault = after.fault !== before.fault
  const newLogin = after.login !== undefined && after.login !== before.login
  const otherTools = before.tools !== undefined && after.tools !== before.tools
  if (!moved && !retimed && !newFault && !newLogin && !otherTools) return undefined
  return entry(now, after.name, nameColumns, [
    piece(column(mainState(after), STATE_COLUMNS), toneOf(after)),
    ...details(after, before, now),
  ])
}

/** A line that is not about a state. */
export function noteLine(name: string, text: string, now: number, nameColumns: number): Line {
  return entry(now, name, nameColumns, [piece(text, 'faint')])
}

function entry(now: number, name: string, nameColumns: number, rest: Line): Line {
  return [piece(`${timeOfDay(now)}  `, 'faint'), piece(column(name, nameColumns)), ...rest]
}

function details(after: View, before: View, now: number): Piece[] {
  const told: Piece[] = []
  if (after.status === 'ready') {
    told.push(piece(count(after.tools ?? 0, 'tool')))
    const ended = after.incident !== before.incident && after.incident
    if (ended) told.push(piece(`, back after ${duration(ended.durationMs)}`, 'good'))
  }
  if (after.nextAt !== undefined) told.push(piece(nextAttempt(after, now)))
  if (after.login !== undefined) told.push(piece(loginText(after.login), 'busy'))
  const { fault } = after
  if (fault && fault !== before.fault) {
    const between = told.length > 0 ? ' · ' : ''
    told.push(piece(`${between}${fault.code}: ${fault.summary}. ${fault.advice}`, 'faint'))
  }
  return told
}

export const nextAttempt = (view: View, now: number): string =>
  `${attempt(view)} in ${countdown((view.nextAt ?? now) - now)}`

export const loginText = (command: string): string => `run: ${printable(command)}`

export const attempt = ({ attempts, maxAttempts }: View): string => `attempt ${attempts} of ${maxAttempts}`
