/** Measured and traced with OpenTelemetry's own SDK, over real sockets. */
import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { observe } from '../../src/otel/index.js'
import { rpcError, sse, status } from '../../src/testing/fault-server/index.js'
import { connected, failure, type Scene, scene } from '../reports/rig.js'

interface Point {
  readonly attributes: Record<string, unknown>
  readonly value: unknown
}

/** A meter whose figures can be read. */
function metering() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })
  const provider = new MeterProvider({ readers: [reader] })
  return {
    meter: provider.getMeter('test'),
    async read(): Promise<Record<string, Point[]>> {
      exporter.reset()
      await provider.forceFlush()
      const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics))
      return Object.fromEntries(
        metrics.map(({ descriptor, dataPoints }) => [
          descriptor.name,
          dataPoints.map(({ attributes, value }) => ({ attributes, value })),
        ]),
      )
    },
    stop: () => provider.shutdown(),
  }
}

function tracing() {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  return { tracer: provider.getTracer('test'), spans: () => exporter.getFinishedSpans() }
}

const statesOf = (points: Point[] = []): Record<string, unknown> =>
  Object.fromEntries(
    points
      .filter(({ value }) => value !== 0)
      .map(({ attributes, value }) => [attributes['lifeline.connection.state'], value]),
  )

const lose = async (it: Scene) => {
  await it.server.restart()
  await it.call()
  await it.passUntil(() => it.connection.status === 'ready', 20_000)
}

describe('metrics', () => {
  it('of calls: method, tool, outcome and server, by the names of the semantic conventions', async () => {
    const { meter, read, stop } = metering()
    await using it = await connected()
    observe(it.connection, { meter, clock: it.clock })
    it.server.once('tools/call', rpcError(-32602, 'no such tool'))
    await failure(it.call())
    it.server.once('tools/call', (visit) => sse([{ respond: { content: [], isError: true } }])(visit))
    await it.call()
    await it.call()
    const points = (await read())['mcp.client.operation.duration'] ?? []
    expect(points.map(({ attributes }) => attributes['error.type'])).toEqual(['-32602', 'tool_error', undefined])
    expect(points[2]?.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'append',
      'mcp.protocol.version': '2025-11-25',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'server.address': '127.0.0.1',
      'server.port': it.server.port,
    })
    await stop()
  })

  it('of the connection: its state, failures, recoveries and how long they took, and calls that wait', async () => {
    const { meter, read, stop } = metering()
    await using it = await scene()
    observe(it.connection, { meter, clock: it.clock })
    expect(statesOf((await read())['lifeline.connections'])).toEqual({ idle: 1 })
    await it.connection.connect()
    await it.server.stop()
    const calls = [1, 2, 3].map(() => it.connection.request('tools/list'))
    await it.passUntil(() => it.connection.status === 'backoff', 60_000)
    const down = await read()
    expect(statesOf(down['lifeline.connections'])).toEqual({ backoff: 1 })
    expect(down['lifeline.calls.waiting']).toMatchObject([{ value: it.connection.waiting }])
    expect(it.connection.waiting).toBeGreaterThan(0)
    await it.pass(2_000)
    await it.server.start()
    await it.passUntil(() => it.connection.status === 'ready', 20_000)
    await Promise.all(calls)
    const up = await read()
    expect(statesOf(up['lifeline.connections'])).toEqual({ ready: 1 })
    expect(up['lifeline.connection.recoveries']).toMatchObject([{ value: 1 }])
    const failures = up['lifeline.connection.failures']?.reduce((sum, { value }) => sum + Number(value), 0)
    expect(failures).toBeGreaterThanOrEqual(2)
    expect(up['lifeline.connection.recovery.duration']).toMatchObject([
      {
        attributes: { 'lifeline.incident.kind': 'loss', 'lifeline.incident.outcome': 'recovered' },
        value: { count: 1 },
      },
    ])
    const [{ value } = { value: undefined }] = up['lifeline.connection.recovery.duration'] ?? []
    expect((value as { sum: number }).sum).toBeGreaterThanOrEqual(2)
    await stop()
  })

  it('of sessions: one that was lost ends when it was lost, one that is gone on with goes on', async () => {
    const { meter, read, stop } = metering()
    await using it = await connected()
    observe(it.connection, { meter, clock: it.clock })
    await it.pass(30_000, 1_000)
    await lose(it)
    const sessions = (await read())['mcp.client.session.duration']
    expect(sessions).toMatchObject([{ attributes: { 'error.type': 'session.unknown' }, value: { count: 1 } }])
    const [{ value } = { value: undefined }] = sessions ?? []
    expect((value as { sum: number }).sum).toBeGreaterThanOrEqual(30)
    expect((value as { sum: number }).sum).toBeLessThan(40)
    await stop()
  })

  it('end with the connection, and leave no state behind; what was ended hears nothing', async () => {
    const { meter, read, stop } = metering()
    const it = await connected()
    const end = observe(it.connection, { meter, clock: it.clock })
    const other = observe(it.connection, { meter, clock: it.clock })
    other()
    await it.call()
    await it[Symbol.asyncDispose]()
    end()
    const figures = await read()
    expect(statesOf(figures['lifeline.connections'])).toEqual({})
    expect(figures['mcp.client.operation.duration']).toMatchObject([{ value: { count: 1 } }])
    expect(figures['lifeline.calls.waiting'] ?? []).toEqual([])
    expect(figures['mcp.client.session.duration']).toHaveLength(1)
    await stop()
  })
})

