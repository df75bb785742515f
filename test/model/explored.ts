import { connectionChart } from '../../machines/index.js'
import {
  connectionCases,
  connectionKey,
  connectionSlices,
  type ExploreOptions,
  explore,
  type Report,
} from '../../src/testing/explorer/index.js'

export type Chart = typeof connectionChart

/** The connection's chart, explored in all slices. */
export const exploreConnection = (invariants: ExploreOptions<Chart>['invariants']): Report<Chart> =>
  explore(connectionChart, {
    slices: connectionSlices,
    cases: connectionCases(connectionChart),
    project: connectionKey,
    invariants,
  })
