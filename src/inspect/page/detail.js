// The selected connection.

import { ChartView } from './chart.js'
import { byId, el, fill, setAttribute, setText } from './dom.js'
import { SHOWN_S, Strip } from './ribbon.js'
import { ago, count, countdown, duration, whole } from './words.js'

/**
 * @typedef {import('../messages.js').Detail} Detail
 * @typedef {import('../messages.js').FaultView} FaultView
 * @typedef {import('../messages.js').IncidentView} IncidentView
 * @typedef {import('../messages.js').Command} Command
 * @typedef {import('./list.js').Known} Known
 */

/** @type {Readonly<Record<Command, string>>} */
const buttonWords = { connect: 'Connect', retry: 'Retry now', disconnect: 'Disconnect', break: 'Break the wire' }

export class DetailView {
  #chart = new ChartView(byId('chart'), byId('meaning'))
  #strip = new Strip()
  #onCommand
  /** @type {Known | undefined} */
  #known
  /** @type {Detail | undefined} */
  #detail
  #at = 0
  /** @type {ReadonlyMap<string, import('../messages.js').Chart>} */
  #charts = new Map()

  /** @param {(command: Command) => void} onCommand */
  constructor(onCommand) {
    this.#onCommand = onCommand
    this.#strip.element.classList.add('large')
    const axis = el('div', 'axis', el('span', '', `${SHOWN_S / 60} min ago`), el('span', '', 'now'))
    byId('timeline').append(this.#strip.element, axis)
  }

  /**
   * @param {Known | undefined} known
   * @param {ReadonlyMap<string, import('../messages.js').Chart>} charts
   */
  showSummary(known, charts) {
    this.#known = known
    this.#charts = charts
    byId('detail').hidden = !known
    if (!known) return
    const { id, name, what, status, tone, state, chart, can } = known.summary
    setText(byId('name'), name)
    setText(byId('what'), what)
    setText(byId('pill'), status)
    setAttribute(byId('pill'), 'class', `pill tone-${tone}`)
    setText(byId('state'), state)
    this.#chart.draw(chart === undefined ? undefined : charts.get(chart))
    if (this.#detail && this.#detail.id !== id) this.#detail = undefined
    // What an actor of another program suffers from, only that program knows.
    const isOurs = known.summary.kind === 'connection'
    byId('trouble-card').hidden = byId('timeline-card').hidden = !isOurs
    setText(byId('server-title'), isOurs ? 'Server' : 'Context')
    this.#showButtons(can)
    this.#light()
    this.tick()
  }

  /** @param {Detail} detail */
  showDetail(detail) {
    if (detail.id !== this.#known?.summary.id) return
    this.#detail = detail
    this.#at = performance.now()
    this.#light()
    this.#showTrouble()
    this.#showServer(detail)
    this.tick()
  }

  /** Moves what moves with time. */
  tick() {
    const known = this.#known
    if (!known) return
    const next = byId('next')
    next.hidden = known.nextInMs === undefined
    if (known.nextInMs !== undefined) {
      const { attempts, maxAttempts } = known.summary
      setText(next, `Next attempt ${countdown(known.nextInMs)} · ${attempts} of ${maxAttempts} failed`)
    }
    setText(byId('since'), `for ${whole(known.sinceMs)}`)
    this.#strip.show(known.ribbon)
    this.#showTimes()
  }

  /** @param {readonly Command[]} can */
  #showButtons(can) {
    const box = byId('buttons')
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.command : undefined
    fill(box, can, () =>
      can.map((command) => {
        const button = el('button', command, buttonWords[command])
        button.type = 'button'
        button.dataset.command = command
        button.addEventListener('click', () => this.#onCommand(command))
        return button
      }),
    )
    // A state's buttons go with it. Who had pressed one by keyboard stays among them.
    if (focused && !box.contains(document.activeElement)) {
      const same = box.querySelector(`[data-command=${focused}]`) ?? box.querySelector('button') ?? byId('detail')
      if (same instanceof HTMLElement) same.focus()
    }
  }

  #light() {
    const known = this.#known
    const detail = this.#detail
    if (!known) return
    const { tone, chart } = known.summary
    if (detail && chart !== undefined && this.#charts.has(chart))
      this.#chart.light(detail.active, tone, detail.transitions)
  }

  #showTrouble() {
    const { fault, origin } = this.#detail ?? {}
    const bare = (/** @type {FaultView | undefined} */ view) => view && { ...view, agoMs: 0 }
    fill(byId('trouble'), [bare(fault), bare(origin)], () => {
      if (!fault) return [el('p', 'muted', 'None so far.')]
      return [...faultParts(fault), ...(origin ? [el('h4', '', 'It began with'), ...faultParts(origin)] : [])]
    })
  }

  /** @param {Detail} detail */
  #showServer({ session = [], lists, subscriptions, context }) {
    fill(byId('server'), [session, lists, subscriptions, context], () => {
      const parts = [
        ...(session.length > 0 ? [pairs(session)] : []),
        ...lists.map(({ list, names, more, error }) => {
          const head = el('summary', '', `${list} `, el('span', 'count', String(names.length + more)))
          if (error) head.append(el('span', 'ink-bad', ` not read: ${error}`))
          const items = names.map((name) => el('li', '', name))
          if (more > 0) items.push(el('li', 'muted', `and ${more} more`))
          return el('details', 'names', head, el('ul', '', ...items))
        }),
        ...(subscriptions.length > 0
          ? [el('h4', '', 'Subscriptions'), el('ul', 'uris', ...subscriptions.map((uri) => el('li', '', uri)))]
          : []),
        ...(context === undefined ? [] : [el('pre', 'context', context)]),
      ]
      return parts.length > 0 ? parts : [el('p', 'muted', 'Not met yet.')]
    })
  }

  /** Lists whose rows tell how long ago something was. */
  #showTimes() {
    const detail = this.#detail
    if (!detail) return
    const passed = performance.now() - this.#at
    const times = (/** @type {number} */ ms) => ago(ms + passed)
    // What followed at once is drawn in the chart; in the list it would push out what set it off.
    const shown = detail.transitions
      .filter(({ label }) => label !== 'always')
      .slice(0, 12)
      .map(({ agoMs, ...step }) => ({ ...step, ago: times(agoMs) }))
    fill(byId('steps'), shown, () =>
      shown.length === 0
        ? [el('li', 'muted', 'None yet.')]
        : shown.map(({ label, to, ago }) => {
            const where = el('span', 'step-to', to.slice(to.lastIndexOf('.') + 1))
            where.title = to
            return el('li', '', el('span', 'step-label', label), where, el('time', '', ago))
          }),
    )
    const incidents = detail.incidents.slice(0, 8).map(({ agoMs, durationMs, attempts, ...incident }) => ({
      ...incident,
      ago: times(agoMs),
      lasted: incident.outcome === 'open' ? whole(durationMs + passed) : duration(durationMs),
      attempts: attempts.map(({ code }) => code),
    }))
    fill(byId('incidents'), incidents, () =>
      incidents.length === 0 ? [el('li', 'muted', 'Never lost so far.')] : incidents.map(incidentRow),
    )
  }
}

