// The page: what the program tells is gathered and shown once for each picture of the screen.

import { DetailView } from './detail.js'
import { byId, el, fill, setAttribute, setText } from './dom.js'
import { Known, List } from './list.js'
import { connect, takeToken } from './socket.js'

/**
 * @typedef {import('../messages.js').ToPage} ToPage
 * @typedef {import('../messages.js').Tone} Tone
 */

const TICK_MS = 250

/** @type {Map<string, Known>} */
const known = new Map()
/** @type {Map<string, import('../messages.js').Chart>} */
const charts = new Map()
/** @type {Set<string>} */
const changed = new Set()
/** @type {Set<string>} */
const gone = new Set()
/** @type {import('../messages.js').Detail | undefined} */
let detail
let selected = ''
let isDue = false

const filter = byId('filter')
if (!(filter instanceof HTMLInputElement)) throw new Error('#filter is no input')
const list = new List(byId('list'), filter, byId('empty'), (id) => {
  selected = id
  say({ type: 'select', id })
  view.showSummary(known.get(id), charts)
})
const view = new DetailView((command) => say({ type: 'command', id: selected, command }))
const token = takeToken()
const say = token === undefined ? () => {} : connect(token, { message: take, state: showLine })
if (token === undefined) showLine('refused')
// The link of another run, opened in the same tab, differs only behind the #, for which no browser loads anew.
addEventListener('hashchange', () => location.reload())

/** @param {ToPage} message */
function take(message) {
  switch (message.type) {
    case 'hello': {
      const before = selected
      known.clear()
      list.clear()
      for (const chart of message.charts) charts.set(chart.id, chart)
      for (const summary of message.actors) note(summary)
      draw()
      const [first] = known.keys()
      const id = known.has(before) ? before : first
      if (id !== undefined) list.select(id)
      return
    }
    case 'chart':
      charts.set(message.chart.id, message.chart)
      break
    case 'actors':
      for (const summary of message.actors) note(summary)
      for (const id of message.gone) {
        known.delete(id)
        gone.add(id)
      }
      break
    case 'detail':
      detail = message.detail
      break
    case 'refused':
      setText(byId('say'), message.reason)
  }
  if (isDue) return
  isDue = true
  requestAnimationFrame(draw)
}

/** @param {import('../messages.js').Summary} summary */
function note(summary) {
  const one = known.get(summary.id)
  if (one) one.take(summary)
  else known.set(summary.id, new Known(summary))
  changed.add(summary.id)
}

function draw() {
  isDue = false
  list.show(known, [...changed], [...gone])
  const one = known.get(selected)
  const [first] = known.keys()
  if (!one && first !== undefined) list.select(first)
  else view.showSummary(one, charts)
  if (one && changed.has(selected)) announce(one)
  changed.clear()
  gone.clear()
  if (detail) view.showDetail(detail)
  detail = undefined
  showCounts()
}

/** @type {readonly (readonly [Tone, string])[]} */
const tones = [
  ['good', 'ready'],
  ['busy', 'at work'],
  ['wait', 'waiting'],
  ['bad', 'failed'],
  ['faint', 'at rest'],
]

function showCounts() {
  const all = [...known.values()].map(({ summary }) => summary)
  const ours = all.filter(({ kind }) => kind === 'connection')
  const counts = [
    ...tones.map(([tone, words]) => ({ tone, words, n: ours.filter((one) => one.tone === tone).length })),
    { tone: 'faint', words: 'of other programs', n: all.length - ours.length },
  ]
  fill(byId('counts'), counts, () =>
    counts
      .filter(({ n }) => n > 0)
      .map(({ tone, words, n }) => el('li', '', el('span', `dot tone-${tone}`), `${n} ${words}`)),
  )
}

let announced = ''

/** For those who do not see the picture: what the selected connection has come to. @param {Known} one */
function announce({ summary }) {
  const words = `${summary.name} is ${summary.status}${summary.fault ? `, ${summary.fault}` : ''}`
  if (words === announced) return
  announced = words
  setText(byId('say'), words)
}

/** @param {'open' | 'lost' | 'refused'} state */
function showLine(state) {
  const words = { open: 'live', lost: 'connection to the program lost', refused: 'not let in' }[state]
  setText(byId('live'), words)
  setAttribute(byId('live'), 'class', `live ${state}`)
  document.body.classList.toggle('stale', state !== 'open')
  if (state === 'open' || known.size > 0) return
  byId('empty').hidden = false
  setText(byId('empty'), 'Open the link that the program printed: it holds the token for this run.')
}

document.addEventListener('keydown', (event) => {
  if (event.key === '/' && event.target !== filter) {
    event.preventDefault()
    filter.focus()
  } else if (event.key === 'Escape' && event.target === filter) {
    filter.value = ''
    filter.dispatchEvent(new Event('input'))
    byId('list').focus()
  }
})

setInterval(() => {
  if (document.hidden) return
  list.tick()
  view.tick()
}, TICK_MS)
