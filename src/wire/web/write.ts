import type { WireEvidence } from '../../../machines/evidence.js'
import type { JsonRpcRequest } from '../messages.js'
import type { HttpClient } from './client.js'
import { type Sent, unsendableEvidence } from './evidence.js'
import type { Body } from './exchange.js'

/** A request as it goes out; one that JSON cannot hold is refused, and nothing goes out. */
export function written(
  client: HttpClient,
  message: JsonRpcRequest,
  sent: Sent,
  refuse: (evidence: WireEvidence) => void,
): Body | undefined {
  try {
    return client.body(message)
  } catch (error) {
    // Not from within `send`: nobody would wait for the answer yet.
    queueMicrotask(() => refuse(unsendableEvidence(sent, error)))
    return undefined
  }
}
