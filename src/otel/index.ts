/** Metrics and traces of connections through OpenTelemetry, for whoever has a meter and a tracer. */
export { type ObserveOptions, observe } from './observe.js'
export type { MeterLike, TracerLike } from './types.js'
