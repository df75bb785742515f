import { type Clock, systemClock } from '../clock.js'
import type { Connection } from '../connection/index.js'
import { measure } from './metrics.js'
import { trace } from './traces.js'
import type { MeterLike, TracerLike } from './types.js'

export interface ObserveOptions {
  /** A meter of `@opentelemetry/api`: `metrics.getMeter('my-app')`. Default: nothing is measured. */
  readonly meter?: MeterLike
  /** A tracer of `@opentelemetry/api`: `trace.getTracer('my-app')`. Default: nothing is traced. */
  readonly tracer?: TracerLike
  /** Where durations come from; the connection's own, where it was given one. Default: the system's clock. */
  readonly clock?: Clock
}

/**
 * Measures and traces a connection with OpenTelemetry, under the names of its semantic conventions for MCP where there
 * are any and under `lifeline.*` where there are none. A connection that nobody observes pays nothing.
 *
 * Metrics: `mcp.client.operation.duration`, `mcp.client.session.duration`, `lifeline.connections` (by state),
 * `lifeline.connection.failures`, `lifeline.connection.recoveries`, `lifeline.connection.recovery.duration`,
 * `lifeline.calls.waiting`. Spans: one for each call, as a child of the caller's, and `lifeline.recovery` for each incident.
 *
 * @returns what ends it; it ends by itself with the connection
 */
export function observe(connection: Connection, { meter, tracer, clock = systemClock }: ObserveOptions): () => void {
  const ends = [...(meter ? [measure(connection, meter, clock)] : []), ...(tracer ? [trace(connection, tracer)] : [])]
  const stop = () => {
    for (const end of ends.splice(0)) end()
  }
  const over = connection.status$.subscribe({ complete: stop })
  return () => {
    over.unsubscribe()
    stop()
  }
}
