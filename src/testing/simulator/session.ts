import type { JsonRpcMessage } from '../../wire/messages.js'

/** What the server remembers of one client. */
export class ServerSession {
  readonly id: string
  /** The instance that gave it out. */
  readonly replica: number
  /** The start of the server that gave it out. */
  readonly boot: number
  readonly subscriptions = new Set<string>()
  logLevel: string | undefined
  /** Requests that were seen in it, by id. */
  readonly seen = new Set<unknown>()
  /** Which call of the application's each request was. */
  readonly calls = new Map<unknown, string>()
  /** The process that kept it is gone, with all that was under way. */
  isOver = false
  /** Sends a notification, where there is a way to. */
  notify: ((message: JsonRpcMessage) => void) | undefined

  constructor(id: string, replica: number, boot: number) {
    this.id = id
    this.replica = replica
    this.boot = boot
  }
}
