import { type Clock, elapsed } from '../clock.js'
import type { Connection, Status } from '../connection/index.js'
import { callAttributes, connectionAttributes, failureAttributes } from './attributes.js'
import { SessionTimer } from './session-timer.js'
import type { MeterLike } from './types.js'

/** The buckets of the semantic conventions for MCP, in seconds. */
const seconds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

const histogram = (description: string) => ({
  description,
  unit: 's',
  advice: { explicitBucketBoundaries: [...seconds] },
})

export function measure(connection: Connection, meter: MeterLike, clock: Clock): () => void {
  const named = { 'lifeline.connection.name': connection.name }
  const operations = meter.createHistogram(
    'mcp.client.operation.duration',
    histogram('Time from when a request was made until its answer came, waiting for the connection included.'),
  )
  const sessions = meter.createHistogram('mcp.client.session.duration', histogram('How long sessions lasted.'))
  const recoveries = meter.createHistogram(
    'lifeline.connection.recovery.duration',
    histogram('Time from a loss until the connection was ready again, or given up.'),
  )
  const states = meter.createUpDownCounter('lifeline.connections', {
    description: 'Connections by state.',
    unit: '{connection}',
  })
  const failures = meter.createCounter('lifeline.connection.failures', {
    description: 'Attempts and ready connections that failed, by the code of the fault.',
    unit: '{failure}',
  })
  const regained = meter.createCounter('lifeline.connection.recoveries', {
    description: 'Times that the connection was ready again after a loss.',
    unit: '{recovery}',
  })
  const waiting = meter.createObservableGauge('lifeline.calls.waiting', {
    description: 'Calls that wait for the connection.',
    unit: '{call}',
  })

  const session = new SessionTimer(
    clock,
    () => connectionAttributes(connection),
    (durationMs, attributes) => sessions.record(durationMs / 1_000, attributes),
  )
  const count = (result: { observe(value: number, attributes?: Record<string, string>): void }) =>
    result.observe(connection.waiting, named)
  waiting.addCallback(count)

  let state: Status | undefined
  const enter = (next: Status | undefined) => {
    if (state !== undefined) states.add(-1, { ...named, 'lifeline.connection.state': state })
    if (next !== undefined) states.add(1, { ...named, 'lifeline.connection.state': next })
    state = next
  }
  const subscriptions = [
    connection.status$.subscribe((status) => enter(status)),
    connection.actor.on('*', (news) => {
      session.take(news)
      if (news.type === 'connection.lost') failures.add(1, { ...named, 'error.type': news.fault.code })
    }),
    connection.incidents$.subscribe(({ kind, outcome, durationMs }) => {
      recoveries.record(durationMs / 1_000, {
        ...named,
        'lifeline.incident.kind': kind,
        'lifeline.incident.outcome': outcome,
      })
      if (outcome === 'recovered') regained.add(1, named)
    }),
  ]
  if (connection.status === 'ready') session.begin()
  const unobserve = connection.observeCalls(({ method, params }) => {
    const begunAt = elapsed(clock)
    const attributes = callAttributes(method, params)
    return (outcome) =>
      operations.record((elapsed(clock) - begunAt) / 1_000, {
        ...attributes,
        ...connectionAttributes(connection),
        ...failureAttributes(outcome),
      })
  })
  return () => {
    unobserve()
    for (const subscription of subscriptions) subscription.unsubscribe()
    // A session that lives on is not over because nobody looks any more.
    if (connection.status === 'closed') session.end()
    waiting.removeCallback(count)
    enter(undefined)
  }
}
