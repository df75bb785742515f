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
import { idOf, type Requests, type RequestsHost } from './requests.js'

/** Whose answers go out. */
type PostHost = Pick<RequestsHost, 'letters'>

/** Marks the error of a handshake as the server's, and keeps it as it came. */
export class ServerErrorData {
  readonly error: JsonRpcError['error']
  constructor(error: JsonRpcError['error']) {
    this.error = error
  }
}

/**
 * What stands between an SDK `Client` and a wire for the life of one client. The client makes the handshake, answers
 * what the server asks and hears its notifications; requests are ours ({@link Requests}). It makes the client do two
 * things that the SDK cannot be asked for: offer another protocol version, and go on with a remembered session (the
 * client sees an ordinary handshake, the server sees none of it). Its end is not the wire's end: the link owns the wire.
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
  readonly #host: PostHost
  readonly #requests: Pick<Requests, 'receive' | 'close'>
  readonly #resumed: SessionMemory | undefined
  readonly #version: string | undefined
  /** Of the client's own request, while it is open. */
  #handshake: number | undefined

  constructor(
    wire: Wire,
    host: PostHost,
    requests: Pick<Requests, 'receive' | 'close'>,
    { resumed, version }: { resumed?: SessionMemory; version?: string } = {},
  ) {
    this.#wire = wire
    this.#host = host
    this.#requests = requests
    this.#resumed = resumed
    this.#version = version
    wire.onmessage = (message: JsonRpcMessage, extra?: unknown) => this.#receive(message, extra)
    wire.onerror = (error) => this.onerror?.(error)
    wire.onclose = () => this.#end()
  }

  /** The wire was opened before the client came. */
  start(): Promise<void> {
    return Promise.resolve()
  }

  close(): Promise<void> {
    this.#end()
    return Promise.resolve()
  }

  setProtocolVersion(version: string): void {
    this.protocolVersion = version
    this.#wire.setProtocolVersion?.(version)
  }

  send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    if (isRequest(message)) {
      if (this.#resumed) return this.#answerInitialize(message.id, this.#resumed)
      this.#handshake = idOf(message.id)
      if (this.#version) message.params = { ...message.params, protocolVersion: this.#version }
      return this.#wire.send(message, options)
    }
    // The end of the handshake: a link to which it is refused is none.
    if ('method' in message && message.method === 'notifications/initialized')
      return this.#resumed ? Promise.resolve() : this.#wire.send(message, options)
    return this.#host.letters.send(message, options)
  }

  #answerInitialize(id: JsonRpcId, session: SessionMemory): Promise<void> {
    const { protocolVersion, capabilities, serverInfo, instructions } = session
    this.onmessage?.({ jsonrpc: '2.0', id, result: { protocolVersion, capabilities, serverInfo, instructions } })
    return Promise.resolve()
  }

  #end(): void {
    this.#requests.close()
    this.onclose?.()
  }

  #receive(received: JsonRpcMessage, extra?: unknown): void {
    const message = withoutNulls(received)
    if (!isResponse(message)) {
      if (message.method === 'notifications/progress') this.#requests.receive(message)
      else this.onmessage?.(message, extra)
    } else if (idOf(message.id) === this.#handshake) {
      this.#handshake = undefined
      if ('error' in message) markServerError(message)
      else this.#noteOffer(message.result)
      this.onmessage?.(message, extra)
    } else this.#requests.receive(message)
  }

  #noteOffer({ protocolVersion }: Record<string, unknown>): void {
    if (typeof protocolVersion === 'string') this.offeredVersion = protocolVersion
  }
}

/** The client takes no error without a whole number as its code, and would wait on. */
function markServerError(message: JsonRpcError): void {
  if (!evidenceOf(message.error))
    message.error = { code: -32603, message: '', data: new ServerErrorData(message.error) }
}
