/**
 * As much of OpenTelemetry's API as is used here, in its shapes: a `Meter` and a `Tracer` of `@opentelemetry/api` fit.
 * So nobody who does not measure needs that package, and whoever does can have any version of it.
 */

export type Attributes = Record<string, string | number | boolean>

interface InstrumentOptions {
  description?: string
  unit?: string
  advice?: { explicitBucketBoundaries?: number[] }
}

interface HistogramLike {
  record(value: number, attributes?: Attributes): void
}

interface CounterLike {
  add(value: number, attributes?: Attributes): void
}

interface ObservableResultLike {
  observe(value: number, attributes?: Attributes): void
}

type Callback = (result: ObservableResultLike) => void

interface ObservableLike {
  addCallback(callback: Callback): void
  removeCallback(callback: Callback): void
}

export interface MeterLike {
  createHistogram(name: string, options?: InstrumentOptions): HistogramLike
  createCounter(name: string, options?: InstrumentOptions): CounterLike
  createUpDownCounter(name: string, options?: InstrumentOptions): CounterLike
  createObservableGauge(name: string, options?: InstrumentOptions): ObservableLike
}

export interface SpanLike {
  setAttributes(attributes: Attributes): unknown
  addEvent(name: string, attributes?: Attributes, time?: Date): unknown
  setStatus(status: { code: number; message?: string }): unknown
  end(time?: Date): void
}

export interface TracerLike {
  startSpan(name: string, options?: { kind?: number; attributes?: Attributes; startTime?: Date }): SpanLike
}

/** `SpanKind.CLIENT` and `SpanStatusCode.ERROR` of the API. */
export const CLIENT = 2
export const ERROR = 2
