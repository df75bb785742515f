import type { Link } from './port.js'

/** So many links may drain at once: of a server that comes and goes faster than it answers, the oldest one ends. */
const MAX_DRAINING = 2

interface Drain {
  readonly link: Link
  readonly sessionId: string | undefined
  /** Resolves when nothing of the link is left. */
  readonly over: Promise<void>
}

/**
 * Links that were left while calls were under way on them: those have sockets of their own and may well be answered,
 * although the server takes nothing new. Beside the next link; they neither ask for anything nor end their session.
 */
export class Draining {
  readonly #drains = new Set<Drain>()

  /** Nothing more is asked of the link. `false`: nothing is under way on it, so that it can end at once. */
  take(link: Link): boolean {
    const settled = link.drain()
    if (!settled) return false
    const [oldest] = this.#drains
    if (oldest && this.#drains.size >= MAX_DRAINING) void this.#end(oldest)
    const over = settled.then(() => link.release()).catch(nothing)
    const drain: Drain = { link, sessionId: link.wire.sessionId, over }
    this.#drains.add(drain)
    void over.then(() => this.#drains.delete(drain))
    return true
  }

  /** Resolves when nothing drains in this session any more. */
  async over(sessionId: string | undefined): Promise<void> {
    await Promise.all([...this.#drains].filter((drain) => drain.sessionId === sessionId).map(({ over }) => over))
  }

  /** Ends all of them now; whoever still waits is told. */
  async end(): Promise<void> {
    await Promise.all([...this.#drains].map((drain) => this.#end(drain)))
  }

  #end(drain: Drain): Promise<void> {
    this.#drains.delete(drain)
    // Closing the wire settles what is under way on it.
    drain.link.wire.close().catch(nothing)
    return drain.over
  }
}

function nothing(): void {}
