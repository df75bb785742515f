import { mergePolicy, resolvePolicy } from '../../machines/policy.js'
import type { ConnectionEvent } from '../../machines/types.js'
import { type ConnectionRuntime, checkTarget, isAuto, isRemote, wireKind } from '../link/index.js'
import type { Authorization } from './authorization.js'
import type { Configuration, ConnectionActor } from './connection.js'

/**
 * Takes up another target or policy; returns the event that tells the chart of it.
 *
 * @throws TypeError that names the option and what it may be; then nothing was changed
 */
export function configure(
  runtime: ConnectionRuntime,
  authorization: Authorization | undefined,
  actor: ConnectionActor,
  { target, policy }: Configuration,
): ConnectionEvent {
  const { wire } = actor.getSnapshot().context
  if (target) {
    checkTarget(runtime.name, target)
    if (wireKind(target) !== wire)
      throw new TypeError(`Connection '${runtime.name}' is ${wire}; make another connection for another kind.`)
    if (authorization && !('url' in target && URL.canParse(String(target.url))))
      throw new TypeError(`Connection '${runtime.name}': target.url is no address, and credentials belong to one.`)
  }
  const merged = policy && mergePolicy(runtime.policyOptions, policy)
  const resolved = merged && resolvePolicy(wire, merged)
  // Everything was found good; only now is anything changed.
  if (target) runtime.retarget(target)
  if (target && 'url' in target) authorization?.retarget(new URL(target.url))
  if (merged && resolved) runtime.adoptPolicy(resolved, merged)
  return {
    type: 'configure',
    policy: resolved,
    relink: target !== undefined,
    remote: target && isRemote(target),
    legacyAllowed: target && isAuto(target),
  }
}
