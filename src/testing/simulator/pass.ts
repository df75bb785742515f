import type { DrivenClock } from './driven-clock.js'

interface Passing {
  readonly clock: DrivenClock
  readonly breach: (invariant: string, message: string) => void
  /** After every step. */
  readonly look: () => void
}

/** Lets so much time pass, or less, if the condition holds before; tells whether it does. */
export type Pass = (ms: number, until?: () => boolean) => Promise<boolean>

export const passing =
  ({ clock, breach, look }: Passing): Pass =>
  async (ms, until) => {
    const end = clock.elapsed + Math.max(0, ms)
    await clock.settle()
    for (;;) {
      if (until?.()) return true
      let ran: boolean
      try {
        ran = await clock.step(end)
      } catch (error) {
        breach('nothing throws', error instanceof Error ? (error.stack ?? error.message) : String(error))
        ran = true
      }
      look()
      if (!ran) return until?.() ?? false
    }
  }
