import type { Observable } from 'rxjs'
import type { CallOptions } from '../calls/index.js'
import type { Clock, Random } from '../clock.js'
import type { Connection } from '../connection/index.js'
import type { ConfigError } from '../errors.js'
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../protocol.js'
import type { HubCatalog, HubChange, HubTool } from './catalog.js'
import type { ConfigEntry, ConfigOptions, HubConfig } from './config/index.js'
import type { ServerStatus } from './member.js'
import type { ServerOptions } from './server-options.js'
import type { HubToolFilter } from './tool-filter.js'

/** Servers by their names. */
export type Servers = Readonly<Record<string, ServerOptions>>

/** What a hub can be told. Exactly one of `servers` and `configFile` is needed. */
export interface HubOptions extends ConfigOptions {
  /** The servers, by name. */
  readonly servers?: Servers
  /** A file that names them, as Claude, Cursor, VS Code and others have it. */
  readonly configFile?: string
  /** Changes of `configFile` are taken up while the hub runs. Default `true`. */
  readonly watch?: boolean
  /**
   * What holds for every server that says nothing else; an `authorizer` only for those with a url and without an
   * `Authorization` header of their own.
   */
  readonly defaults?: Omit<ServerOptions, 'target' | 'disabled'>
  /** Which tools the hub offers, whatever server they are of; patterns are matched with `server/tool`. Default: all. */
  readonly tools?: HubToolFilter
  /** Where time comes from. Default: the system's clock. */
  readonly clock?: Clock
  /** Where chance comes from: numbers in [0, 1). Default `Math.random`. */
  readonly random?: Random
}

/** What was done to come to another configuration. Names of servers. */
export interface Applied {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Those that were touched. */
  readonly changed: readonly string[]
  /** Those that went on as if nothing had happened. */
  readonly unchanged: readonly string[]
  /** What is odd about the entries that were added or changed. */
  readonly warnings: readonly string[]
}

/**
 * News of the configuration file.
 *
 * - `applied`: it changed, and what it says now holds
 * - `trouble`: it is gone or cannot be used; what it said before still holds
 * - `back`: the trouble is over
 */
export type ConfigNews =
  | { readonly type: 'applied'; readonly applied: Applied }
  | { readonly type: 'trouble'; readonly error: ConfigError }
  | { readonly type: 'back' }

/** Many connections under one roof. Each lives for itself: the trouble of one delays no other. */
export interface Hub extends AsyncDisposable {
  /** Connections of all servers that are enabled and can be used as configured. */
  readonly connections: ReadonlyMap<string, Connection>
  /** How every server stands, in the order of the configuration. */
  readonly servers: readonly ServerStatus[]
  /** All tools, each under a name of its own; those of a server that is down are kept and marked. */
  readonly tools: readonly HubTool[]
  readonly catalog: HubCatalog
  /** What is odd about the configuration, for a person. */
  readonly warnings: readonly string[]

  /**
   * Starts every server that is neither disabled nor lazy, all at once. Resolves when each has come to something, be it
   * a failure: as slow as the slowest, not as all together. Never rejects.
   */
  start(): Promise<readonly ServerStatus[]>
  /**
   * Connects one server: starts it, joins a dial that is under way, and reconnects where it is connected already; with
   * `keep`, that connection is left as it is. Rejects as `connection.connect()` does.
   *
   * @throws UnknownServerError where there is none of this name, or it is disabled
   * @throws ConfigError where its configuration cannot be used, also after looking at it once more
   */
  connect(name: string, options?: { readonly keep?: boolean }): Promise<void>
  /** A new link and a new session in any case. Throws as `connect` does. */
  reconnect(name: string): Promise<void>
  /** Stops one server. `connect`, or a call, starts it again. */
  disconnect(name: string): Promise<void>
  /** Uses a server whatever the configuration says, and starts it. Holds until its entry says something else. */
  enable(name: string): Promise<void>
  /** Stops a server and takes its tools away. Holds until its entry says something else. */
  disable(name: string): Promise<void>

  /**
   * Calls a tool by its name in the hub, or by its server and its name there. A server that is stopped is started; that,
   * and the answer of a person to what its configuration asks for, are a part of the call's `timeoutMs`. As
   * `connection.callTool` otherwise.
   *
   * @throws UnknownToolError, UnknownServerError
   */
  callTool(
    params: { name: string; server?: string; arguments?: Record<string, unknown> },
    options?: CallOptions,
  ): Promise<CallToolResult>
  readResource(params: { server: string; uri: string }, options?: CallOptions): Promise<ReadResourceResult>
  getPrompt(
    params: { server: string; name: string; arguments?: Record<string, string> },
    options?: CallOptions,
  ): Promise<GetPromptResult>

  /** Goes over to other servers: those that differ are touched, the others go on. Resolves when what left is gone. */
  apply(config: Servers | HubConfig): Promise<Applied>
  /** What the configuration says of a server, with fields of other hosts; `undefined` where it names none such. */
  entry(name: string): ConfigEntry | undefined
  /** Ends everything, at once for all. Leaves no process, socket, timer or watcher. */
  close(): Promise<void>

  /** How each server stands, first as it is now, then whenever that changes. */
  readonly status$: Observable<ServerStatus>
  /** Replays its last value. */
  readonly catalog$: Observable<HubCatalog>
  readonly changes$: Observable<HubChange>
  readonly config$: Observable<ConfigNews>
}
