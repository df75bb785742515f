import type { WireEvidence } from '../../../machines/evidence.js'
import { answeredId } from '../answered-id.js'
import { failureResponse } from '../failure.js'
import { isMessage, isResponse, type JsonRpcId, type JsonRpcMessage } from '../messages.js'
import { stdioEvidence } from './evidence.js'
import type { LineSink, OversizeLine } from './framing.js'
import { BLANK, NOT_JSON, parseLine } from './line.js'
import type { NoiseMeter } from './noise.js'
import type { Pending } from './pending.js'

const EXCERPT_BYTES = 500

export interface InboxOptions {
  pending: Pending
  noise: NoiseMeter
  deliver(message: JsonRpcMessage): void
  suspect(evidence: WireEvidence): void
}

/** Turns lines of stdout into messages, and finds for each odd one the least harm it can do. */
export class Inbox implements LineSink {
  readonly #options: InboxOptions

  constructor(options: InboxOptions) {
    this.#options = options
  }

  line(bytes: Buffer, start: number, end: number): void {
    const value = parseLine(bytes, start, end)
    if (value === BLANK) return
    // A batch, as revision 2025-03-26 has it.
    const items: unknown[] = Array.isArray(value) ? value : [value]
    for (const item of items) {
      if (item !== NOT_JSON && this.#take(item)) continue
      this.#options.noise.add(() => bytes.toString('utf8', start, Math.min(end, start + EXCERPT_BYTES)))
    }
  }

  oversize(line: OversizeLine): void {
    const evidence = stdioEvidence(
      'oversize',
      `the server sent a message of ${line.bytes} bytes, which is over the limit`,
    )
    const id = answeredId(line.head.toString('utf8'), line.tail.toString('utf8'))
    if (id !== undefined && this.#fail(id, evidence)) return
    this.#options.suspect(evidence)
  }

  /** `false` when it is for nobody. */
  #take(value: unknown): boolean {
    if (!isMessage(value)) {
      // What bears the id of a request of ours can only be its answer, and no better one will come.
      const id = idOf(value)
      const evidence = stdioEvidence('malformed', 'the server answered with something that is not JSON-RPC 2.0')
      return id !== undefined && this.#fail(id, evidence)
    }
    if (isResponse(value)) {
      if (value.id === undefined || value.id === null) return this.#suspect(value)
      // An answer nobody waits for (any more): a late one to a cancelled request, or a server's mistake.
      if (!this.#options.pending.take(value.id)) return false
    }
    this.#options.deliver(value)
    return true
  }

  #suspect(answer: JsonRpcMessage): boolean {
    if (!('error' in answer)) return false
    const { code, message } = answer.error
    const summary = 'the server reports an error without saying which request it belongs to'
    this.#options.suspect(stdioEvidence('rpc', summary, { rpc: { code, message } }))
    return true
  }

  #fail(id: JsonRpcId, evidence: WireEvidence): boolean {
    const request = this.#options.pending.take(id)
    if (!request) return false
    this.#options.deliver(failureResponse(id, { ...evidence, method: request.method, sent: true }))
    return true
  }
}

function idOf(value: unknown): JsonRpcId | undefined {
  if (typeof value !== 'object' || value === null || !('id' in value) || 'method' in value) return undefined
  return typeof value.id === 'string' || typeof value.id === 'number' ? value.id : undefined
}
