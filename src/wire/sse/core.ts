import type { WireEvidence } from '../../../machines/evidence.js'
import type { WebCore } from '../web/index.js'
import type { PostedRequest } from './posted-request.js'

/** What the wire lends to its parts once there is an endpoint, which is its `target`. */
export interface SseCore extends WebCore {
  /** Takes a parsed JSON value; `from` is the request in the answer to whose POST it stood. */
  receive(value: unknown, from?: PostedRequest): void
  /** Answers a request of ours with a failure, unless it was settled already. */
  refuse(request: PostedRequest, evidence: WireEvidence): void
}
