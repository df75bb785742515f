import type { Clock } from '../../clock.js'
import type { HttpClient } from './client.js'
import type { Sent } from './evidence.js'
import type { Target } from './exchange.js'
import type { Linger } from './linger.js'
import type { RequestHeaders } from './request-headers.js'

/** What a wire over HTTP lends to its parts. */
export interface WebCore {
  readonly wire: Sent['wire']
  readonly client: HttpClient
  /** Where messages are posted. */
  readonly target: Target
  readonly headers: RequestHeaders
  readonly clock: Clock
  readonly linger: Linger
  readonly maxMessageBytes: number
  /** The peer answered something. A status of 500 and above can be a proxy's and proves nothing. Returns the time for durations. */
  alive(status: number): number
  noise(text: string): void
}
