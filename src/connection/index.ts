export type { Checkpoint } from './checkpoint.js'
export type {
  Configuration,
  Connection,
  ConnectionActor,
  ConnectionSnapshot,
  Session,
} from './connection.js'
export { connectionOf, createConnection, type ExtendedOptions } from './create.js'
export { IncidentLog } from './incidents.js'
export { type LogEvent, type LoggerLike, type LogLevel, logEvents, logTo } from './log-events.js'
export { connectionMachine, provideConnection } from './machine.js'
export { type ConnectionOptions, connectionInput } from './options.js'
export { type Status, statusOf } from './status.js'
