import { expect, test } from 'vitest'
import { observe } from '../../src/cli/observe.js'
import { initialView, mainState, stateText, toneOf, type View } from '../../src/cli/view.js'
import { createConnection } from '../../src/index.js'
import { FakeClock } from './fake-clock.js'
import { viewOf } from './views.js'

test('states in full', () => {
  expect(stateText('idle')).toBe('idle')
  expect(stateText({ linked: { initializing: 'handshaking' } })).toBe('linked.initializing.handshaking')
  const ready = stateText({ linked: { ready: { health: 'steady', catalog: 'fresh' } } })
  expect(ready).toBe('linked.ready (health.steady, catalog.fresh)')
  expect(mainState(viewOf({ state: ready }))).toBe('linked.ready')
})

test('a name from a file cannot steer the terminal', () => {
  expect(initialView('a\u001b[2Jb\nc', '', 0).name).toBe('ab c')
})

test('a connection that cannot be made, seen from its first attempt to its end', async () => {
  const clock = new FakeClock()
  const target = { command: 'no-such-command-anywhere' }
  const connection = createConnection({ name: 'a', target, clock, random: () => 0 })
  const seen: View[] = []
  const observed = observe(connection, '', clock, (after) => seen.push(after))
  await expect(connection.connect()).rejects.toThrow('spawn.ENOENT')
  expect(seen.map(({ status }) => status).filter((status, i, all) => status !== all[i - 1])).toEqual([
    'idle',
    'connecting',
    'failed',
  ])
  const { fault, incident, tools, state } = observed.view
  expect([fault?.code, fault?.at, state, tools]).toEqual(['spawn.ENOENT', clock.now(), 'failed.permanent', undefined])
  expect(incident).toMatchObject({ reason: 'spawn.ENOENT', outcome: 'failed' })
  expect(toneOf(observed.view)).toBe('bad')
  await connection.close()
  expect(observed.view.status).toBe('closed')
  observed.stop()
})

test('the next attempt is known while it is waited for', async () => {
  const clock = new FakeClock()
  const target = { url: 'http://127.0.0.1:9/mcp' }
  const connection = createConnection({ name: 'a', target, clock, random: () => 0.5 })
  const waits = new Promise<View>((resolve) => {
    observe(connection, '', clock, (after) => after.status === 'backoff' && resolve(after))
  })
  connection.connect().catch(() => {})
  const view = await waits
  expect(view.state).toBe('backoff.waiting')
  expect(view.attempts).toBe(1)
  expect(view.nextAt).toBeGreaterThan(clock.now())
  expect(view.downSince).toBe(clock.now())
  await connection.close()
})
