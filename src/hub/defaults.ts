import { mergePolicy } from '../../machines/policy.js'
import type { Target } from '../link/index.js'
import type { HubOptions } from './hub.js'
import type { ServerOptions } from './server-options.js'

/** What holds for all servers, under what this one says; a host that is killed takes its servers along. */
export function withDefaults(given: ServerOptions, defaults: HubOptions['defaults'] = {}): ServerOptions {
  if (!given?.target) throw new TypeError('it needs options with a target')
  const { target, policy } = given
  const { authorizer, ...rest } = defaults
  return {
    ...rest,
    ...(authorizer && takesLogins(target) && { authorizer }),
    ...given,
    ...((policy || defaults.policy) && { policy: mergePolicy(defaults.policy ?? {}, policy ?? {}) }),
    target: 'command' in target ? { watchdog: true, ...target } : target,
  }
}

/** A program has its secrets in its environment; where a header names the credential, nobody logs in for another. */
function takesLogins(target: Target): boolean {
  if (!('url' in target)) return false
  const { headers } = target
  if (typeof headers !== 'object') return headers === undefined
  return !Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}
