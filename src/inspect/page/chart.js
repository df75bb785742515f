// The statechart: drawn once, then only lit.

import { el, setAttribute, setText, svg } from './dom.js'

/**
 * @typedef {import('../messages.js').Chart} Chart
 * @typedef {import('../messages.js').ChartNode} ChartNode
 * @typedef {import('../messages.js').TransitionView} Step
 */

/** Radius of the corners of lines. */
const ROUND = 5

export class ChartView {
  #box
  #meaning
  /** @type {Chart | undefined} */
  #chart
  /** @type {Map<string, SVGGElement>} */
  #nodes = new Map()
  /** @type {Map<string, SVGPathElement>} */
  #edges = new Map()
  #last = svg('g', { class: 'last' })
  #lit = ''
  #traced = ''

  /**
   * @param {HTMLElement} box
   * @param {HTMLElement} meaning
   */
  constructor(box, meaning) {
    this.#box = box
    this.#meaning = meaning
    // It scrolls on narrow screens, so the keyboard has to reach it.
    box.tabIndex = 0
    box.setAttribute('role', 'group')
    box.setAttribute('aria-label', 'Statechart')
  }

  /** @param {Chart | undefined} chart */
  draw(chart) {
    this.#lit = ''
    this.#traced = ''
    if (chart === this.#chart && chart) return
    this.#chart = chart
    this.#nodes.clear()
    this.#edges.clear()
    this.#last.replaceChildren()
    if (!chart) {
      this.#box.replaceChildren(el('p', 'empty', 'The chart is being laid out …'))
      return
    }
    const boxes = chart.nodes.map((node) => this.#node(node))
    const lines = chart.edges.map((edge) => {
      const path = svg('path', { class: 'edge', d: rounded(edge.points), 'marker-end': 'url(#tip)' })
      path.append(title(`${edge.from} → ${edge.to}: ${edge.labels.join(', ')}`))
      this.#edges.set(`${edge.from}→${edge.to}`, path)
      return path
    })
    const drawing = svg('svg', { viewBox: `0 0 ${chart.width} ${chart.height}`, role: 'img', class: 'drawing' })
    drawing.append(tips(), ...boxes, ...lines, this.#last)
    drawing.style.minWidth = `${Math.min(760, chart.width)}px`
    drawing.style.maxWidth = `${chart.width * 1.25}px`
    this.#box.replaceChildren(drawing)
  }

  /**
   * @param {readonly string[]} active
   * @param {string} tone
   * @param {readonly Step[]} transitions newest first
   */
  light(active, tone, transitions) {
    const key = `${tone} ${active.join(' ')}`
    if (key !== this.#lit) {
      this.#lit = key
      const on = new Set(active)
      for (const [id, node] of this.#nodes)
        setAttribute(node, 'class', on.has(id) ? `node active tone-${tone}` : 'node')
      this.#explain(active)
      setAttribute(this.#box.firstElementChild ?? this.#box, 'aria-label', `Active: ${active.join(', ')}`)
      this.#reveal(active)
    }
    const last = transitions.filter(({ step }) => step === transitions[0]?.step)
    const drawn = last.map(({ step, from, to }) => `${step} ${from} ${to}`).join()
    if (drawn !== this.#traced) {
      this.#traced = drawn
      this.#trace(last)
    }
  }

  /** @param {ChartNode} node */
  #node(node) {
    const { id, label, kind, description, x, y, width, height } = node
    const leaf = isLeaf(node)
    const group = svg('g', { class: 'node', 'data-kind': leaf ? kind : kind === 'region' ? 'region' : 'outer' })
    group.append(
      svg('rect', { x, y, width, height, rx: leaf ? 6 : 9 }),
      text(label, x + (leaf ? width / 2 : 10), y + (leaf ? height / 2 + 4.5 : 17), leaf ? 'middle' : 'start'),
    )
    if (node.initial && leaf) group.append(svg('circle', { cx: x, cy: y + height / 2, r: 3, class: 'initial' }))
    group.append(title(description ? `${id}: ${description}` : id))
    this.#nodes.set(id, group)
    return group
  }

  /**
   * Draws the last step: along its lines, or, where none is drawn, by the shortest way.
   *
   * @param {readonly Step[]} steps newest first
   */
  #trace(steps) {
    for (const path of this.#edges.values()) path.classList.remove('taken')
    this.#last.replaceChildren()
    for (const step of steps) {
      const points = this.#follow(step)
      // What followed at once has no event of its own to tell of.
      if (points && step.label !== 'always') this.#last.append(...chip(step.label, this.#roomFor(step.label, points)))
    }
  }

  /**
   * @param {Step} step
   * @returns {readonly (readonly [number, number])[] | undefined} where it was drawn
   */
  #follow(step) {
    const from = this.#chart?.nodes.find(({ id }) => id === step.from)
    const to = this.#chart?.nodes.find(({ id }) => id === step.to)
    if (!to) return undefined
    const edge = this.#chart?.edges.find((one) => one.from === step.from && one.to === step.to)
    if (edge) {
      this.#edges.get(`${edge.from}→${edge.to}`)?.classList.add('taken')
      return edge.points
    }
    if (from && !isWithin(from, to) && !isWithin(to, from)) {
      const points = across(from, to)
      this.#last.append(svg('path', { class: 'jump', d: rounded(points), 'marker-end': 'url(#tip-taken)' }))
      return points
    }
    // From everywhere, or within: the box it came to says so.
    const { x, y, width, height } = to
    this.#last.append(
      svg('rect', { class: 'arrived', x: x - 3, y: y - 3, width: width + 6, height: height + 6, rx: 9 }),
    )
    return [[x + width / 2, y]]
  }

  /**
   * Where a label hides no name: the first of many places along a line, and beside it, that is free.
   *
   * @param {string} label
   * @param {readonly (readonly [number, number])[]} points
   * @returns {readonly [number, number]}
   */
  #roomFor(label, points) {
    const { width = 0, height = 0, nodes = [] } = this.#chart ?? {}
    const half = chipWidth(label) / 2
    const hidden = (/** @type {readonly [number, number]} */ [x, y]) => {
      if (x - half < 0 || x + half > width || y < 10 || y > height - 10) return nodes.length
      return nodes.filter((node) => {
        const head = isLeaf(node) ? node : { ...node, width: node.label.length * 8 + 12, height: 22 }
        return x + half > head.x && x - half < head.x + head.width && y + 10 > head.y && y - 10 < head.y + head.height
      }).length
    }
    const [mx, my] = longest(points)
    const beside = [0, -18, 18, -34, 34, -50, 50].flatMap((dy) =>
      [0, -half - 8, half + 8, -half * 2, half * 2].map((dx) => /** @type {const} */ ([mx + dx, my + dy])),
    )
    const free = beside.find((at) => hidden(at) === 0)
    return free ?? [mx, my]
  }

  /** @param {readonly string[]} active */
  #explain(active) {
    const rows = active.flatMap((id) => {
      const node = this.#chart?.nodes.find((one) => one.id === id)
      const isInnermost = !active.some((other) => other.startsWith(`${id}.`))
      return node?.description && isInnermost
        ? [el('div', '', el('dt', '', short(id)), el('dd', '', node.description))]
        : []
    })
    this.#meaning.replaceChildren(...rows)
  }

