import type { Delivery } from '../../machines/faults.js'

export type Replay = 'auto' | 'always' | 'never'

/**
 * Whether a request that met a fault may be sent again. What was not sent, or was refused before it ran, may always;
 * what may have run, only if running it twice does no harm (promise P2).
 */
export function mayReplay(delivery: Delivery, replay: Replay, isHarmless: () => boolean): boolean {
  if (replay === 'never') return false
  if (delivery !== 'unknown') return true
  return replay === 'always' || isHarmless()
}
