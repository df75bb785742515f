import type { WireEvidence } from '../../../machines/evidence.js'
import type { Answerable, WebCore } from '../web/index.js'

/** What the wire lends to its parts once there is an endpoint, which is its `target`. */
export interface SseCore extends WebCore {
  /** Takes a parsed JSON value; `from` is the request in the answer to whose POST it stood. */
  receive(value: unknown, from?: Answerable): void
  /** Answers a request of ours with a failure, unless it was settled already. */
  refuse(request: Answerable, evidence: WireEvidence): void
}
