/** No secret travels (P19): canaries are planted in every place that credentials pass, and looked for in every output. */

import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { InspectionEvent } from 'xstate'
import { oauth } from '../../src/auth/index.js'
import { logEvents } from '../../src/index.js'
import { redacted } from '../../src/inspect/index.js'
import { type ObserveOptions, observe } from '../../src/otel/index.js'
import { failure } from '../connection/rig.js'
import { json } from './authorization-server.js'
import { address, echo, redirectUrl } from './scenes.js'
import { MemoryStore, World } from './world.js'

/** What an inspector, a logger or a bug report would show of it, secrets in hidden fields included where they print. */
const shown = (value: unknown): string => {
  const seen = new Set<unknown>()
  const asJson = JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'function') return String(one.name)
    if (typeof one !== 'object' || one === null) return one
    if (seen.has(one)) return undefined
    seen.add(one)
    return one instanceof Error ? { ...one, message: one.message, stack: one.stack, cause: one.cause } : one
  })
  return `${asJson}\n${inspect(value, { depth: 12 })}`
}

/** A meter and a tracer that note all they are told. */
function noting(told: unknown[]): ObserveOptions {
  const note = (...given: unknown[]) => {
    told.push(given)
  }
  const span = {
    setAttribute: note,
    setAttributes: note,
    setStatus: note,
    addEvent: note,
    recordException: note,
    end: note,
  }
  const instrument = (...given: unknown[]) => {
    note(...given)
    return { add: note, record: note, addCallback: () => {}, removeCallback: () => {} }
  }
  const startSpan = (...given: unknown[]) => {
    note(...given)
    return span
  }
  return {
    meter: {
      createHistogram: instrument,
      createCounter: instrument,
      createUpDownCounter: instrument,
      createObservableGauge: instrument,
    },
    tracer: { startSpan },
  } as unknown as ObserveOptions
}

describe('secrets of a login (P19)', () => {
  it('are in no event, context, snapshot, error, fault, incident, checkpoint, inspection, log, trace, explanation or report', async () => {
    const world = new World()
    const outputs: string[] = []
    const inspected: unknown[] = []
    const adapted = redacted((seen) => outputs.push(shown(seen)))
    const connection = world.connect({
      authorizer: oauth({
        store: new MemoryStore(),
        redirectUrl,
        clientId: 'me',
        clientSecret: 'client-secret-canary',
        issuer: 'http://as.test',
      }),
      inspect: (event: InspectionEvent) => {
        inspected.push('event' in event ? event.event : event.type)
        adapted(event)
      },
    })
    world.as.clients.add('me')
    connection.actor.on('*', (news) => outputs.push(shown(news)))
    connection.incidents$.subscribe((incident) => outputs.push(shown(incident)))
    const logged: unknown[] = []
    logEvents(connection).subscribe((line) => logged.push(line))
    const traced: unknown[] = []
    observe(connection, noting(traced))
    connection.actor.subscribe({ next: (snapshot) => outputs.push(shown(snapshot.context)) })
    const errors: unknown[] = []
    const keep = async (promise: Promise<unknown>) => errors.push(await world.soon(failure(promise)))

    connection.connect().catch(() => {})
    const url = await address(world, connection)
    const state = url.searchParams.get('state') ?? 'none'
    const challenge = url.searchParams.get('code_challenge') ?? 'none'
    await keep(echo(connection, 0, { timeoutMs: 1_000 }))
    await keep(connection.authorize(`${redirectUrl}?code=code-canary-0&state=state-canary`))
    await world.soon(connection.authorize(world.as.login(url)))
    // The server repeats the token in every way that it can.
    world.play = ({ method, token, body }) => {
      if (method !== 'tools/call') return undefined
      const { arguments: args } = Object(body.params)
      if (args?.n === 1) return json({ error: `bad token ${token}` }, 500)
      const error = { code: -32000, message: `bad ${token}`, data: { token, seen: `x ${token}` } }
      return json({ jsonrpc: '2.0', id: body.id, error })
    }
    await keep(echo(connection, 1))
    const told = world.play
    world.play = ({ method, token }) =>
      method === 'tools/call'
        ? world.challenge(403, `error="insufficient_scope", scope="${token}", error_description="not ${token}"`)
        : undefined
    await keep(echo(connection, 4, { timeoutMs: 1_000 }))
    outputs.push(shown(connection.explain()), connection.report())
    world.play = told
    const answered = await world.soon(failure(echo(connection, 2)))
    errors.push((answered as { fault?: unknown }).fault)
    // So does the authorization server.
    world.play = undefined
    world.as.onToken = ({ params }) =>
      json({ error: 'invalid_grant', error_description: `unknown ${params.refresh_token}` }, 400)
    world.as.expire()
    await keep(echo(connection, 3, { timeoutMs: 5_000 }))
    outputs.push(shown(connection.explain()), connection.report())
    outputs.push(...errors.map(shown), ...inspected.map(shown), ...logged.map(shown), ...traced.map(shown))
    outputs.push(
      shown(connection.fault),
      shown(connection.checkpoint()),
      shown(connection.session),
      shown(connection.catalog),
    )
    outputs.push(shown((connection.actor as { getPersistedSnapshot?: () => unknown }).getPersistedSnapshot?.() ?? {}))
    await world.soon(connection.close())
    outputs.push(shown(connection))

    const all = outputs.join('\n')
    expect(all.length).toBeGreaterThan(20_000)
    for (const all of [inspected, logged, traced]) expect(all.length).toBeGreaterThan(5)
    expect([...new Set(all.match(/[\w-]*canary[\w-]*/g))]).toEqual([])
    for (const secret of [state, challenge]) expect(all.includes(secret)).toBe(false)
    // The search finds what is there.
    expect(shown({ deep: [{ token: 'access-canary-1' }] })).toContain('canary')
  })
})
