/** Layout by elkjs, where it is installed. */
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js'
import type { Graph, GraphNode } from './graph.js'
import { type Placed, size, widthOf } from './place.js'

const outer = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.spacing.nodeNodeBetweenLayers': '20',
  'elk.layered.spacing.edgeNodeBetweenLayers': '10',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '7',
  'elk.spacing.nodeNode': '14',
  'elk.spacing.edgeNode': '9',
  'elk.spacing.edgeEdge': '7',
  'elk.padding': '[top=6,left=6,bottom=6,right=6]',
}

const inner = { 'elk.padding': `[top=${size.head + 10},left=10,bottom=10,right=10]` }

/** An own thread with elkjs in it; started for the first chart, and no reason for the process to stay. */
export class ElkLayout {
  #worker: Worker | undefined
  readonly #waiting = new Map<number, (laid: ElkNode | undefined) => void>()
  #key = 0

  /** Resolves with `undefined` when elkjs is not installed, or cannot do it. */
  async layout(graph: Graph): Promise<Placed | undefined> {
    const worker = this.#started()
    if (!worker) return undefined
    const key = ++this.#key
    const laid = await new Promise<ElkNode | undefined>((resolve) => {
      this.#waiting.set(key, resolve)
      worker.postMessage({ key, graph: elkGraph(graph) })
    })
    return laid && placed(graph, laid)
  }

  async stop(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    this.#giveUp()
    await worker?.terminate()
  }

  #started(): Worker | undefined {
    if (this.#worker) return this.#worker
    const elk = pathOfElk()
    if (elk === undefined) return undefined
    const worker = new Worker(new URL('./elk-thread.js', import.meta.url), { workerData: elk, execArgv: [], env: {} })
    worker.unref()
    worker.on('message', ({ key, laid }: { key: number; laid?: ElkNode }) => {
      this.#waiting.get(key)?.(laid)
      this.#waiting.delete(key)
    })
    // An error ends the thread; the next chart may start another.
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      if (this.#worker !== worker) return
      this.#worker = undefined
      this.#giveUp()
    })
    this.#worker = worker
    return worker
  }

  #giveUp(): void {
    for (const resolve of this.#waiting.values()) resolve(undefined)
    this.#waiting.clear()
  }
}

function pathOfElk(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('elkjs/lib/elk.bundled.js')
  } catch {
    return undefined
  }
}

function elkGraph(graph: Graph): ElkNode {
  const childrenOf = (parent: string | undefined): ElkNode[] =>
    graph.nodes.filter((node) => node.parent === parent).map((node) => elkNode(node, childrenOf(node.id)))
  const edges = graph.edges.map(({ from, to }, index) => ({ id: String(index), sources: [from], targets: [to] }))
  return { id: '', layoutOptions: outer, children: childrenOf(undefined), edges }
}

function elkNode(node: GraphNode, children: ElkNode[]): ElkNode {
  const { id } = node
  if (children.length === 0) return { id, width: widthOf(node), height: size.height }
  const layoutOptions = {
    ...inner,
    'elk.nodeSize.constraints': 'MINIMUM_SIZE',
    'elk.nodeSize.minimum': `(${widthOf(node)}, ${size.height})`,
  }
  return { id, layoutOptions, children }
}

const tidy = (n: number): number => Math.round(n * 10) / 10

/** Less than this apart, in pixels, is the same: sums of fractions are seldom equal, and a kink would be drawn. */
const SAME = 1

function straightened(corners: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const straight: (readonly [number, number])[] = []
  for (const [x, y] of corners) {
    const [lastX = Number.NaN, lastY = Number.NaN] = straight.at(-1) ?? []
    straight.push([Math.abs(x - lastX) < SAME ? lastX : x, Math.abs(y - lastY) < SAME ? lastY : y])
  }
  return straight
}

/** Elk's places are relative to the state around a box, or to the one that holds both ends of a line. */
function placed(graph: Graph, laid: ElkNode): Placed {
  const at = new Map<string, { x: number; y: number; width: number; height: number }>()
  const walk = (node: ElkNode, dx: number, dy: number) => {
    const [x, y] = [dx + (node.x ?? 0), dy + (node.y ?? 0)]
    at.set(node.id, { x: tidy(x), y: tidy(y), width: tidy(node.width ?? 0), height: tidy(node.height ?? 0) })
    for (const child of node.children ?? []) walk(child, x, y)
  }
  walk(laid, 0, 0)
  const nowhere = { x: 0, y: 0, width: 0, height: 0 }
  return {
    width: laid.width ?? 0,
    height: laid.height ?? 0,
    nodes: graph.nodes.map((node) => ({ ...node, ...(at.get(node.id) ?? nowhere) })),
    edges: (laid.edges ?? []).flatMap((edge: ElkExtendedEdge) => {
      const own = graph.edges[Number(edge.id)]
      const section = edge.sections?.[0]
      if (!own || !section) return []
      const origin = at.get(edge.container ?? '') ?? nowhere
      const corners = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]
      return [{ ...own, points: straightened(corners.map(({ x, y }) => [tidy(origin.x + x), tidy(origin.y + y)])) }]
    }),
  }
}
