import { MAX_DELAY_MS } from '../../machines/backoff.js'
import type { ServerOptions } from './server-options.js'
import { checkFilter } from './tool-filter.js'

/**
 * The options that are the hub's own; all others are the connection's to check.
 *
 * @throws TypeError that names the option and what it may be
 */
export function checked(options: ServerOptions): ServerOptions {
  const { idleMs, tools } = options
  checkFilter('tools', tools)
  if (idleMs !== undefined && !(typeof idleMs === 'number' && idleMs >= 0 && idleMs <= MAX_DELAY_MS))
    throw new TypeError(`idleMs must be milliseconds from 0 to ${MAX_DELAY_MS}, not ${String(idleMs)}`)
  return options
}
