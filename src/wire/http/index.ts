/** The Streamable HTTP wire. */
export { type AccessToken, HttpClient, type HttpClientOptions } from '../web/index.js'
export { HttpWire } from './http-wire.js'
export type { HttpWireOptions } from './options.js'
