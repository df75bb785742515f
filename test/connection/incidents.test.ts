/** Incidents: what began them is kept apart from what failed later, and each ends once, with its outcome. */
import { expect, it } from 'vitest'
import { classify } from '../../machines/classify.js'
import type { Evidence } from '../../machines/evidence.js'
import type { Fault } from '../../machines/faults.js'
import { IncidentLog } from '../../src/connection/incidents.js'
import type { Incident } from '../../src/index.js'
import { status } from '../../src/testing/fault-server/index.js'
import { connected, type Scene, scene } from '../reports/rig.js'

const incidentsOf = ({ connection }: Scene): Incident[] => {
  const incidents: Incident[] = []
  connection.incidents$.subscribe((incident) => incidents.push(incident))
  return incidents
}

const down = (it: Scene) => it.passUntil(() => it.connection.status === 'backoff', 60_000)

it('a disconnect by the application ends what is open, as disconnected; connecting again begins afresh', async () => {
  await using it = await connected()
  const incidents = incidentsOf(it)
  await it.server.stop()
  it.connection.request('tools/list').catch(() => undefined)
  await down(it)
  const disconnecting = it.connection.disconnect()
  await it.pass(6_000)
  await disconnecting
  expect(incidents).toMatchObject([{ kind: 'loss', outcome: 'disconnected', reason: { code: /^network\./ } }])
  expect(it.connection.explain()).toMatchObject({ status: 'idle', incident: { outcome: 'disconnected' } })
  expect(it.connection.explain().cause).toBeUndefined()
  await it.server.start()
  await it.connection.connect()
  expect(incidents).toHaveLength(1)
})

it('a disconnect from a connection that is well is no incident', async () => {
  await using it = await connected()
  const incidents = incidentsOf(it)
  await it.connection.disconnect()
  expect(incidents).toEqual([])
  expect(it.connection.explain()).toMatchObject({ status: 'idle', summary: expect.stringMatching(/^Disconnected/) })
})

it('the first failure to connect is a start, a loss is a loss, and each attempt has its own evidence', async () => {
  await using it = await scene()
  const incidents = incidentsOf(it)
  it.server.once('initialize', status(503), 2)
  it.connection.connect().catch(() => undefined)
  await it.passUntil(() => it.connection.status === 'ready', 20_000)
  expect(incidents).toMatchObject([
    { kind: 'start', reason: { code: 'http.503' }, attempts: [{ fault: { code: 'http.503' } }], failures: 1 },
  ])
  const [{ attempts: [failed] = [] } = {}] = incidents
  expect(failed?.lastedMs).toBeGreaterThanOrEqual(0)
  await it.server.restart()
  await it.call()
  await it.passUntil(() => it.connection.status === 'ready', 20_000)
  expect(incidents[1]).toMatchObject({ kind: 'loss', outcome: 'recovered', resumed: false })
})

it('what fails after the giving up names the disconnect that it goes back to (P22)', async () => {
  await using it = await connected({ policy: { maxAttempts: 1 } })
  const incidents = incidentsOf(it)
  await it.server.stop()
  it.connection.request('tools/list').catch(() => undefined)
  await it.passUntil(() => it.connection.status === 'failed', 120_000)
  const [first] = incidents
  expect(first).toMatchObject({ kind: 'loss', outcome: 'exhausted' })
  // The slow probe fails as well, and then the server is back.
  await it.pass(90_000, 1_000)
  expect(it.connection.explain().incident).toMatchObject({ kind: 'reconnect', origin: { at: first?.startedAt } })
  await it.server.start()
  await it.passUntil(() => it.connection.status === 'ready', 120_000, 1_000)
  expect(incidents[1]).toMatchObject({
    kind: 'reconnect',
    outcome: 'recovered',
    origin: { at: first?.startedAt, fault: { code: first?.reason.code } },
  })
  expect(it.connection.explain().history).toMatchObject([{ kind: 'loss', outcome: 'exhausted' }])
})

it('one that is open when the actor is stopped by its parent ends as closed', async () => {
  await using it = await connected()
  const incidents = incidentsOf(it)
  await it.server.stop()
  it.connection.request('tools/list').catch(() => undefined)
  await down(it)
  it.connection.actor.stop?.()
  expect(incidents).toMatchObject([{ kind: 'loss', outcome: 'closed' }])
})

it('keeps the last 20 attempts and the last 10 incidents, and counts what it dropped', () => {
  const log = new IncidentLog()
  const evidence: Evidence = { kind: 'exit', wire: 'stdio', phase: 'ready', summary: 'it ended' }
  const fault: Fault = classify(evidence)
  const link = { begunAt: 0 }
  for (let round = 0; round < 15; round++) {
    for (let n = 0; n < 30; n++) log.take({ type: 'connection.lost', fault }, n, link)
    log.take({ type: 'connection.ready', generation: 1, resumed: false }, 40, link)
  }
  expect(log.trouble).toMatchObject({ failures: 29, outcome: 'recovered', durationMs: 40 })
  expect(log.trouble?.attempts).toHaveLength(20)
  expect(log.history).toHaveLength(10)
})
