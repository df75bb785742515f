import { describe, expect, onTestFinished, test } from 'vitest'
import { connectionChart } from '../../machines/connection.js'
import { Charts, ElkLayout, type Graph, graphOf, type Placed, plainLayout } from '../../src/inspect/chart/index.js'
import type { Chart } from '../../src/inspect/messages.js'
import { safeDefinition } from '../../src/inspect/safe/index.js'

const definition = safeDefinition(connectionChart.config)
const graph = graphOf(definition)

const elkLayout = async (of: Graph): Promise<Placed | undefined> => {
  const elk = new ElkLayout()
  onTestFinished(() => elk.stop())
  return elk.layout(of)
}

describe('the graph of a chart', () => {
  test('has every state, and a line for what leads from one to another', () => {
    expect(graph.nodes.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['idle', 'linked.ready.health.probing', 'failed.exhausted.open', 'closed']),
    )
    expect(graph.nodes.find(({ id }) => id === 'linked.ready')?.kind).toBe('parallel')
    expect(graph.nodes.find(({ id }) => id === 'linked.ready.health')?.kind).toBe('region')
    expect(graph.nodes.find(({ id }) => id === 'closed')?.kind).toBe('final')
    expect(graph.edges).toContainEqual({ from: 'linked', to: 'backoff', labels: ['fault V7'] })
    expect(graph.edges).toContainEqual({
      from: 'linked.discovering',
      to: 'linked.ready',
      labels: ['link.discovered', 'after discoverTimeout'],
    })
  })

  test('knows all ways to name a target', () => {
    const { transitions } = graphOf(
      safeDefinition({
        id: 'm',
        initial: 'a',
        on: { top: '.b' },
        states: {
          a: { on: { sibling: 'b', byId: '#own.x', byPath: '#m.b.x', gone: 'nowhere' } },
          b: { id: 'own', on: { child: '.x' }, states: { x: {} } },
        },
      }),
    )
    expect(transitions.map(({ from, event, to }) => `${from} ${event} ${to}`)).toEqual([
      ' top b',
      'a sibling b',
      'a byId b.x',
      'a byPath b.x',
      'b child b.x',
    ])
  })

  test('of a definition that is no chart is empty', () => {
    for (const strange of [undefined, null, 5, 'x', [], { states: 'x' }, { states: { a: null } }])
      expect(graphOf(safeDefinition(strange)).edges).toEqual([])
  })
})

describe.each([
  ['elk', elkLayout],
  ['plain', async (of: Graph) => plainLayout(of)],
] as const)('the layout by %s', (_, layout) => {
  test('places every state inside its own, and none over another', async () => {
    const placed = await layout(graph)
    if (!placed) throw new Error('not laid out')
    expect(placed.nodes).toHaveLength(graph.nodes.length)
    const inside = (a: Placed['nodes'][number], b: { x: number; y: number; width: number; height: number }) =>
      a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width + 0.5 && a.y + a.height <= b.y + b.height + 0.5
    const outer = { x: 0, y: 0, width: placed.width, height: placed.height }
    for (const node of placed.nodes) {
      const parent = placed.nodes.find(({ id }) => id === node.parent) ?? outer
      expect([node.id, inside(node, parent)]).toEqual([node.id, true])
      for (const other of placed.nodes.filter((it) => it.parent === node.parent && it.id > node.id)) {
        const apart =
          node.x + node.width <= other.x ||
          other.x + other.width <= node.x ||
          node.y + node.height <= other.y ||
          other.y + other.height <= node.y
        expect([node.id, other.id, apart]).toEqual([node.id, other.id, true])
      }
    }
  })
})

test('the layout by elk draws every line, straight along the axes', async () => {
  const placed = await elkLayout(graph)
  expect(placed?.edges).toHaveLength(graph.edges.length)
  const slanted = placed?.edges.filter(({ points }) =>
    points.some(([x, y], i) => i > 0 && x !== points[i - 1]?.[0] && y !== points[i - 1]?.[1]),
  )
  expect(slanted).toEqual([])
})

test('what elk cannot lay out gets no places from it, and neither does a thread that ends owe an answer', async () => {
  const elk = new ElkLayout()
  onTestFinished(() => elk.stop())
  const lost: Graph = { ...graph, edges: [{ from: 'idle', to: 'nowhere', labels: [] }] }
  expect(await elk.layout(lost)).toBeUndefined()
  const asked = elk.layout(graph)
  await elk.stop()
  expect(await asked).toBeUndefined()
  expect((await elk.layout(graph))?.nodes).toHaveLength(graph.nodes.length)
})

test('a chart is laid out once, without elkjs plainly, and there is an end to how many', async () => {
  const told: Chart[] = []
  let layouts = 0
  const charts = new Charts(
    async () => {
      layouts++
      return undefined
    },
    (chart) => told.push(chart),
  )
  const id = charts.add(definition)
  expect(charts.add(safeDefinition(connectionChart.config))).toBe(id)
  await expect.poll(() => told.length).toBe(1)
  expect([layouts, told[0]?.nodes.length, charts.ready.length]).toEqual([1, graph.nodes.length, 1])
  const ids = Array.from({ length: 100 }, (_, i) => charts.add({ id: `m${i}`, states: { a: {} } }))
  expect(ids.filter((one) => one === undefined)).not.toHaveLength(0)
  expect(charts.add({ id: 'no states' })).toBeUndefined()
})
