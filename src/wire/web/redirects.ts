/** Which redirects are followed: 307 and 308 within the origin. Credentials never go to another one (design, safety). */
import type { Target } from './exchange.js'

/** Statuses that keep method and body; any other 3xx would turn a POST into something else. */
export function isFollowed(status: number): boolean {
  return status === 307 || status === 308
}

/** Where a followed redirect leads, or `undefined` when it leaves the origin or names nothing usable. */
export function redirectTarget(from: Target, location: string | undefined): URL | undefined {
  if (location === undefined) return undefined
  try {
    const url = new URL(location, from.href)
    return url.origin === from.origin ? url : undefined
  } catch {
    return undefined
  }
}
