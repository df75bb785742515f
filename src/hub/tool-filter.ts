import type { Tool } from '../protocol.js'
import type { ToolFilter } from './server-options.js'

/**
 * Which tools the hub offers, of all servers: a pattern is matched with `server/tool`, a function is told the server too.
 * A function that throws has not said yes: the tool is not offered.
 */
export interface HubToolFilter {
  readonly include?: readonly string[] | ((tool: Tool, server: string) => boolean)
  readonly exclude?: readonly string[] | ((tool: Tool, server: string) => boolean)
}

/** Whether this tool is offered, by the filters of its server and of the hub. */
export function isOffered(tool: Tool, server: string, ofServer: ToolFilter = {}, ofHub: HubToolFilter = {}): boolean {
  return passes(tool, server, tool.name, ofServer) && passes(tool, server, `${server}/${tool.name}`, ofHub)
}

/**
 * A filter that is not understood would offer what somebody meant to keep back.
 *
 * @throws TypeError that names the option and what it may be
 */
export function checkFilter(option: string, filter: unknown): void {
  if (filter === undefined) return
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    throw new TypeError(`${option} must be an object with include or exclude`)
  for (const [name, pattern] of Object.entries(filter)) {
    if (name !== 'include' && name !== 'exclude')
      throw new TypeError(`${option} has no option '${name}'; it takes include, exclude`)
    const isList = Array.isArray(pattern) && pattern.every((glob) => typeof glob === 'string')
    if (pattern !== undefined && typeof pattern !== 'function' && !isList)
      throw new TypeError(`${option}.${name} must be a list of names, or a function`)
  }
}

function passes(tool: Tool, server: string, name: string, { include, exclude }: HubToolFilter): boolean {
  const matches = (pattern: NonNullable<HubToolFilter['include']>) =>
    typeof pattern === 'function' ? pattern(tool, server) : pattern.some((glob) => regExpOf(glob).test(name))
  try {
    return (include === undefined || matches(include)) && !(exclude !== undefined && matches(exclude))
  } catch {
    // The application's function is asked while the hub hears of a server: what it throws would reach nobody who called
    // for it, and end the process.
    return false
  }
}

/** `*` stands for any characters, `?` for one. */
const regExpOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  )
