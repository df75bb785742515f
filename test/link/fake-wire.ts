/** A wire of plain values: what goes out is kept, what comes in is said by the test. */
import { Subject } from 'rxjs'
import type { JsonRpcMessage } from '../../src/wire/messages.js'
import type { Wire, WireEvent } from '../../src/wire/wire.js'

export class FakeWire implements Wire {
  readonly kind = 'custom'
  readonly events$ = new Subject<WireEvent>()
  readonly sent: JsonRpcMessage[] = []
  pending = 0
  adrift = 0
  lastLifeAt = 0
  sessionId: string | undefined
  onclose?: () => void
  onerror?: (error: Error) => void
  // biome-ignore lint/suspicious/noExplicitAny: as in TransportLike
  onmessage?: (message: any, extra?: any) => void

  start(): Promise<void> {
    return Promise.resolve()
  }

  send(message: JsonRpcMessage): Promise<void> {
    this.sent.push(message)
    return Promise.resolve()
  }

  close(): Promise<void> {
    this.onclose?.()
    return Promise.resolve()
  }

  /** The server says this. */
  say(message: Record<string, unknown>): void {
    this.onmessage?.({ jsonrpc: '2.0', ...message })
  }

  /** What went out for this method, oldest first. */
  of(method: string): JsonRpcMessage[] {
    return this.sent.filter((message) => 'method' in message && message.method === method)
  }
}
