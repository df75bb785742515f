import type { SnapshotFrom, StateValue } from 'xstate'
import type { ConnectionContext, ConnectionTag, connectionChart } from '../../../machines/index.js'
import type { StepView } from './types.js'

/** A snapshot of the connection's chart, or of one that extends it: what both have. */
export interface ConnectionView {
  readonly status: 'active' | 'done' | 'error' | 'stopped'
  readonly value: StateValue
  readonly context: ConnectionContext
  readonly children: object
  matches(state: Parameters<SnapshotFrom<typeof connectionChart>['matches']>[0]): boolean
  hasTag(tag: ConnectionTag): boolean
}

/** One step of either. */
export interface ConnectionStep extends Omit<StepView<typeof connectionChart>, 'before' | 'after'> {
  readonly before?: ConnectionView
  readonly after: ConnectionView
}

/** A sentence that holds for every step of either. */
export interface ConnectionInvariant {
  readonly name: string
  readonly check: (step: ConnectionStep) => string | undefined
}
