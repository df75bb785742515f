/**
 * What both wires over HTTP stand on: exchanges, the sockets behind them, headers, event streams, and the evidence of
 * whatever goes wrong with them. It knows JSON-RPC and no transport of the protocol.
 */
export { readAddress } from './address.js'
export { type BodySink, Collected, Refusal } from './body.js'
export { HttpClient, type HttpClientOptions } from './client.js'
export type { WebCore } from './core.js'
export { Delivery } from './delivery.js'
export { errnoOf } from './errno.js'
export { EventStream, type EventStreamListener } from './event-stream.js'
export {
  closedEvidence,
  type Head,
  httpEvidence,
  malformedEvidence,
  networkEvidence,
  oversizeEvidence,
  type Sent,
  streamEvidence,
  thrownEvidence,
} from './evidence.js'
export { type Exchange, type ExchangeSink, type ResponseHeaders, type Target, targetOf } from './exchange.js'
export { Linger } from './linger.js'
export { loneFetch } from './lone-fetch.js'
export { type Answerable, OpenRequests } from './open-requests.js'
export { type AccessToken, defaultMaxMessageBytes, type WebWireOptions } from './options.js'
export { type Outgoing, RequestHeaders } from './request-headers.js'
export { clampDelay, mediaType, retryAfterMs } from './response-headers.js'
export { written } from './write.js'
