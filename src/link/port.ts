import type { Capabilities, Notification, Result, ServerInfo } from '../protocol.js'
import type { JsonRpcMessage } from '../wire/messages.js'
import type { Wire } from '../wire/wire.js'
import type { ListKind } from './catalog.js'

/** What has to be remembered of a session to go on with it on another wire. The id is a secret. */
export interface SessionMemory {
  readonly id?: string
  readonly protocolVersion: string
  readonly capabilities: Capabilities
  readonly serverInfo: ServerInfo
  readonly instructions?: string
  /** The next request id: ids never repeat within a session of the server. */
  nextId: number
  /** Where the listening stream had got to. */
  lastEventId?: string
  /** Answers and notifications of ours that were refused for a credential, for when there is another. */
  letters?: readonly JsonRpcMessage[]
  /** Since when, by the clock, the server has answered every attempt to go on with it by something else. */
  refusedSince?: number
}

export interface ListOptions {
  /** Time for the answer, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface RequestOptions {
  /** Time for the answer or the first progress, where some of it is spent, in milliseconds. Default `timeoutMs`. */
  readonly firstMs?: number
  /** Bound that progress cannot extend, in milliseconds. Default: progress extends nothing. */
  readonly maxTotalMs?: number
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: { progress: number; total?: number; message?: string }) => void
}

/** Whose link it is. */
export interface LinkListener {
  /** The server tells something. */
  onNotification(notification: Notification): void
  /**
   * An answer or a notification of ours was refused. `true`: a new credential may help, and it waits for
   * {@link Link.renewed}.
   */
  onRefused(error: unknown): boolean
}

/**
 * One attempt at one server: the only way in which the rest of the library reaches the protocol. Another revision of
 * the protocol, or another SDK, is another implementation of this.
 *
 * Every failure of a method rejects with a `WireError` that carries evidence, except an abort by the caller's own
 * signal, which rejects with that signal's reason.
 */
export interface Link {
  readonly wire: Wire
  /** The session of this link, as it stands now. */
  readonly session: SessionMemory | undefined
  /** Until the link is released. */
  listener: LinkListener | undefined
  /** There is another credential: what was refused for the old one goes out, and the listening stream is asked for. */
  renewed(): void
  /** initialize and initialized. `version`: offer this one in place of the newest. */
  negotiate(version?: string): Promise<SessionMemory>
  /** Goes on with a session by one request. An error as answer rejects: whether it speaks of the session is to be judged. */
  resume(session: SessionMemory): Promise<void>
  /** One list, all its pages, in raw items. The time is that of one page. */
  list(kind: ListKind, options?: ListOptions): Promise<unknown[]>
  /** Asks for a sign of life; an error as answer rejects. `thorough`: by a request that every server answers. */
  probe(thorough: boolean, signal: AbortSignal): Promise<void>
  /** `timeoutMs`: time for the answer, in milliseconds; default 60,000. */
  request(
    method: string,
    params: Record<string, unknown> | undefined,
    timeoutMs?: number,
    options?: RequestOptions,
  ): Promise<Result>
  /**
   * Nothing is asked any more, and what can be asked again without harm fails. Resolves when the rest of what is under
   * way is settled; `undefined`: nothing is left of it.
   */
  drain(): Promise<void> | undefined
  /** Ends the session on the server, bounded; resolves whatever comes. */
  endSession(timeoutMs: number): Promise<void>
  /** Closes the wire; resolves when nothing of it is left. */
  release(): Promise<void>
}
