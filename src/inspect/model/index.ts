/** What is shown: connections of this process, and actors of other programs. */
export { LocalConnections } from './local.js'
export type { BreakWire } from './local-connection.js'
export { Registry, type RegistryChange } from './registry.js'
export { RemoteProgram } from './remote.js'
