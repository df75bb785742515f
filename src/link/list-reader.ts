import { type Fault, wantsScope } from '../../machines/faults.js'
import type { ListKind, ListReading } from './catalog.js'

/** What reading lists needs of the link actor. */
export interface ListReaderHost {
  /** Asks for one list, all its pages, in raw items. */
  list(kind: ListKind, signal: AbortSignal): Promise<unknown[]>
  judge(error: unknown): Fault
  /** A list could not be read, since the link is no good, or wants more scope for it. */
  lose(fault: Fault): void
  take(readings: ReadonlyMap<ListKind, ListReading>): void
}

/**
 * Reads lists, each for itself: which have to be read, which are being read, and what has come. Lists that are read
 * together are taken together, so that nobody sees the tools of a new server beside the prompts of the old one; but
 * whoever does not come in time holds the others up no longer.
 */
export class ListReader {
  readonly #host: ListReaderHost
  /** A thousand connections have these empty nearly all of the time, so nothing is kept for them then. */
  #dirty: readonly ListKind[] = []
  /** Readings without an answer, in the order in which they were begun. */
  #open: Map<ListKind, AbortController[]> | undefined
  #arrived: Map<ListKind, ListReading> | undefined
  /** What the server does not have any more goes with the first reading, also when that brings nothing. */
  #isFirst = true

  constructor(host: ListReaderHost) {
    this.#host = host
  }

  /** These lists have changed, or may have. */
  mark(kinds: readonly ListKind[]): void {
    this.#dirty = [...this.#dirty, ...kinds.filter((kind) => !this.#dirty.includes(kind))]
  }

  /** Whether a list has to be read: it changed, or was asked for and has not come. */
  isDue(kind: ListKind): boolean {
    return this.#dirty.includes(kind) || this.#open?.has(kind) === true
  }

  /** Some list has been answered. */
  get hasAnswers(): boolean {
    return !this.#isFirst || this.#arrived !== undefined
  }

  /** Resolves with whether all of them could be read. */
  async read(kinds: readonly ListKind[]): Promise<boolean> {
    this.#dirty = this.#dirty.filter((kind) => !kinds.includes(kind))
    const readings = await Promise.all(kinds.map((kind) => this.#readOne(kind)))
    this.takeArrived()
    return readings.every((reading) => 'items' in reading)
  }

  /** What has come by now counts, whatever is still under way. */
  takeArrived(): void {
    const readings = this.#arrived ?? new Map()
    this.#arrived = undefined
    if (readings.size > 0 || this.#isFirst) this.#host.take(readings)
    this.#isFirst = false
  }

  async #readOne(kind: ListKind): Promise<ListReading> {
    const own = new AbortController()
    this.#open ??= new Map()
    this.#open.set(kind, [...(this.#open.get(kind) ?? []), own])
    const reading = await this.#ask(kind, own.signal)
    // An earlier answer has nothing to add to a later one.
    if (!own.signal.aborted) {
      this.#arrived ??= new Map()
      this.#arrived.set(kind, reading)
    }
    this.#close(kind, own, 'items' in reading)
    return reading
  }

  async #ask(kind: ListKind, signal: AbortSignal): Promise<ListReading> {
    try {
      return { items: await this.#host.list(kind, signal) }
    } catch (error) {
      const fault = this.#host.judge(error)
      // A capability that is advertised without its list is common (deviation 33): there is nothing to read.
      if (fault.evidence.rpc?.code === -32601) return { items: [] }
      if ((fault.scope === 'link' || wantsScope(fault)) && !signal.aborted) this.#host.lose(fault)
      return { fault }
    }
  }

  /** A list that was read makes every earlier reading of it pointless, but none that was begun later. */
  #close(kind: ListKind, own: AbortController, read: boolean): void {
    const open = this.#open?.get(kind) ?? []
    const at = open.indexOf(own)
    if (read) for (const earlier of open.slice(0, Math.max(at, 0))) earlier.abort()
    const left = read ? open.slice(at + 1) : open.filter((one) => one !== own)
    if (at < 0) return
    if (left.length > 0) this.#open?.set(kind, left)
    else this.#open?.delete(kind)
    if (this.#open?.size === 0) this.#open = undefined
  }
}
