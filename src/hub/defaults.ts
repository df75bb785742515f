import { mergePolicy } from '../../machines/policy.js'
import type { HubOptions } from './hub.js'
import type { ServerOptions } from './server-options.js'

/** What holds for all servers, under what this one says; a host that is killed takes its servers along. */
export function withDefaults(given: ServerOptions, defaults: HubOptions['defaults'] = {}): ServerOptions {
  if (!given?.target) throw new TypeError('it needs options with a target')
  const { target, policy } = given
  return {
    ...defaults,
    ...given,
    ...((policy || defaults.policy) && { policy: mergePolicy(defaults.policy ?? {}, policy ?? {}) }),
    target: 'command' in target ? { watchdog: true, ...target } : target,
  }
}