  /** On a narrow screen the chart scrolls: what is active comes into view. @param {readonly string[]} active */
  #reveal(active) {
    const node = this.#chart?.nodes.find(({ id }) => id === active.at(-1))
    const { scrollWidth, clientWidth } = this.#box
    if (!node || !this.#chart || scrollWidth <= clientWidth) return
    const middle = ((node.x + node.width / 2) / this.#chart.width) * scrollWidth
    this.#box.scrollTo({ left: middle - clientWidth / 2 })
  }
}

/** @param {ChartNode} node */
const isLeaf = ({ kind }) => kind === 'atomic' || kind === 'final'

/**
 * @param {ChartNode} inner
 * @param {ChartNode} outer
 */
const isWithin = (inner, outer) => inner.id === outer.id || inner.id.startsWith(`${outer.id}.`)

/** @param {string} id */
const short = (id) => id.split('.').slice(-2).join('.')

/** @param {string} words */
function title(words) {
  const made = svg('title')
  setText(made, words)
  return made
}

/**
 * @param {string} words
 * @param {number} x
 * @param {number} y
 * @param {string} anchor
 */
function text(words, x, y, anchor) {
  const made = svg('text', { x, y, 'text-anchor': anchor })
  setText(made, words)
  return made
}

/**
 * @param {string} label
 * @param {readonly [number, number]} at
 */
function chip(label, [x, y]) {
  const width = chipWidth(label)
  const words = text(label, x, y + 4, 'middle')
  words.setAttribute('class', 'chip-text')
  return [svg('rect', { class: 'chip', x: x - width / 2, y: y - 10, width, height: 20, rx: 10 }), words]
}

/** @param {string} label */
const chipWidth = (label) => label.length * 7.2 + 14

/** The middle of the longest stretch, where a label is least in the way. @param {readonly (readonly [number, number])[]} points */
function longest(points) {
  let best = /** @type {readonly [number, number]} */ (points[0] ?? [0, 0])
  let most = -1
  for (const [i, [x, y]] of points.entries()) {
    const [px, py] = points[i - 1] ?? [x, y]
    const length = Math.abs(x - px) + Math.abs(y - py)
    if (length > most) [most, best] = [length, [(x + px) / 2, (y + py) / 2]]
  }
  return best
}

/**
 * @param {ChartNode} from
 * @param {ChartNode} to
 * @returns {[number, number][]}
 */
function across(from, to) {
  const middle = (/** @type {ChartNode} */ { y, height }) => y + height / 2
  if (from.x + from.width <= to.x) return elbow(from.x + from.width, middle(from), to.x, middle(to))
  if (to.x + to.width <= from.x) return elbow(from.x, middle(from), to.x + to.width, middle(to))
  const x = (Math.max(from.x, to.x) + Math.min(from.x + from.width, to.x + to.width)) / 2
  return from.y < to.y
    ? [
        [x, from.y + from.height],
        [x, to.y],
      ]
    : [
        [x, from.y],
        [x, to.y + to.height],
      ]
}

/**
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 * @returns {[number, number][]}
 */
function elbow(x1, y1, x2, y2) {
  const x = (x1 + x2) / 2
  return [
    [x1, y1],
    [x, y1],
    [x, y2],
    [x2, y2],
  ]
}

/** A line through corners, each a little rounded. @param {readonly (readonly [number, number])[]} points */
function rounded(points) {
  const [first, ...rest] = points
  if (!first) return ''
  let path = `M${first[0]} ${first[1]}`
  for (const [i, [x, y]] of rest.entries()) {
    const [px, py] = points[i] ?? [x, y]
    const next = points[i + 2]
    const r = Math.min(ROUND, (Math.abs(x - px) + Math.abs(y - py)) / 2)
    if (!next) path += `L${x} ${y}`
    else {
      const out = Math.min(ROUND, (Math.abs(next[0] - x) + Math.abs(next[1] - y)) / 2)
      path += `L${x - Math.sign(x - px) * r} ${y - Math.sign(y - py) * r}`
      path += `Q${x} ${y} ${x + Math.sign(next[0] - x) * out} ${y + Math.sign(next[1] - y) * out}`
    }
  }
  return path
}

function tips() {
  const tip = (/** @type {string} */ id) =>
    svg(
      'marker',
      {
        id,
        viewBox: '0 0 8 8',
        refX: 7,
        refY: 4,
        markerWidth: 7,
        markerHeight: 7,
        orient: 'auto',
        markerUnits: 'userSpaceOnUse',
      },
      svg('path', { d: 'M0 1 L7 4 L0 7 z' }),
    )
  return svg('defs', {}, tip('tip'), tip('tip-taken'))
}
