import type { ServerResponse } from 'node:http'
import { frame } from './frame.js'

/** The listening streams that are open, and what can be done to them. */
export class ListeningStreams {
  readonly #open = new Map<ServerResponse, string | undefined>()

  add(res: ServerResponse, session: string | undefined): void {
    this.#open.set(res, session)
    res.once('close', () => this.#open.delete(res))
  }

  get size(): number {
    return this.#open.size
  }

  /** Pushes a notification, or any message, to every stream (of one session). `id` gives the event an id. */
  push(
    message: { method: string; params?: unknown; id?: unknown },
    { session, id }: { session?: string; id?: string } = {},
  ) {
    const text = frame({ ...(id !== undefined && { id }), data: { jsonrpc: '2.0', ...message } })
    for (const [res, of] of this.#open) if (session === undefined || of === session) res.write(text)
  }

  /** Ends every stream cleanly. */
  end(): void {
    for (const res of this.#open.keys()) res.end()
  }

  /** Cuts every stream's socket. */
  cut(): void {
    for (const res of this.#open.keys()) res.destroy()
  }
}