/** @param {FaultView} fault */
function faultParts({ code, advice, summary, evidence, rule, class: kind, scope }) {
  return [
    el('p', 'fault-code', el('code', '', code), el('span', 'muted', `${kind} · ${scope} · rule ${rule}`)),
    el('p', 'fault-summary', summary),
    el('p', 'advice', advice),
    pairs(evidence),
  ]
}

/** @param {readonly (readonly [string, string])[]} rows */
function pairs(rows) {
  return el(
    'dl',
    'pairs',
    ...rows.map(([name, value]) => el('div', value.length > 60 ? 'long' : '', el('dt', '', name), el('dd', '', value))),
  )
}

const outcomes = {
  open: 'going on',
  recovered: 'recovered',
  exhausted: 'gave up for now',
  failed: 'failed',
  closed: 'closed',
}

/** @param {{ kind: string, outcome: string, code: string, note?: string, ago: string, lasted: string, attempts: string[] }} incident */
function incidentRow({ kind, outcome, code, note, ago, lasted, attempts }) {
  const tone = outcome === 'recovered' ? 'good' : outcome === 'open' ? 'wait' : outcome === 'closed' ? 'faint' : 'bad'
  const words = Reflect.get(outcomes, outcome) ?? outcome
  const tries = attempts.length === 0 ? '' : `, ${count(attempts.length, 'failed attempt')}`
  const more = [kind === 'start' ? 'at the start' : '', note ?? ''].filter((part) => part !== '').join(', ')
  return el(
    'li',
    '',
    el('span', `dot tone-${tone}`),
    el('code', '', code),
    el('time', '', ago),
    el(
      'span',
      'incident-how',
      `${words} ${outcome === 'open' ? 'for' : 'after'} ${lasted}${tries}${more ? ` (${more})` : ''}`,
    ),
  )
}
