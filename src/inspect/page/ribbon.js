// A strip that shows how a connection fared: one rectangle for each stretch of one tone, time running to the right.

import { setAttribute, svg } from './dom.js'

/** Seconds that a strip shows. */
export const SHOWN_S = 300
const MOST_STRETCHES = 120
/** Shorter ones, in seconds, could not be told apart; several in a row become one. */
const SHORT_S = 0.8

/**
 * @typedef {import('../messages.js').Tone} Tone
 * @typedef {{ from: number, tone: Tone }} Stretch
 */

const seconds = () => performance.now() / 1000

/** From what nobody needs to see to what everybody should. @type {readonly Tone[]} */
const weights = ['faint', 'good', 'busy', 'wait', 'bad']

/** The stretches of one connection. */
export class Ribbon {
  /** @type {Stretch[]} */
  stretches = []

  /** @param {readonly { readonly agoMs: number, readonly tone: Tone }[]} history */
  begin(history) {
    const now = seconds()
    this.stretches = history.map(({ agoMs, tone }) => ({ from: now - agoMs / 1000, tone }))
  }

  /** @param {Tone} tone */
  note(tone) {
    if (this.stretches.at(-1)?.tone === tone) return
    this.stretches.push({ from: seconds(), tone })
    this.#joinShort()
    if (this.stretches.length > MOST_STRETCHES) this.stretches.shift()
  }

  /** Of two short stretches that are over, the weightier one stands for both. */
  #joinShort() {
    const [first, second, last] = this.stretches.slice(-3)
    if (!first || !second || !last || second.from - first.from > SHORT_S || last.from - second.from > SHORT_S) return
    const tone = weights.indexOf(first.tone) > weights.indexOf(second.tone) ? first.tone : second.tone
    this.stretches.splice(-3, 2, { from: first.from, tone })
  }
}

/** One strip. The rectangles stay; the window moves over them. */
export class Strip {
  element = svg('svg', { class: 'ribbon', preserveAspectRatio: 'none', 'aria-hidden': 'true' })
  /** @type {{ rect: SVGRectElement, stretch: Stretch | undefined, width: number }[]} */
  #drawn = []

  /** Writes only what differs from what is drawn. @param {Ribbon} ribbon */
  show({ stretches }) {
    for (const [i, stretch] of stretches.entries()) {
      // The last one goes on until something follows.
      const width = Math.max((stretches[i + 1]?.from ?? stretch.from + 1e6) - stretch.from, 0.4)
      const drawn = this.#drawn[i] ?? this.#add()
      if (drawn.stretch === stretch && drawn.width === width) continue
      drawn.stretch = stretch
      drawn.width = width
      setAttribute(drawn.rect, 'class', `tone-${stretch.tone}`)
      setAttribute(drawn.rect, 'x', stretch.from.toFixed(2))
      setAttribute(drawn.rect, 'width', width.toFixed(2))
    }
    for (const { rect } of this.#drawn.splice(stretches.length)) rect.remove()
    this.slide()
  }

  slide() {
    this.element.setAttribute('viewBox', `${(seconds() - SHOWN_S).toFixed(2)} 0 ${SHOWN_S} 1`)
  }

  #add() {
    const rect = svg('rect', { y: 0, height: 1 })
    const made = { rect, stretch: undefined, width: 0 }
    this.element.append(rect)
    this.#drawn.push(made)
    return made
  }
}
