/** `mcp-lifeline/hub`: many connections from one configuration. */
export type { HubCatalog, HubChange, HubTool } from './catalog.js'
export {
  type ConfigEntry,
  type ConfigOptions,
  type HubConfig,
  type InputRequest,
  namesServers,
  parseConfig,
  readConfig,
  readText,
} from './config/index.js'
export { createHub } from './create.js'
export type { Applied, ConfigNews, Hub, HubOptions, Servers } from './hub.js'
export type { ServerStatus } from './member.js'
export type { ServerOptions, ToolFilter, ToolPattern } from './server-options.js'
export type { HubToolFilter } from './tool-filter.js'
export { toolName } from './tool-names.js'
