export {
  type ConfigEntry,
  type ConfigOptions,
  type HubConfig,
  namesServers,
  parseConfig,
  readConfig,
  readText,
} from './config.js'
export { type InputRequest, Inputs } from './inputs.js'
export { ConfigWatcher } from './watch.js'
