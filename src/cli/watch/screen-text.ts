/** What the screen of `lifeline watch` shows, as lines: a pure function of what is known. */
import { type Line, type Piece, piece } from '../style.js'
import { age, column, columnsFor, count, duration, fold, timeOfDay, wrap } from '../text.js'
import { toneOf, type View } from '../view.js'
import { attempt, loginText, nextAttempt } from './change.js'

export interface Scene {
  readonly views: readonly View[]
  /** What happened, oldest first. */
  readonly history: readonly Line[]
  /** Clock time. */
  readonly now: number
  readonly width: number
  /** Lines that the screen has. */
  readonly height: number
  readonly closing: boolean
  /** Keys are listened to. Ctrl-C always is. */
  readonly keys: boolean
  /** Which of the views keys are about; shown where there is a choice. */
  readonly selected?: number
  /** Why that one stands as it does, shown in place of the others. */
  readonly why?: readonly string[]
}

const STATUS_COLUMNS = 15
const SINCE_COLUMNS = 14
const TOOLS_COLUMNS = 10
const LABEL_COLUMNS = 10
const ADVICE_LINES = 2
const ROOM_FOR_HISTORY = 4

const none: Line = []

/** At most as many lines as the screen has. Every card keeps its height, so that nothing jumps. */
export function screenLines(scene: Scene): Line[] {
  const { views, history, height } = scene
  const foot = footer(scene)
  const room = Math.max(0, height - 2 - foot.length)
  const nameColumns = columnsFor(views.map(({ name }) => name))
  const isChoice = scene.selected !== undefined && views.length > 1 && scene.keys
  const meant = views[scene.selected ?? 0]
  const cards = views.map((view) => card(view, scene, nameColumns, isChoice && view === meant))
  const full = cards.flatMap((lines) => [...lines, none])
  const all = full.length <= room ? full : shortened(cards, room, scene.selected ?? 0)
  const body = scene.why && meant ? [...whyLines(meant, scene, nameColumns), none] : all
  const left = room - body.length
  const recent = left >= ROOM_FOR_HISTORY && history.length > 0 ? history.slice(-(left - 2)) : []
  return [
    heading(scene),
    none,
    ...body,
    ...(recent.length > 0 ? [[piece('What happened', 'strong')], ...recent, none] : []),
    ...foot,
  ].slice(0, height)
}

function heading({ views, now }: Scene): Line {
  const ready = views.filter(({ status }) => status === 'ready').length
  const tone = ready === views.length ? 'good' : 'busy'
  return [
    piece('lifeline', 'strong'),
    piece(`   ${count(views.length, 'connection')}, `),
    piece(ready === views.length ? 'all ready' : `${ready} ready`, tone),
    piece(`   ${timeOfDay(now)}`, 'faint'),
  ]
}

function footer({ closing, keys, views, why }: Scene): Line[] {
  if (closing) return [[piece('Closing …  ', 'busy'), piece('Ctrl-C again leaves at once', 'faint')]]
  if (!keys) return [key('Ctrl-C', 'stop')]
  const others = views.length > 1 ? key('↑↓', 'choose') : []
  return [
    [
      ...key('Ctrl-C', 'stop'),
      ...key('r', 'try again at once'),
      ...key('R', 'restart'),
      ...key('w', why ? 'back' : 'why'),
      ...others,
    ],
  ]
}

const key = (name: string, does: string): Piece[] => [piece(name, 'strong'), piece(` ${does}    `, 'faint')]

/** Only the first lines of the cards, when there is no room for the cards; the one that is meant is among them. */
function shortened(cards: readonly Line[][], room: number, selected: number): Line[] {
  const lines = cards.map(([first = none]) => first)
  if (lines.length <= room) return lines
  const shown = Math.max(0, room - 1)
  const from = Math.max(0, Math.min(selected - shown + 1, lines.length - shown))
  const more = `  and ${lines.length - shown} more; make the window higher`
  return [...lines.slice(from, from + shown), [piece(more, 'faint')]]
}

