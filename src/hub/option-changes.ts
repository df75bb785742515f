import { isDeepStrictEqual } from 'node:util'
import { type Target, wireKind } from '../link/index.js'
import type { ServerOptions } from './server-options.js'

/**
 * What other options ask for. `none`: nothing differs. `kept`: only what the hub itself does with the server differs.
 * `configured`: the connection is told, and makes a new link if its target is another. `replaced`: another connection.
 */
export type Change = 'none' | 'kept' | 'configured' | 'replaced'

export function changeBetween(before: ServerOptions, after: ServerOptions): Change {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof ServerOptions)[]
  const differ = names.filter((name) => !isDeepStrictEqual(before[name], after[name]))
  if (differ.length === 0) return 'none'
  if (differ.every((name) => ofHub.has(name))) return 'kept'
  if (differ.every((name) => ofHub.has(name) || name === 'target' || name === 'policy'))
    return canBeTold(before.target, after.target) ? 'configured' : 'replaced'
  return 'replaced'
}

const ofHub: ReadonlySet<string> = new Set(['disabled', 'lazy', 'idleMs', 'tools'] satisfies (keyof ServerOptions)[])

/** A connection stays of one kind of wire for its whole life. */
const canBeTold = (before: Target, after: Target): boolean => wireKind(before) === wireKind(after)
