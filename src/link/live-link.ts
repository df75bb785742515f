import type { Fault } from '../../machines/faults.js'
import type { Result } from '../protocol.js'
import type { Link, RequestOptions } from './port.js'

/** A link that is usable, with what a fault of it has to name. */
export class LiveLink implements Pick<Link, 'request'> {
  readonly link: Link
  readonly generation: number
  /** A call has met a fault of the link. */
  readonly note: (fault: Fault) => void

  constructor(link: Link, generation: number, note: (fault: Fault) => void) {
    this.link = link
    this.generation = generation
    this.note = note
  }

  request(
    method: string,
    params: Record<string, unknown> | undefined,
    timeoutMs: number,
    options: RequestOptions,
  ): Promise<Result> {
    return this.link.request(method, params, timeoutMs, options)
  }
}
