/** Structured log events, as they are and through the real pino. */
import { Writable } from 'node:stream'
import pino from 'pino'
import { expect, it } from 'vitest'
import { type LogEvent, logEvents, logTo } from '../../src/index.js'
import { status } from '../../src/testing/fault-server/index.js'
import { connected, scene } from '../reports/rig.js'

/** A pino that writes into a list. */
function paper() {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  return { lines, logger: pino({ level: 'debug' }, stream) }
}

it('tells of a loss, of each attempt, of the recovery and of the incident, in levels that can be filtered', async () => {
  await using it = await connected()
  const { lines, logger } = paper()
  logTo(it.connection, logger)
  await it.server.stop()
  it.connection.request('tools/list').catch(() => undefined)
  await it.passUntil(() => it.connection.status === 'backoff', 60_000)
  await it.pass(2_000)
  await it.server.start()
  await it.passUntil(() => it.connection.status === 'ready', 20_000)
  const told = lines.filter(({ level }) => Number(level) >= 30)
  expect(told[0]).toMatchObject({
    level: 40,
    event: 'connection.lost',
    connection: 'test',
    code: expect.stringMatching(/^network\./),
    phase: expect.any(String),
  })
  expect(told.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['connection.retrying', 'connection.ready', 'incident.ended']),
  )
  expect(told.find(({ event }) => event === 'incident.ended')).toMatchObject({
    level: 30,
    kind: 'loss',
    outcome: 'recovered',
    durationMs: expect.any(Number),
    msg: expect.stringMatching(/^loss by network\./),
  })
})

it('is an error when it is given up, with the code and the advice', async () => {
  await using it = await scene()
  it.server.answer('POST', status(403))
  const events: LogEvent[] = []
  logEvents(it.connection).subscribe((event) => events.push(event))
  await it.connection.connect().catch(() => undefined)
  expect(events.find(({ level }) => level === 'error')).toMatchObject({
    event: 'connection.failed',
    connection: 'test',
    fields: { code: 'http.403', class: 'permanent', status: 403 },
  })
})

it('tells of lists that changed, and warns when something is gone', async () => {
  await using it = await connected()
  const { lines, logger } = paper()
  logTo(it.connection, logger)
  it.server.health.tools = [{ name: 'other', inputSchema: { type: 'object' } }]
  it.server.streams.push({ method: 'notifications/tools/list_changed' })
  await it.passUntil(() => it.connection.catalog.tools[0]?.name === 'other', 10_000)
  expect(lines.at(-1)).toMatchObject({ level: 40, event: 'lists.changed', added: ['other'], removed: ['echo'] })
})

it('completes with the connection, and ends when it is told to', async () => {
  const it = await connected()
  const { lines, logger } = paper()
  const end = logTo(it.connection, logger)
  let isComplete = false
  logEvents(it.connection).subscribe({ complete: () => (isComplete = true) })
  end()
  await it[Symbol.asyncDispose]()
  expect(lines.filter(({ event }) => event === 'connection.closed')).toEqual([])
  expect(isComplete).toBe(true)
})
