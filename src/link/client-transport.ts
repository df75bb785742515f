import { evidenceOf } from '../wire/failure.js'
import {
  isRequest,
  isResponse,
  type JsonRpcError,
  type JsonRpcId,
  type JsonRpcMessage,
  withoutNulls,
} from '../wire/messages.js'
import type { SendOptions, TransportLike, Wire } from '../wire/wire.js'
import type { SessionMemory } from './port.js'

/** Marks error data that came from the server, so that it cannot be taken for an error that arose here. */
export class ServerErrorData {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/**
 * What stands between an SDK `Client` and a wire for the life of one client. It makes the client do three things that
 * the SDK cannot be asked for: offer another protocol version, go on with a remembered session (the client sees an
 * ordinary handshake, the server sees none of it), and number its requests so that ids never repeat within a session
 * (SDK trap 4). Its end is not the wire's end: the link owns the wire.
 */
export class ClientTransport implements TransportLike {
  onclose?: () => void
  onerror?: (error: Error) => void
  // biome-ignore lint/suspicious/noExplicitAny: as in TransportLike
  onmessage?: (message: any, extra?: any) => void

  /** The negotiated version, once there is one. */
  protocolVersion: string | undefined
  /** The version that the server's answer to initialize named, supported or not. */
  offeredVersion: string | undefined

  readonly #wire: Wire
  readonly #resumed: SessionMemory | undefined
  readonly #version: string | undefined
  /** Added to the client's ids, which begin at 0 with every client. */
  readonly #base: number
  #highest = -1
  /**
   * Progress was handed on just now. The SDK comes to it a microtask later and drops it when its call is answered by
   * then, so an answer that came in the same chunk has to wait as long (report 03.06).
   */
  #progressing = false

  constructor(wire: Wire, { resumed, version }: { resumed?: SessionMemory; version?: string } = {}) {
    this.#wire = wire
    this.#resumed = resumed
    this.#version = version
    this.#base = resumed?.nextId ?? 0
    wire.onmessage = (message: JsonRpcMessage, extra?: unknown) => this.#receive(message, extra)
    wire.onerror = (error) => this.onerror?.(error)
    wire.onclose = () => this.onclose?.()
  }

  /** The id that the next request in this session would have. */
  get nextId(): number {
    return this.#base + this.#highest + 1
  }

  /** The wire was opened before the client came. */
  start(): Promise<void> {
    return Promise.resolve()
  }

  close(): Promise<void> {
    this.onclose?.()
    return Promise.resolve()
  }

  setProtocolVersion(version: string): void {
    this.protocolVersion = version
    this.#wire.setProtocolVersion?.(version)
  }

  send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    if (isRequest(message)) {
      if (typeof message.id === 'number' && message.id > this.#highest) this.#highest = message.id
      if (message.method === 'initialize') {
        if (this.#resumed) return this.#answerInitialize(message.id, this.#resumed)
        if (this.#version) message.params = { ...message.params, protocolVersion: this.#version }
      }
    } else if (this.#resumed && 'method' in message && message.method === 'notifications/initialized') {
      return Promise.resolve()
    }
    return this.#wire.send(this.#base > 0 ? this.#shiftOut(message) : message, options)
  }

  #answerInitialize(id: JsonRpcId, session: SessionMemory): Promise<void> {
    const { protocolVersion, capabilities, serverInfo, instructions } = session
    this.onmessage?.({ jsonrpc: '2.0', id, result: { protocolVersion, capabilities, serverInfo, instructions } })
    return Promise.resolve()
  }

  #receive(received: JsonRpcMessage, extra?: unknown): void {
    const message = withoutNulls(received)
    if ('error' in message) markServerError(message)
    else if (this.protocolVersion === undefined) this.#noteOffer(message)
    const shifted = this.#base > 0 ? this.#shiftIn(message) : message
    if ('method' in message) {
      if (message.method === 'notifications/progress') this.#noteProgress()
    } else if (this.#progressing) {
      queueMicrotask(() => this.onmessage?.(shifted, extra))
      return
    }
    this.onmessage?.(shifted, extra)
  }

  /** For the rest of this turn. */
  #noteProgress(): void {
    this.#progressing = true
    queueMicrotask(() => {
      this.#progressing = false
    })
  }

  #noteOffer(message: JsonRpcMessage): void {
    if (!('result' in message)) return
    const { protocolVersion } = message.result
    if (typeof protocolVersion === 'string') this.offeredVersion ??= protocolVersion
  }

  #shiftOut(message: JsonRpcMessage): JsonRpcMessage {
    if (isRequest(message)) {
      const token = progressToken(message.params?._meta)
      const params =
        token === undefined
          ? message.params
          : { ...message.params, _meta: { ...Object(message.params?._meta), progressToken: token + this.#base } }
      return { ...message, id: this.#out(message.id), ...(params && { params }) }
    }
    if ('method' in message && message.method === 'notifications/cancelled') {
      const { requestId } = message.params ?? {}
      if (typeof requestId === 'number')
        return { ...message, params: { ...message.params, requestId: this.#out(requestId) } }
    }
    return message
  }

  #shiftIn(message: JsonRpcMessage): JsonRpcMessage {
    if (isResponse(message) && message.id !== undefined) {
      const id = Number(message.id) - this.#base
      // An answer to a request of an earlier link of this session: for nobody here, under an id no client uses.
      return { ...message, id: id >= 0 ? id : -1 }
    }
    if ('method' in message && message.method === 'notifications/progress') {
      const token = Number(message.params?.progressToken) - this.#base
      return { ...message, params: { ...message.params, progressToken: token >= 0 ? token : -1 } }
    }
    return message
  }

  #out(id: JsonRpcId): JsonRpcId {
    return typeof id === 'number' ? id + this.#base : id
  }
}

function progressToken(meta: unknown): number | undefined {
  if (typeof meta !== 'object' || meta === null || !('progressToken' in meta)) return undefined
  return typeof meta.progressToken === 'number' ? meta.progressToken : undefined
}

function markServerError(message: JsonRpcError): void {
  if (evidenceOf(message.error)) return
  message.error = { ...message.error, data: new ServerErrorData(message.error.data) }
}
