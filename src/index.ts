/** mcp-lifeline: MCP connections that stay alive, each one an XState actor. */
export type { Evidence, WireEvidence } from '../machines/evidence.js'
export type { Delivery, Fault, FaultClass, FaultScope, KnownFaultClass, Rule } from '../machines/faults.js'
export type { Policy, PolicyOptions } from '../machines/policy.js'
export type {
  ConnectionContext,
  ConnectionEmitted,
  ConnectionEvent,
  ConnectionInput,
  ConnectionTag,
} from '../machines/types.js'
export type {
  AnyAuthorizer,
  AuthorizationResponse,
  Authorizer,
  LoginRequest,
  OAuthProvider,
  TokenSource,
} from './auth/index.js'
export type { CallEnd, CallObserver, CallOptions } from './calls/index.js'
export type { Clock, Random } from './clock.js'
export {
  type Checkpoint,
  type Configuration,
  type Connection,
  type ConnectionActor,
  type ConnectionOptions,
  type ConnectionSnapshot,
  connectionInput,
  connectionMachine,
  connectionOf,
  createConnection,
  type ExtendedOptions,
  type LogEvent,
  type LoggerLike,
  type LogLevel,
  logEvents,
  logTo,
  provideConnection,
  type Session,
  type Status,
  statusOf,
} from './connection/index.js'
export {
  type Explanation,
  explanationMarkdown,
  explanationText,
  type FailedAttempt,
  type Finding,
  type Incident,
  type OpenIncident,
  type PastIncident,
  type TextOptions,
  type TimelineEntry,
  type Verdict,
} from './diagnosis/index.js'
export * from './errors.js'
export * from './hub/index.js'
export type {
  Catalog,
  CustomTarget,
  HttpTarget,
  ListChange,
  ListKind,
  RejectedItem,
  RestoredItem,
  StdioTarget,
  Target,
} from './link/index.js'
export type * from './protocol.js'
