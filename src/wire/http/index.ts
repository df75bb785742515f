/** The Streamable HTTP wire. */
export { HttpClient, type HttpClientOptions } from './client.js'
export { HttpWire } from './http-wire.js'
export type { AccessToken, HttpWireOptions } from './options.js'
