import type { RpcEvidence, WireEvidence } from '../../machines/evidence.js'
import type { JsonRpcError, JsonRpcId } from './messages.js'

/** A wire's own error: it could not start, or could not deliver. Everything that matters is in `evidence`. */
export class WireError extends Error {
  override readonly name = 'WireError'
  readonly evidence: WireEvidence
  constructor(evidence: WireEvidence, options?: ErrorOptions) {
    super(evidence.summary, options)
    this.evidence = evidence
  }
}

/**
 * Marks an error response as made by the wire and not by the server. Evidence that came over the wire is parsed JSON
 * and can never be an instance of this class, so a server cannot forge it (facts: SDK trap 26).
 */
class LocalFailure {
  readonly evidence: WireEvidence
  constructor(evidence: WireEvidence) {
    this.evidence = evidence
  }
  toJSON() {
    return this.evidence
  }
}

/** The code the SDK itself uses for a lost connection. */
const CONNECTION_CLOSED = -32000

/** The answer a wire gives to a request whose real answer will not come. */
export function failureResponse(id: JsonRpcId, evidence: WireEvidence): JsonRpcError {
  return {
    jsonrpc: '2.0',
    id,
    error: { code: CONNECTION_CLOSED, message: evidence.summary, data: new LocalFailure(evidence) },
  }
}

/** The evidence behind an error that a wire caused, or `undefined` when the error came from the server or elsewhere. */
export function evidenceOf(error: unknown): WireEvidence | undefined {
  if (error instanceof WireError) return error.evidence
  if (typeof error === 'object' && error !== null && 'data' in error && error.data instanceof LocalFailure) {
    return error.data.evidence
  }
  return undefined
}

const answers = new WeakMap<WireEvidence, RpcEvidence>()

/** Keeps the server's error as it came for whoever called; evidence itself holds a cut of it, since it is shown around. */
export function keepAnswer(evidence: WireEvidence, answer: RpcEvidence): WireEvidence {
  answers.set(evidence, answer)
  return evidence
}

/** The JSON-RPC error behind evidence as the server sent it, where it was an answer to a call. */
export const answeredError = (evidence: WireEvidence): RpcEvidence | undefined => answers.get(evidence)
