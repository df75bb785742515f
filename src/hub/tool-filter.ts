import type { Tool } from '../protocol.js'
import type { ToolFilter } from './server-options.js'

/** Which tools the hub offers, of all servers: a pattern is matched with `server/tool`, a function is told the server too. */
export interface HubToolFilter {
  readonly include?: readonly string[] | ((tool: Tool, server: string) => boolean)
  readonly exclude?: readonly string[] | ((tool: Tool, server: string) => boolean)
}

/** Whether this tool is offered, by the filters of its server and of the hub. */
export function isOffered(tool: Tool, server: string, ofServer: ToolFilter = {}, ofHub: HubToolFilter = {}): boolean {
  return passes(tool, server, tool.name, ofServer) && passes(tool, server, `${server}/${tool.name}`, ofHub)
}

function passes(tool: Tool, server: string, name: string, { include, exclude }: HubToolFilter): boolean {
  const matches = (pattern: NonNullable<HubToolFilter['include']>) =>
    typeof pattern === 'function' ? pattern(tool, server) : pattern.some((glob) => regExpOf(glob).test(name))
  return (include === undefined || matches(include)) && !(exclude !== undefined && matches(exclude))
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
