import type { WireEvidence } from '../../../machines/evidence.js'
import type { HoldReason } from '../../../machines/types.js'

/** One link that wants through. */
export interface Visitor {
  /** Somebody asks for this attempt by hand. */
  readonly insists: boolean
  /** Its connection alone would not try a command that keeps ending more often than this, in milliseconds. */
  readonly patienceMs: number
  /** There may be room now: it asks again, or leaves. */
  readonly called: () => void
}

export type Answer =
  | { readonly type: 'admitted' }
  /** `forMs`: asked before that time is over, the answer is the same. Without it the visitor is called. */
  | { readonly type: 'held'; readonly because: HoldReason; readonly forMs?: number }
  /** It need not try: others just have. */
  | { readonly type: 'refused'; readonly evidence: WireEvidence }

/**
 * The gate before one target, the same for all connections to it. A visitor asks until it is admitted, and leaves in any
 * case. The door has no timers: times are waited for in the chart of the visitor, and rooms are told by calling.
 */
export interface Door {
  ask(visitor: Visitor): Answer
  /** An HTTP server agreed on a session; a process got ready. Its place is free for others. */
  passed(visitor: Visitor): void
  /** The link ends, wherever it stands. */
  leave(visitor: Visitor): void
  /** The server named a time to wait, in milliseconds. */
  cool(forMs: number): void
  /** The process ended before it was ready; returns how often in a row one has, whoever started it. */
  crashed(visitor: Visitor, evidence: WireEvidence): number
  /** A process that had been ready ended. */
  ended(): void
}
