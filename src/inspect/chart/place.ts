import type { Chart } from '../messages.js'
import type { Graph, GraphNode } from './graph.js'

/** Sizes in pixels of the drawing; the page scales it as a whole. */
export const size = { letter: 7.4, side: 10, height: 28, least: 56, head: 22, gap: 14 } as const

export const widthOf = ({ label }: GraphNode): number =>
  Math.max(size.least, label.length * size.letter + size.side * 2)

/** A graph with a place for each box and line. */
export type Placed = Omit<Chart, 'id' | 'name'>

/** How a graph gets its places. Resolves with `undefined` where it cannot. */
export type Layout = (graph: Graph) => Promise<Placed | undefined>
