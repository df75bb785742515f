import type { Fault } from '../../machines/faults.js'
import { type ListKind, listsOf } from './catalog.js'
import { diffCatalogs } from './catalog-diff.js'
import type { Errands } from './errands.js'
import { ListReader } from './list-reader.js'
import type { Link } from './port.js'
import type { ConnectionRuntime } from './runtime.js'

/** The link that the lists are of. */
interface Ways {
  /** Its requests for itself. */
  readonly errands: Errands
  /** Nobody is told anything any more. */
  readonly over: () => boolean
  readonly judge: (error: unknown) => Fault
  /** A list could not be read, or the link is of no use any more. */
  readonly lose: (fault: Fault) => void
}

/** What a link reads of its server, and tells it: the lists, and what the application asked it to remember. */
export class Contents {
  readonly #runtime: ConnectionRuntime
  readonly #link: Link
  readonly #ways: Ways
  readonly #lists: ListReader
  #unheard = false

  constructor(runtime: ConnectionRuntime, link: Link, ways: Ways) {
    const { errands, judge, lose, over } = ways
    const timeoutMs = runtime.policy.callMs
    this.#runtime = runtime
    this.#link = link
    this.#ways = ways
    this.#lists = new ListReader({
      list: (kind, signal) => errands.run(() => link.list(kind, { timeoutMs, signal })),
      judge,
      lose,
      take: (readings) => {
        if (!over()) runtime.takeReadings(readings, this.#kinds)
      },
    })
  }

  /** These lists, or all that the server has, are to be read again. */
  mark(kinds: readonly ListKind[] = this.#kinds): void {
    this.#lists.mark(kinds)
  }

  /** What has come of lists that are still being read counts. */
  takeArrived(): void {
    this.#lists.takeArrived()
  }

  /** The server can tell of changes from now on: one between the reading of the lists and this was told to nobody. */
  opened(): void {
    if (!this.#lists.hasAnswers) return
    this.#unheard = true
    this.mark()
  }

  /** Whether lists were read before the server could tell of a change; it is told once. */
  takeUnheard(): boolean {
    const unheard = this.#unheard
    this.#unheard = false
    return unheard
  }

  /** Reads everything, and tells a new session what it should know; true when nothing is left to do. */
  async discover(): Promise<boolean> {
    const [complete, restored] = await Promise.all([this.#lists.read(this.#kinds), this.#restore()])
    return complete && restored
  }

  /** Reads what is due. `unchanged`: nothing of it differs, so far. */
  async refresh(): Promise<{ complete: boolean; unchanged: boolean }> {
    const { catalog$ } = this.#runtime
    const before = catalog$.value
    const kinds = this.#kinds.filter((kind) => this.#lists.isDue(kind) || before.errors[kind])
    const [complete, restored] = await Promise.all([this.#lists.read(kinds), this.#restore()])
    const after = catalog$.value
    const isEmptied = kinds.some((kind) => before[kind].length > 0 && after[kind].length === 0)
    const unchanged = isEmptied || diffCatalogs(before, after).length === 0
    // A change that is told of but not to be seen (yet) is looked for once more, in the same lists.
    if (unchanged) this.#lists.mark(kinds)
    return { complete: complete && restored, unchanged }
  }

  get #kinds(): readonly ListKind[] {
    return listsOf(this.#capabilities)
  }

  get #capabilities() {
    return this.#runtime.session?.capabilities ?? {}
  }

  /** Tells the session what the application asked for and it does not know; true when it knows all. */
  async #restore(): Promise<boolean> {
    const { logging, resources } = this.#capabilities
    const timeoutMs = this.#runtime.policy.callMs
    const can = { logging: logging !== undefined, subscribe: resources?.subscribe === true }
    const items = await this.#runtime.restoration.restore(
      (method, params) => this.#ways.errands.run(() => this.#link.request(method, params, timeoutMs)),
      can,
      (error) => this.#meetRestoring(error),
      this.#runtime.live?.link === this.#link,
    )
    this.#runtime.restored = items
    return items.every(({ fault }) => fault === undefined)
  }

  /** One item that cannot be put back is no harm to the others; a session that is gone is. */
  #meetRestoring(error: unknown): Fault {
    const fault = this.#ways.judge(error)
    if (fault.scope === 'link') this.#ways.lose(fault)
    return fault
  }
}