describe('traces', () => {
  it('of calls: a span each, named as the conventions have it, with its failure', async () => {
    const { tracer, spans } = tracing()
    await using it = await connected()
    observe(it.connection, { tracer })
    await it.call()
    it.server.once('tools/call', status(500))
    await failure(it.call({ replay: 'never' }))
    const [good, ill] = spans()
    expect(good).toMatchObject({ name: 'tools/call append', kind: 2, status: { code: 0 } })
    expect(ill).toMatchObject({
      name: 'tools/call append',
      status: { code: 2, message: 'http.500' },
      attributes: { 'error.type': 'OUTCOME_UNKNOWN', 'lifeline.fault.code': 'http.500' },
    })
  })

  it('of incidents: from the loss to the recovery, with each attempt', async () => {
    const { tracer, spans } = tracing()
    await using it = await connected()
    observe(it.connection, { tracer })
    await it.server.stop()
    it.connection.request('tools/list').catch(() => undefined)
    await it.passUntil(() => it.connection.status === 'backoff', 60_000)
    await it.pass(3_000)
    await it.server.start()
    await it.passUntil(() => it.connection.status === 'ready', 20_000)
    const recovery = spans().find(({ name }) => name === 'lifeline.recovery')
    expect(recovery).toMatchObject({ status: { code: 0 }, attributes: { 'lifeline.incident.outcome': 'recovered' } })
    expect(recovery?.events.length).toBeGreaterThan(0)
    const [seconds = 0] = recovery?.duration ?? []
    expect(seconds).toBeGreaterThanOrEqual(2)
    expect(seconds).toBeLessThan(60)
  })
})

it('an observer that throws takes no call along', async () => {
  await using it = await connected()
  const seen: string[] = []
  it.connection.observeCalls(() => {
    throw new Error('at the beginning')
  })
  const end = it.connection.observeCalls(({ method }) => {
    seen.push(method)
    return () => {
      seen.push('ended')
      throw new Error('at the end')
    }
  })
  await it.call()
  expect(seen).toEqual(['tools/call', 'ended'])
  end()
  await it.call()
  expect(seen).toHaveLength(2)
})

/** Keeps the active context for as long as a function runs; enough to see whose child a span becomes. */
class SyncContexts implements ContextManager {
  #active: Context = ROOT_CONTEXT
  active = () => this.#active
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    next: Context,
    run: F,
    self?: unknown,
    ...args: A
  ) {
    const before = this.#active
    this.#active = next
    try {
      return run.apply(self as never, args)
    } finally {
      this.#active = before
    }
  }
  bind = <T>(_context: Context, target: T): T => target
  enable = () => this
  disable = () => this
}

it("a call's span is a child of the span in which it was made", async () => {
  const { tracer, spans } = tracing()
  await using it = await connected()
  observe(it.connection, { tracer })
  context.setGlobalContextManager(new SyncContexts())
  const parent = tracer.startSpan('request of the application')
  const call = context.with(trace.setSpan(context.active(), parent), () => it.call())
  context.disable()
  await call
  expect(spans()[0]?.parentSpanContext?.spanId).toBe(parent.spanContext().spanId)
})
