/** Asked to stop: by a signal, by a key, or because nobody reads the output any more. */
import type { Clock } from '../clock.js'

/** npm and some shells pass on the very signal that the terminal has sent already: one wish, heard twice. */
const SAME_WISH_MS = 250
/** What a shell reports for a program that Ctrl-C ended. */
const LEFT_AT_ONCE = 130

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export interface StopRequest {
  /** Aborts with the first wish. */
  readonly signal: AbortSignal
  /** Resolves with the first wish. */
  readonly asked: Promise<void>
  /** Tells a wish; the second one ends the process at once. */
  ask(): void
  /** Ends the listening: signals do again what they always do. */
  dispose(): void
}

export function listenForStop(clock: Clock, exit: (code: number) => void = process.exit): StopRequest {
  const controller = new AbortController()
  let askedAt = 0
  const ask = () => {
    if (!controller.signal.aborted) {
      askedAt = clock.now()
      controller.abort()
    } else if (clock.now() - askedAt > SAME_WISH_MS) exit(LEFT_AT_ONCE)
  }
  for (const name of signals) process.on(name, ask)
  return {
    signal: controller.signal,
    asked: new Promise((resolve) => controller.signal.addEventListener('abort', () => resolve(), { once: true })),
    ask,
    dispose: () => {
      for (const name of signals) process.off(name, ask)
    },
  }
}
