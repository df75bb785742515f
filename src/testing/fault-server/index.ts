/** A server that fails on purpose, for tests of anything that speaks MCP over HTTP. */
export { FaultServer, type FaultServerOptions, startFaultServer } from './fault-server.js'
export { frame } from './frame.js'
export type { HealthOptions, Tool } from './health.js'
export type { LegacyPaths, LegacySessions } from './legacy.js'
export type { LoggedRequest, Selector } from './log.js'
export {
  type AnswerOptions,
  after,
  destroy,
  hang,
  healthy,
  html,
  inTurn,
  type Part,
  type RpcErrorOptions,
  redirect,
  result,
  rpcError,
  slow,
  sse,
  stall,
  status,
} from './plays.js'
export {
  bytes,
  endAfterRequest,
  type RawBehaviour,
  type RawServer,
  resetAfterRequest,
  resetAtOnce,
  silent,
  startRawServer,
} from './raw-server.js'
export type { Play, Visit, VisitedServer } from './visit.js'
