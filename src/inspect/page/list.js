// The list of connections: one tab stop, arrow keys move in it.

import { el, setAttribute, setText } from './dom.js'
import { Ribbon, Strip } from './ribbon.js'
import { count, countdown } from './words.js'

/** @typedef {import('../messages.js').Summary} Summary */

/** One connection as the page knows it, with the moment at which that was true. */
export class Known {
  ribbon = new Ribbon()
  /** @type {Summary} */
  summary
  /** `performance.now()` at which the summary came. */
  at = performance.now()

  /** @param {Summary} summary */
  constructor(summary) {
    this.summary = summary
    this.take(summary)
  }

  /** @param {Summary} summary */
  take(summary) {
    this.summary = summary
    this.at = performance.now()
    if (summary.history) this.ribbon.begin(summary.history)
    this.ribbon.note(summary.tone)
  }

  get nextInMs() {
    const { nextInMs } = this.summary
    return nextInMs === undefined ? undefined : nextInMs - (performance.now() - this.at)
  }

  get sinceMs() {
    return this.summary.sinceMs + (performance.now() - this.at)
  }
}

class Row {
  strip = new Strip()
  #name = el('span', 'row-name')
  #status = el('span', 'row-status')
  #more = el('span', 'row-more')
  #dot = el('span', 'dot')
  /** @type {HTMLElement} */
  element

  /** @param {string} id */
  constructor(id) {
    this.element = el('div', 'row', this.#dot, this.#name, this.#status, this.strip.element, this.#more)
    this.element.setAttribute('role', 'option')
    this.element.id = `row-${id}`
    this.element.dataset.id = id
  }

  /** @param {Known} known */
  show(known) {
    const { name, status, tone, what, tools } = known.summary
    setText(this.#name, name)
    setText(this.#status, status)
    setAttribute(this.#dot, 'class', `dot tone-${tone}`)
    setAttribute(this.#status, 'class', `row-status ink-${tone}`)
    setText(this.#more, more(known) || (tools === undefined ? what : `${what} · ${count(tools, 'tool')}`))
    this.strip.show(known.ribbon)
  }
}

/** @param {Known} known */
function more(known) {
  const { summary, nextInMs } = known
  const parts = [
    ...(summary.fault ? [summary.fault] : []),
    ...(nextInMs !== undefined ? [countdown(nextInMs)] : []),
    ...(summary.attempts > 0 && summary.tone !== 'bad' && summary.tone !== 'good'
      ? [`${summary.attempts}/${summary.maxAttempts}`]
      : []),
  ]
  return parts.join(' · ')
}

export class List {
  /** @type {Map<string, Row>} */
  #rows = new Map()
  #box
  #empty
  #filter
  #onSelect
  #selected = ''
  /** @type {ReadonlyMap<string, Known>} */
  #known = new Map()

  /**
   * @param {HTMLElement} box
   * @param {HTMLInputElement} filter
   * @param {HTMLElement} empty
   * @param {(id: string) => void} onSelect
   */
  constructor(box, filter, empty, onSelect) {
    this.#box = box
    this.#filter = filter
    this.#empty = empty
    this.#onSelect = onSelect
    box.addEventListener('keydown', (event) => this.#key(event))
    box.addEventListener('click', ({ target }) => {
      const row = target instanceof Element ? target.closest('[data-id]') : undefined
      if (row instanceof HTMLElement) this.select(row.dataset.id ?? '')
    })
    filter.addEventListener('input', () => this.show(this.#known, [...this.#known.keys()], []))
    filter.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowDown' || event.key === 'Enter') box.focus()
    })
  }

  /**
   * @param {ReadonlyMap<string, Known>} known
   * @param {readonly string[]} changed
   * @param {readonly string[]} gone
   */
  show(known, changed, gone) {
    this.#known = known
    for (const id of gone) {
      this.#rows.get(id)?.element.remove()
      this.#rows.delete(id)
    }
    for (const id of changed) {
      const one = known.get(id)
      if (!one) continue
      const row = this.#rows.get(id) ?? this.#add(id)
      row.show(one)
      row.element.hidden = !this.#fits(one)
    }
    const visible = this.#visible().length
    this.#empty.hidden = visible > 0
    setText(this.#empty, known.size === 0 ? 'No connection yet.' : `None of ${count(known.size, 'connection')} fits.`)
    this.#box.hidden = visible === 0
  }

  /** Moves what moves with time: the strips, and countdowns. */
  tick() {
    for (const [id, row] of this.#rows) {
      const one = this.#known.get(id)
      if (!one || row.element.hidden) continue
      if (one.nextInMs !== undefined) row.show(one)
      else row.strip.slide()
    }
  }

  /** @param {string} id */
  select(id) {
    if (!this.#rows.has(id)) return
    this.#rows.get(this.#selected)?.element.setAttribute('aria-selected', 'false')
    const { element } = /** @type {Row} */ (this.#rows.get(id))
    element.setAttribute('aria-selected', 'true')
    this.#reveal(element)
    this.#box.setAttribute('aria-activedescendant', element.id)
    const isNew = id !== this.#selected
    this.#selected = id
    if (isNew) this.#onSelect(id)
  }

  /** By hand: `scrollIntoView` would also make Tab go on from the row. @param {HTMLElement} element */
  #reveal(element) {
    const [row, box] = [element.getBoundingClientRect(), this.#box.getBoundingClientRect()]
    if (row.top < box.top) this.#box.scrollTop -= box.top - row.top
    else if (row.bottom > box.bottom) this.#box.scrollTop += row.bottom - box.bottom
  }

  clear() {
    for (const { element } of this.#rows.values()) element.remove()
    this.#rows.clear()
    this.#selected = ''
  }

  /** @param {string} id */
  #add(id) {
    const row = new Row(id)
    row.element.setAttribute('aria-selected', 'false')
    this.#rows.set(id, row)
    this.#box.append(row.element)
    return row
  }

  /** @param {Known} known */
  #fits({ summary }) {
    const wanted = this.#filter.value.trim().toLowerCase()
    const text = [summary.name, summary.status, summary.what, summary.fault ?? ''].join(' ').toLowerCase()
    return wanted.split(/\s+/).every((word) => text.includes(word))
  }

  #visible() {
    return [...this.#rows].filter(([, row]) => !row.element.hidden).map(([id]) => id)
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const ids = this.#visible()
    const at = ids.indexOf(this.#selected)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: ids.length - 1 }[event.key]
    const id = to === undefined ? undefined : ids[to]
    if (to !== undefined) event.preventDefault()
    if (id !== undefined) this.select(id)
  }
}
