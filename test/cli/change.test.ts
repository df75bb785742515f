import { expect, test } from 'vitest'
import { paint } from '../../src/cli/style.js'
import type { View } from '../../src/cli/view.js'
import { changeLine, noteLine } from '../../src/cli/watch/change.js'
import { now, ready, shownFault, viewOf, waiting } from './views.js'

function said(after: View, before: View): string | undefined {
  const line = changeLine(after, before, now, 8)
  return line && paint(line, { colour: false })
}

test('ready, with its tools, and after a loss with how long it took', () => {
  expect(said(ready, viewOf())).toMatch(/^14:02:33 {2}files +linked\.ready +13 tools$/)
  const incident = { reason: 'process.exited', outcome: 'recovered', durationMs: 1_234, endedAt: now } as const
  expect(said({ ...ready, incident }, waiting)).toMatch(/13 tools, back after 1\.2 s$/)
  expect(said({ ...ready, incident }, { ...waiting, incident })).toMatch(/13 tools$/)
})

test('a loss, with the next attempt, the fault and what to do', () => {
  expect(said(waiting, ready)).toMatch(
    /backoff\.waiting +attempt 4 of 20 in 3\.2 s · process\.exited: server process .* SIGKILL\. Its stderr tells why/,
  )
})

test('a wait that is shortened, without the fault that is known already', () => {
  expect(said({ ...waiting, nextAt: now + 100 }, waiting)).toMatch(/attempt 4 of 20 in 0\.1 s$/)
})

test('a fault that changes no state', () => {
  expect(said({ ...ready, fault: shownFault }, ready)).toMatch(/linked\.ready .*process\.exited/)
})

test('a login that is needed: what to run, once', () => {
  const after = viewOf({
    status: 'reauthorizing',
    state: 'linked.reauthorizing.awaitingUser',
    login: 'lifeline login files',
  })
  expect(said(after, ready)).toMatch(/linked\.reauthorizing\.awaitingUser +run: lifeline login files$/)
  expect(said(after, after)).toBeUndefined()
})

test('another number of tools', () => {
  expect(said({ ...ready, tools: 1 }, ready)).toMatch(/linked\.ready +1 tool$/)
  expect(said(ready, { ...ready, tools: undefined })).toBeUndefined()
})

test('a probe of a healthy link is not worth a line', () => {
  const state = 'linked.ready (health.probing, catalog.fresh, credentials.valid)'
  expect(said({ ...ready, state }, ready)).toBeUndefined()
})

test('a note', () => {
  expect(paint(noteLine('files', 'its local server runs', now, 8), { colour: false })).toBe(
    '14:02:33  files   its local server runs',
  )
})
