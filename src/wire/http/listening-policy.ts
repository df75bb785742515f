/**
 * When to ask again for the listening stream, and what to tell of it. Pure arithmetic: what happened and what is
 * remembered go in, the next step comes out. Rules: design section 4; reports 01.05, 03.01, 03.03, 03.04, 12.01; SDK
 * traps 2, 2b, 11, 12, 23.
 */

import type { Random } from '../../clock.js'
import { clampDelay } from '../web/index.js'

export interface ListenMemory {
  /** A stream has been open on this wire. */
  readonly opened: boolean
  /** A stream lived long or carried a message: this server does offer one. */
  readonly worked: boolean
  /** A stream lived long: this server does not end them as a habit. */
  readonly lasted: boolean
  /** Streams in a row that ended early, whether they carried messages or not. */
  readonly brief: number
  /** Streams in a row that were dead at birth. */
  readonly stillborn: number
  /** Refusals, conflicts and failures in a row; each ends the others. */
  readonly refusals: number
  readonly conflicts: number
  readonly failures: number
  /** The server's last `retry:`. */
  readonly retryMs?: number
}

export const firstListen: ListenMemory = {
  opened: false,
  worked: false,
  lasted: false,
  brief: 0,
  stillborn: 0,
  refusals: 0,
  conflicts: 0,
  failures: 0,
}

export type ListenOutcome =
  | { readonly type: 'ended'; readonly livedMs: number; readonly messages: number }
  /** Answered, but with no stream. `resuming`: a Last-Event-ID had been sent. */
  | { readonly type: 'refused'; readonly status: number; readonly resuming: boolean; readonly retryAfterMs?: number }
  | { readonly type: 'unreachable' }

export interface ListenStep {
  readonly memory: ListenMemory
  /** Ask again after this long; absent: never again for this session. */
  readonly afterMs?: number
  readonly tell?: 'post-only' | 'suspect' | 'fault'
  /** The event id was refused: ask without it. */
  readonly dropEventId?: boolean
}

const minute = 60_000
/** A stream that lived this long did its work: nothing to slow down. */
const longLifeMs = 30_000
const floorMs = 1_000
const emptyCapMs = 5 * minute
const busyCapMs = 10_000
const failureCapMs = minute
/** A server that refused its first listening stream is asked again ever more rarely: most of those never offer one. */
const firstRefusedMs = 5_000
const rareCapMs = 60 * minute

/** A stream that lived shorter and carried nothing was dead at birth. */
const birthMs = 1_000
/**
 * Deaths at birth, in a row, after which a stream that once worked is doubted. Where one had lasted, the server takes us
 * for somebody who listens already, as with 409, and only a new session helps (report 03.04).
 */
const tooManyStillborn = 5

export function opened(memory: ListenMemory): ListenMemory {
  return { ...memory, opened: true, refusals: 0, conflicts: 0, failures: 0 }
}

export function nextListen(outcome: ListenOutcome, memory: ListenMemory, random: Random): ListenStep {
  switch (outcome.type) {
    case 'ended':
      return afterEnd(outcome.livedMs, outcome.messages, memory, random)
    case 'unreachable': {
      const failures = memory.failures + 1
      const afterMs = spread(doubled(floorMs, failures, failureCapMs), memory, random)
      return {
        memory: { ...memory, failures, refusals: 0, conflicts: 0 },
        afterMs,
        ...(failures === 1 && { tell: 'suspect' }),
      }
    }
    case 'refused':
      return afterRefusal(outcome, memory, random)
  }
}

function afterEnd(livedMs: number, messages: number, memory: ListenMemory, random: Random): ListenStep {
  const worked = memory.worked || messages > 0 || livedMs >= longLifeMs
  if (livedMs >= longLifeMs) {
    const afterMs = Math.max(floorMs * (1 + 0.9 * random()), spread(0, memory, random))
    return { memory: { ...memory, worked, lasted: true, brief: 0, stillborn: 0 }, afterMs: clampDelay(afterMs) }
  }
  const brief = memory.brief + 1
  const cap = messages > 0 ? busyCapMs : emptyCapMs
  const afterMs = spread(doubled(floorMs, brief, cap), memory, random)
  const stillborn = messages === 0 && livedMs < birthMs ? memory.stillborn + 1 : 0
  const doubtful = memory.worked && stillborn === tooManyStillborn
  return {
    memory: { ...memory, worked, brief, stillborn },
    afterMs,
    ...(doubtful && { tell: memory.lasted ? 'fault' : 'suspect' }),
  }
}

function afterRefusal(
  { status, resuming, retryAfterMs = 0 }: { status: number; resuming: boolean; retryAfterMs?: number },
  memory: ListenMemory,
  random: Random,
): ListenStep {
  const wait = (ms: number) => clampDelay(Math.max(spread(ms, memory, random), retryAfterMs * (1 + 0.1 * random())))
  if (status === 409) {
    const conflicts = memory.conflicts + 1
    return {
      memory: { ...memory, conflicts, refusals: 0, failures: 0 },
      // Long enough for a server to notice that the old stream is dead, and growing (report 03.03).
      afterMs: wait(5_000 * conflicts + 2_500 * random()),
      ...(conflicts === 2 && { tell: 'fault' }),
    }
  }
  if (status === 401 || isPassing(status)) {
    const failures = memory.failures + 1
    return {
      memory: { ...memory, failures, refusals: 0, conflicts: 0 },
      afterMs: wait(status === 401 ? doubled(5_000, failures, emptyCapMs) : doubled(floorMs, failures, failureCapMs)),
      ...(status === 401 && failures === 1 && { tell: 'fault' }),
    }
  }
  if (resuming) return { memory, afterMs: 0, dropEventId: true }
  const refusals = memory.refusals + 1
  if (!memory.opened) {
    // A server without such streams; or one that a proxy or another replica answered for (deviations 12 to 15).
    const afterMs = saysNever(status) ? {} : { afterMs: wait(doubled(firstRefusedMs, refusals, rareCapMs)) }
    return {
      memory: { ...memory, refusals, conflicts: 0, failures: 0 },
      ...afterMs,
      ...(refusals === 1 && { tell: 'post-only' }),
    }
  }
  const speaksOfSession = status === 400 || status === 404 || status === 410
  return {
    memory: { ...memory, refusals, conflicts: 0, failures: 0 },
    afterMs: wait(doubled(2_000, refusals, emptyCapMs)),
    ...(refusals === 1 && speaksOfSession && { tell: 'suspect' }),
    ...(refusals === 2 && { tell: 'post-only' }),
  }
}

/** "No such method here" is about the server, and no accident on the way to it. */
const saysNever = (status: number): boolean => status === 405 || status === 501

/** 501 says "never", all other 5xx and 429 say "not now" (report 12.01). */
function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501)
}

function doubled(baseMs: number, times: number, capMs: number): number {
  return Math.min(baseMs * 2 ** (times - 1), capMs)
}

/** Jitter of a quarter either way, never below the server's `retry:` and the floor (`retry: 0` is no hot loop). */
function spread(ms: number, { retryMs = 0 }: ListenMemory, random: Random): number {
  const minimum = Math.max(retryMs, floorMs)
  return clampDelay(Math.max(ms * (0.75 + 0.5 * random()), minimum * (1 + 0.1 * random())))
}
