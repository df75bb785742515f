/**
 * The layout without elkjs: boxes in rows, states inside their state. No lines: without routing they would run through
 * the boxes. The page draws those that are taken.
 */
import type { Graph, GraphNode } from './graph.js'
import { type Placed, size, widthOf } from './place.js'

interface Box {
  readonly node: GraphNode | undefined
  readonly children: readonly Box[]
  x: number
  y: number
  width: number
  height: number
}

/** Rows are about so many times as long as there are rows. */
const ASPECT = 3

export function plainLayout(graph: Graph): Placed {
  const grow = (node: GraphNode | undefined): Box => {
    const children = graph.nodes.filter(({ parent }) => parent === node?.id).map(grow)
    return arranged(node, children)
  }
  const root = grow(undefined)
  const at = new Map<string, Box>()
  const settle = (box: Box, dx: number, dy: number) => {
    box.x += dx
    box.y += dy
    if (box.node) at.set(box.node.id, box)
    for (const child of box.children) settle(child, box.x, box.y)
  }
  settle(root, 0, 0)
  return {
    width: root.width,
    height: root.height,
    nodes: graph.nodes.flatMap((node) => {
      const box = at.get(node.id)
      return box ? [{ ...node, x: box.x, y: box.y, width: box.width, height: box.height }] : []
    }),
    edges: [],
  }
}

/** A box around its children, which stand in rows in their order. */
function arranged(node: GraphNode | undefined, children: readonly Box[]): Box {
  const least = node ? widthOf(node) : 0
  if (children.length === 0) return { node, children, x: 0, y: 0, width: least, height: size.height }
  const area = children.reduce((sum, { width, height }) => sum + (width + size.gap) * (height + size.gap), 0)
  const most = Math.max(Math.sqrt(area * ASPECT), ...children.map(({ width }) => width))
  const head = node ? size.head : 0
  let [x, y, rowHeight, width] = [size.gap, head + size.gap, 0, least]
  for (const child of children) {
    if (x > size.gap && x + child.width > most + size.gap) {
      y += rowHeight + size.gap
      ;[x, rowHeight] = [size.gap, 0]
    }
    child.x = x
    child.y = y
    x += child.width + size.gap
    rowHeight = Math.max(rowHeight, child.height)
    width = Math.max(width, x)
  }
  return { node, children, x: 0, y: 0, width, height: y + rowHeight + size.gap }
}
