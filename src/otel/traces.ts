import type { Connection } from '../connection/index.js'
import type { Incident } from '../diagnosis/index.js'
import { callAttributes, connectionAttributes, failureAttributes } from './attributes.js'
import { CLIENT, ERROR, type SpanLike, type TracerLike } from './types.js'

export function trace(connection: Connection, tracer: TracerLike): () => void {
  const named = { 'lifeline.connection.name': connection.name }
  const unobserve = connection.observeCalls(({ method, params }) => {
    const attributes = callAttributes(method, params)
    const target = attributes['gen_ai.tool.name'] ?? attributes['gen_ai.prompt.name']
    // Made at once, while the caller's span is the active one, so that it becomes the parent.
    const span = tracer.startSpan(target === undefined ? method : `${method} ${target}`, {
      kind: CLIENT,
      attributes: { ...attributes, ...named },
    })
    return (outcome) => {
      span.setAttributes(connectionAttributes(connection))
      const failure = failureAttributes(outcome)
      if (failure) {
        span.setAttributes(failure)
        span.setStatus({ code: ERROR, message: String(failure['lifeline.fault.code'] ?? failure['error.type']) })
      }
      span.end()
    }
  })
  const incidents = connection.incidents$.subscribe((incident) => {
    const { kind, outcome, startedAt, durationMs, failures, reason } = incident
    const span = tracer.startSpan('lifeline.recovery', {
      // A small number would be taken for one of performance.now().
      startTime: new Date(startedAt),
      attributes: {
        ...named,
        ...connectionAttributes(connection),
        'lifeline.incident.kind': kind,
        'lifeline.incident.outcome': outcome,
        'lifeline.incident.failures': failures,
        'error.type': reason.code,
      },
    })
    addAttempts(span, incident)
    if (outcome !== 'recovered') span.setStatus({ code: ERROR, message: reason.code })
    span.end(new Date(startedAt + durationMs))
  })
  return () => {
    unobserve()
    incidents.unsubscribe()
  }
}

function addAttempts(span: SpanLike, { attempts }: Incident): void {
  for (const { at, fault, lastedMs } of attempts)
    span.addEvent('attempt failed', { 'error.type': fault.code, 'lifeline.attempt.ms': lastedMs }, new Date(at))
}
