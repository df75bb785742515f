import type { WireKind } from '../../machines/evidence.js'
import { addressOf, isAuto, type Target } from './target.js'

/** Addresses that are remembered; the one that was not met for longest is forgotten, which costs one more attempt. */
const MOST = 1_000

/** Addresses that were last served by the older wire, the latest last. */
const addresses = new Set<string>()

/** Whether this address was last served by the older wire. */
export const isKnownLegacy = (target: Target): boolean => isAuto(target) && addresses.has(addressOf(target))

/** Remembers which wire served a target, for all connections of the process (specification: backwards compatibility). */
export function noteServedBy(kind: WireKind, target: Target): void {
  if (!isAuto(target)) return
  const address = addressOf(target)
  addresses.delete(address)
  if (kind !== 'sse') return
  addresses.add(address)
  if (addresses.size <= MOST) return
  for (const oldest of addresses) {
    addresses.delete(oldest)
    return
  }
}
