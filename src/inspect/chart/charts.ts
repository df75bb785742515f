import type { Chart } from '../messages.js'
import type { SafeDefinition } from '../safe/index.js'
import { type Graph, graphOf } from './graph.js'
import type { Layout, Placed } from './place.js'
import { plainLayout } from './plain.js'

/** Definitions of other programs that are kept; a program that makes machines without end must not fill the memory. */
const MOST_CHARTS = 64

interface Entry {
  readonly id: string
  readonly graph: Graph
  chart?: Chart
}

/** Every chart that is shown, laid out once for each definition. */
export class Charts {
  readonly #entries = new Map<string, Entry>()
  readonly #layout: Layout
  readonly #onChart: (chart: Chart) => void

  /** `onChart` is told of each chart once it has its places. */
  constructor(layout: Layout, onChart: (chart: Chart) => void) {
    this.#layout = layout
    this.#onChart = onChart
  }

  /** The charts that have their places. */
  get ready(): readonly Chart[] {
    return [...this.#entries.values()].flatMap(({ chart }) => (chart ? [chart] : []))
  }

  /** The id under which a definition is shown; `undefined` when it has no states, or there are too many. */
  add(definition: SafeDefinition): string | undefined {
    if (!definition.states || Object.keys(definition.states).length === 0) return undefined
    const key = JSON.stringify(definition)
    const known = this.#entries.get(key)
    if (known) return known.id
    if (this.#entries.size >= MOST_CHARTS) return undefined
    const entry: Entry = { id: `chart-${this.#entries.size + 1}`, graph: graphOf(definition) }
    this.#entries.set(key, entry)
    this.#lay(entry).catch(() => undefined)
    return entry.id
  }

  graph(id: string): Graph | undefined {
    for (const entry of this.#entries.values()) if (entry.id === id) return entry.graph
    return undefined
  }

  async #lay(entry: Entry): Promise<void> {
    const placed: Placed = (await this.#layout(entry.graph)) ?? plainLayout(entry.graph)
    entry.chart = { id: entry.id, name: entry.graph.name, ...placed }
    this.#onChart(entry.chart)
  }
}
