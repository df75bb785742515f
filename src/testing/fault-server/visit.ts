import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LoggedRequest, RequestLog, Selector } from './log.js'
import type { ListeningStreams } from './streams.js'

/** What a play can see and do of its server. */
export interface VisitedServer {
  readonly sessions: Set<string>
  readonly streams: ListeningStreams
  readonly log: RequestLog
  requests(selector?: Selector): LoggedRequest[]
  count(selector?: Selector): number
  openSession(): string
  forgetSessions(): void
  /** Resolves after so many milliseconds of the server's clock. */
  wait(ms: number): Promise<void>
}

/** One request under way. */
export interface Visit {
  readonly request: LoggedRequest
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly server: VisitedServer
  /** Does what the server would do if nothing were arranged. */
  healthy(): void | Promise<void>
}

export type Play = (visit: Visit) => void | Promise<void>
