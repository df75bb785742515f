import type { WireEvidence } from '../../../machines/evidence.js'
import type { Random } from '../../clock.js'
import type { JsonRpcId } from '../messages.js'
import type { Sent, WebCore } from '../web/index.js'
import type { WireEvent } from '../wire.js'

/** A request of ours that is not answered yet, as the wire and a resumption see it. */
export interface OpenRequest {
  readonly id: JsonRpcId
  readonly method: string
  /** What it went out with. */
  readonly sent: Sent
  /** Answered, failed or forgotten: whatever still comes is not for it. */
  settled: boolean
  /** Accepted without an answer: it can only come on the listening stream. */
  parked: boolean
}

/** What the wire lends to its parts: a request, a delivery, a resumption, the listening stream. */
export interface WireCore extends WebCore {
  readonly random: Random
  readonly maxResumes: number
  /** Takes a parsed JSON value; `from` is the request whose reply it stood in. */
  receive(value: unknown, from?: OpenRequest): void
  /** Answers a request of ours with a failure, unless it was settled already. */
  refuse(request: OpenRequest, evidence: WireEvidence): void
  /** The request was accepted without an answer, which can now only come on the listening stream. */
  park(request: OpenRequest): void
  /** A request is under way whose answer does not depend on the listening stream. */
  busy(): boolean
  emit(event: WireEvent): void
}