/** The explanation, with its headings; the card where there is no more than that. */
function whyLines(view: View, scene: Scene, nameColumns: number): Line[] {
  const { why = [], width } = scene
  if (why.length === 0) return card(view, scene, nameColumns, false)
  const login = view.login === undefined ? [] : [none, [piece(loginText(view.login), 'busy')]]
  const lines = why.flatMap((text) => {
    const isHeading = text !== '' && !text.startsWith(' ')
    return fold(text, width).map((part): Line => [piece(part, isHeading ? 'strong' : 'plain')])
  })
  return [...lines, ...login]
}

/** A connection: what it is, where exactly it stands, the last fault and what to do about it, the last incident. */
function card(view: View, { now, width }: Scene, nameColumns: number, isMeant: boolean): Line[] {
  const tone = toneOf(view)
  return [
    [
      piece(`${marks[tone]}${isMeant ? '▸' : ' '}`, tone),
      piece(column(view.name, nameColumns), 'strong'),
      piece(column(view.status, STATUS_COLUMNS), tone),
      piece(column(sinceWhen(view, now), SINCE_COLUMNS)),
      piece(column(view.tools === undefined ? '' : count(view.tools, 'tool'), TOOLS_COLUMNS)),
      piece(view.where, 'faint'),
    ],
    labelled('state', [piece(view.state), ...waiting(view, now)]),
    ...lastFault(view, now, width - LABEL_COLUMNS - 2),
    lastIncident(view, now),
  ]
}

const marks = { good: '●', busy: '◐', bad: '✖', faint: '○', plain: '○', strong: '○' }

const labelled = (label: string, rest: Line): Line => [piece(`  ${column(label, LABEL_COLUMNS)}`, 'faint'), ...rest]

function sinceWhen({ downSince, since }: View, now: number): string {
  return downSince === undefined ? `for ${age(now - since)}` : `down ${age(now - downSince)}`
}

function waiting(view: View, now: number): Piece[] {
  if (view.login !== undefined) return [piece(`   ${loginText(view.login)}`, 'busy')]
  if (view.nextAt !== undefined) return [piece(`   ${nextAttempt(view, now)}`, 'busy')]
  if (view.attempts > 0 && view.status !== 'ready') return [piece(`   ${attempt(view)}`, 'busy')]
  return []
}

function lastFault({ fault, status, downSince }: View, now: number, columns: number): Line[] {
  const advice = wrap(fault?.advice ?? '', columns, ADVICE_LINES)
  if (!fault) return [labelled('fault', [piece('none so far', 'faint')]), ...advice.map(() => none)]
  const ago = `, ${age(now - fault.at)} ago`
  // A fault that is over is history; one that is not is the first thing to read.
  const tone = downSince === undefined && status !== 'failed' ? 'faint' : 'bad'
  return [
    labelled('fault', [piece(fault.code, tone), piece(`${ago}: ${fault.summary}`, 'faint')]),
    ...advice.map((text) => labelled('', [piece(text, tone === 'bad' ? 'plain' : 'faint')])),
  ]
}

const outcomes = {
  recovered: 'back after',
  exhausted: 'given up for now after',
  failed: 'failed after',
  disconnected: 'disconnected after',
  closed: 'closed after',
}

function lastIncident(view: View, now: number): Line {
  const { incident, attempts } = view
  if (!incident) return labelled('incident', [piece('none so far', 'faint')])
  const { reason, outcome, durationMs, endedAt } = incident
  return labelled('incident', [
    piece(`${outcomes[outcome]} ${duration(durationMs)}`, outcome === 'recovered' ? 'good' : 'bad'),
    piece(` (${reason}), ${age(now - endedAt)} ago`, 'faint'),
    // Until the connection has proved that it holds, the attempts still count.
    piece(outcome === 'recovered' && attempts > 0 ? `, at ${attempt(view)}` : '', 'faint'),
  ])
}
