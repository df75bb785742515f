import { clampDelay } from '../../machines/backoff.js'
import type { Clock } from '../clock.js'
import { CallTimeoutError } from '../errors.js'
import type { ConnectionActor } from './connection.js'

export interface UntilOptions {
  /** In milliseconds. Default: no limit. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/**
 * Resolves when the condition holds, which is asked now and again with every snapshot; rejects when it throws.
 *
 * @throws CallTimeoutError after `timeoutMs`, or what `reason` gives then
 */
export function until(
  actor: ConnectionActor,
  clock: Clock,
  holds: () => boolean,
  { timeoutMs, signal }: UntilOptions = {},
  reason: () => Error | undefined = () => undefined,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    // A holds() that throws here, before there is anything to clean up, rejects the promise.
    signal?.throwIfAborted()
    if (holds()) {
      resolve()
      return
    }
    let timer: unknown
    const finish = (settle: () => void) => {
      subscription.unsubscribe()
      clock.clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      settle()
    }
    const check = () => {
      try {
        if (holds()) finish(resolve)
      } catch (error) {
        finish(() => reject(error))
      }
    }
    const onAbort = () => finish(() => reject(signal?.reason))
    const subscription = actor.subscribe({ next: check, error: check, complete: check })
    signal?.addEventListener('abort', onAbort)
    if (timeoutMs === undefined) return
    const late = () =>
      reject(reason() ?? new CallTimeoutError('ready', timeoutMs, false, actor.getSnapshot().context.fault))
    timer = clock.setTimeout(() => finish(late), clampDelay(timeoutMs))
  })
}
