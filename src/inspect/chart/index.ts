/** Statecharts with a place for everything. */
export { Charts } from './charts.js'
export { ElkLayout } from './elk.js'
export { type Graph, graphOf } from './graph.js'
export type { Placed } from './place.js'
export { plainLayout } from './plain.js'
