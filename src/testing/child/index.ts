export { type ChildServer, childServer, readChildLog } from './child-server.js'
export type { ChildLogLine, ChildScript, Step } from './script.js'
