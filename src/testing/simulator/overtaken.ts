import { isOfServer, type SimulatedExchange } from './exchange.js'

interface Suspect {
  readonly stream: SimulatedExchange
  readonly lists: readonly SimulatedExchange[]
}

/**
 * A change of the lists that nobody can know of: it was made after the lists had been written and before the stream that
 * tells of it was open, and the head of that stream overtook the lists on their way (decision 36).
 */
export class OvertakenChange {
  /** The last change is one. */
  isLast = false
  #suspects: readonly Suspect[] = []

  /** The lists change just now. */
  changed(exchanges: Iterable<SimulatedExchange>): void {
    const underWay = [...exchanges].filter(isOfServer)
    const lists = underWay.filter(({ body }) => body?.includes('/list"'))
    this.isLast = false
    this.#suspects = underWay
      .filter(({ method, status }) => method === 'GET' && status === undefined)
      .map((stream) => ({ stream, lists }))
  }

  /** Looked at after every step. */
  look(): void {
    for (const { stream, lists } of this.#suspects)
      if (stream.status !== undefined && lists.some(({ over }) => !over)) this.isLast = true
    this.#suspects = this.#suspects.filter(({ stream }) => stream.status === undefined && !stream.over)
  }
}
