import type { WireEvidence } from '../../../machines/evidence.js'
import type { Clock, Random } from '../../clock.js'
import type { JsonRpcId } from '../messages.js'
import type { WireEvent } from '../wire.js'
import type { HttpClient } from './client.js'
import type { Sent } from './evidence.js'
import type { Target } from './exchange.js'
import type { Linger } from './linger.js'
import type { RequestHeaders } from './request-headers.js'

/** A request of ours that is not answered yet, as the wire and a resumption see it. */
export interface OpenRequest {
  readonly id: JsonRpcId
  readonly method: string
  /** What it went out with. */
  readonly sent: Sent
  /** Answered, failed or forgotten: whatever still comes is not for it. */
  settled: boolean
}

/** What the wire lends to its parts: a request, a delivery, a resumption, the listening stream. */
export interface WireCore {
  readonly client: HttpClient
  readonly target: Target
  readonly headers: RequestHeaders
  readonly clock: Clock
  readonly random: Random
  readonly linger: Linger
  readonly maxMessageBytes: number
  readonly maxResumes: number
  /** The peer answered something. A status of 500 and above can be a proxy's and proves nothing. */
  alive(status: number): void
  /** Takes a parsed JSON value; `from` is the request whose reply it stood in. */
  receive(value: unknown, from?: OpenRequest): void
  /** Answers a request of ours with a failure, unless it was settled already. */
  refuse(request: OpenRequest, evidence: WireEvidence): void
  /** The request was accepted without an answer, which can now only come on the listening stream. */
  park(request: OpenRequest): void
  emit(event: WireEvent): void
  noise(text: string): void
}
