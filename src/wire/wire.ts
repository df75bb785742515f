import type { Observable } from 'rxjs'
import type { WireEvidence, WireKind } from '../../machines/evidence.js'
import type { JsonRpcId, JsonRpcMessage } from './messages.js'

/** Options of one send; the part of the SDK's `TransportSendOptions` that a wire honours. */
export interface SendOptions {
  relatedRequestId?: JsonRpcId | undefined
}

/**
 * A transport in the SDK's sense, described structurally, so that no SDK type stands in our public face. Any transport
 * of SDK v1 fits.
 */
export interface TransportLike {
  start(): Promise<void>
  send(message: JsonRpcMessage, options?: SendOptions): Promise<void>
  close(): Promise<void>
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's handler is generic in the message; any keeps both assignable
  onmessage?: ((message: any, extra?: any) => void) | undefined
  sessionId?: string | undefined
  setProtocolVersion?: ((version: string) => void) | undefined
}

/**
 * What every wire of ours keeps, beyond the SDK's interface:
 *
 * - `start()` rejects with a {@link WireError}; a wire whose start failed has released everything it took.
 * - `send()` of a **request** never rejects once started. Its failure comes as a JSON-RPC error response to that id
 *   (see `failureResponse`), so that whoever waits for the answer settles once, at once, and nothing is left waiting.
 * - `send()` of a notification or a response rejects with a {@link WireError} when it could not be delivered.
 * - When the wire ends, for whatever reason, every request still open is answered with a failure response first, then
 *   `events$` emits `closed` and completes, then `onclose` is called; each exactly once.
 * - `close()` is bounded, may be called in any state and any number of times, and resolves when nothing is left:
 *   no process, socket, timer or listener.
 */
export interface Wire extends TransportLike {
  readonly kind: WireKind
  readonly events$: Observable<WireEvent>
  /** Clock time of the last message or byte that proved the peer alive; 0 before the first. */
  readonly lastLifeAt: number
  /** Number of requests of ours that are unanswered. */
  readonly pending: number
  /** How many of them have lost their reply stream and are being resumed: they are no sign of life. Default 0. */
  readonly adrift?: number
  /** Resolves when no request of ours is open any more, or after the time. Where wires have sessions. */
  answered?(timeoutMs: number): Promise<void>
  /**
   * Takes nothing new any more and hears no listening stream; requests of these methods, and those that have not left,
   * fail. Resolves when the others are settled; `undefined`: none is open. Where each request has a socket of its own.
   */
  drain?(without: (method: string) => boolean): Promise<void> | undefined
  /** Ends the session on the server, within the time; resolves whatever the server says. Where wires have sessions. */
  endSession?(timeoutMs: number): Promise<void>
  /** Closing may take so long from now on, one that has begun too. Where it takes time: a process is asked first. */
  limitClosing?(closeMs: number): void
  /** Where the listening stream has got to, for wires that can go on from there. */
  readonly lastEventId?: string | undefined
  /** Asks for the listening stream, where wires have one; idempotent. */
  listen?(lastEventId?: string): void
  /** After a sleep: what stands open may be dead without a sign, so the stream is asked for anew, over new sockets. */
  relisten?(): void
}

export type WireEvent =
  /** The wire is gone. `byUs` when `close()` ended it. */
  | { type: 'closed'; evidence: WireEvidence; byUs: boolean }
  /** Something that is not the end, but makes a probe worth while. */
  | { type: 'suspect'; evidence: WireEvidence }
  /** The link cannot go on (session gone, credentials refused on the listening stream, …): to be judged. */
  | { type: 'fault'; evidence: WireEvidence }
  /** The listening stream opened (HTTP). `gap`: notifications may have been missed since the last one. */
  | { type: 'listening'; gap: boolean }
  /** The listening stream ended (HTTP); it is asked for again. `evidence` tells how long it had been idle. */
  | { type: 'listening-ended'; evidence: WireEvidence }
  /** The server offers no listening stream: POST only. No fault. */
  | { type: 'post-only'; evidence?: WireEvidence }
  /** Bytes that were skipped: log lines on stdout, messages for nobody. Counted, told, no fault. */
  | { type: 'noise'; text: string; count: number }
  /** The child wrote to stderr (stdio). */
  | { type: 'stderr'; text: string }
