/**
 * Evidence of how a session ended. A session that has begun ends as `closed`, whatever ended it: the rules for streams
 * and sockets judge single calls, and here the wire is gone for all of them.
 */
import type { WireEvidence } from '../../../machines/evidence.js'
import { closedEvidence } from '../web/index.js'
import type { PostedRequest } from './posted-request.js'

/** The stream ended or broke under a session; `evidence`: as a stream of any kind. */
export function lostStream({ kind: _, http: __, ...evidence }: WireEvidence): WireEvidence {
  const how = evidence.errno === undefined ? 'ended' : `broke (${evidence.errno})`
  return { ...evidence, kind: 'closed', summary: `the event stream ${how}, and the session with it` }
}

/**
 * What the server began is a session that nobody has initialized: every request in it would be refused until the end of
 * days (SDK trap 22). Only a new wire, with a handshake, is of any use.
 */
export const anotherSession: WireEvidence = {
  kind: 'closed',
  wire: 'sse',
  summary: 'the server sent another endpoint event, which begins a new session and ends this one',
}

/** For a request that was open when the wire ended by `end`: it may have run, and no answer can come any more. */
export function lostRequest(request: PostedRequest, end: WireEvidence): WireEvidence {
  const { errno, summary, retryAfterMs } = end
  return {
    ...closedEvidence(request.sent, request.hasLeft),
    summary: `${summary}; ${request.method} is unanswered`,
    ...(errno !== undefined && { errno }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}
