import type { ConnectionOptions } from '../connection/index.js'
import type { Tool } from '../protocol.js'

/** Names of tools with `*` for any characters and `?` for one, or a function that decides. */
export type ToolPattern = readonly string[] | ((tool: Tool) => boolean)

/** Which tools of a server the hub offers. */
export interface ToolFilter {
  /** Only these. Default: all. */
  readonly include?: ToolPattern
  /** Not these, even if they are included. */
  readonly exclude?: ToolPattern
}

/** What a hub can be told of one server: everything a connection can, and how the hub treats it. */
export interface ServerOptions extends Omit<ConnectionOptions, 'name' | 'clock' | 'random'> {
  /** Known, but not used: it has no connection until `enable()`. Default `false`. */
  readonly disabled?: boolean
  /** Not started by `start()`, only by `connect()` or by the first call. Its tools are known from then on. Default `false`. */
  readonly lazy?: boolean
  /**
   * Stopped when no call has been under way for so long, in milliseconds; the next call starts it again. Not while
   * resource subscriptions are held. Default: never.
   */
  readonly idleMs?: number
  /** Which of its tools the hub offers. Default: all. */
  readonly tools?: ToolFilter
}
