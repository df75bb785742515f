import { expect, test } from 'vitest'
import { type Line, paint, piece } from '../../src/cli/style.js'
import { widthOf } from '../../src/cli/text.js'
import { type Scene, screenLines } from '../../src/cli/watch/screen-text.js'
import { now, ready, viewOf, waiting } from './views.js'

const history: Line[] = Array.from({ length: 50 }, (_, i) => [piece(`happened ${i}`)])

function shown(scene: Partial<Scene>): string[] {
  const whole = {
    views: [ready, waiting],
    history: [],
    now,
    width: 80,
    height: 30,
    closing: false,
    keys: true,
    ...scene,
  }
  return screenLines(whole).map((line) => paint(line, { colour: false, width: whole.width }))
}

test('a ready connection: since when, its tools, its whole state, on 80 columns', () => {
  const text = shown({ views: [ready] })
  expect(text[0]).toBe('lifeline   1 connection, all ready   14:02:33')
  expect(text[2]).toMatch(/^● files {2}ready +for 1 min 00 s +13 tools +stdio node$/)
  expect(text[3]).toBe('  state     linked.ready (health.steady, catalog.fresh, credentials.valid)')
  expect(text.join('\n')).toMatch(/fault +none so far/)
  expect(text.join('\n')).toMatch(/incident +none so far/)
})

test('a connection that waits: how long it is down, the attempt, the countdown, the fault and what to do', () => {
  const text = shown({ views: [waiting] }).join('\n')
  expect(text).toContain('1 connection, 0 ready')
  expect(text).toMatch(/◐ files +backoff +down 12 s +13 tools/)
  expect(text).toMatch(/state +backoff\.waiting {3}attempt 4 of 20 in 3\.2 s/)
  expect(text).toMatch(/fault +process\.exited, 3 s ago: server process node was ended by SIGKILL/)
  expect(text).toContain('Its stderr tells why; it is started again.')
})

test('a connection that came back: the attempts it took are still counted, the incident is told', () => {
  const incident = { reason: 'process.exited', outcome: 'recovered', durationMs: 820, endedAt: now - 4_000 } as const
  const text = shown({ views: [{ ...ready, attempts: 1, incident }] }).join('\n')
  expect(text).toMatch(/incident +back after 820 ms \(process\.exited\), 4 s ago, at attempt 1 of 20/)
})

test('every connection keeps its height, so that nothing jumps', () => {
  expect(shown({ views: [ready, ready] })).toHaveLength(shown({ views: [waiting, viewOf()] }).length)
})

test('advice that is longer than the screen is wide goes on in the next line', () => {
  const advice =
    'The server refuses this client. Check the credential, the address and the allowed hosts of the server.'
  const view = { ...waiting, status: 'failed', fault: { ...waiting.fault, advice } }
  const text = shown({ views: [view as typeof waiting], width: 70 }).map((line) => line.trim())
  expect(text).toContain('The server refuses this client. Check the credential, the')
  expect(text).toContain('address and the allowed hosts of the server.')
})

test('what happened fills the room that is left', () => {
  const text = shown({ history, height: 30 })
  expect(text).toHaveLength(30)
  expect(text).toContain('happened 49')
  expect(text).toContain('What happened')
  expect(text.at(-1)).toMatch(/Ctrl-C stop +r try again at once/)
})

test.each([1, 3, 8, 12, 16, 24, 60])('never more lines than the %d of the screen, and none too wide', (height) => {
  const views = Array.from({ length: 12 }, (_, i) => ({ ...waiting, name: `server ${i}` }))
  const text = shown({ views, history, height, width: 40 })
  expect(text.length).toBeLessThanOrEqual(height)
  expect(Math.max(...text.map(widthOf))).toBeLessThanOrEqual(40)
})

test('of more connections than there are lines, the first are shown and the rest counted', () => {
  const views = Array.from({ length: 200 }, (_, i) => ({ ...ready, name: `server ${i}` }))
  expect(shown({ views, height: 24 }).join('\n')).toMatch(/server 19 .*\n +and 180 more/)
})

test('why: the explanation in place of the cards, folded to the screen', () => {
  const why = [
    'files: backoff (stdio: node)',
    '',
    'Cause',
    '  ✗ Does it live?',
    '      it was ended by SIGKILL, and then again',
  ]
  const text = shown({ why, width: 36, selected: 1, views: [ready, { ...waiting, login: 'lifeline login files' }] })
  expect(text.slice(2, 10)).toEqual([
    'files: backoff (stdio: node)',
    '',
    'Cause',
    '  ✗ Does it live?',
    '      it was ended by SIGKILL, and',
    '      then again',
    '',
    'run: lifeline login files',
  ])
})

test('a login that is needed: what to run', () => {
  const view = viewOf({
    status: 'reauthorizing',
    state: 'linked.reauthorizing.awaitingUser',
    login: 'lifeline login a',
  })
  expect(shown({ views: [view] })[3]).toMatch(/state +linked\.reauthorizing\.awaitingUser {3}run: lifeline login a$/)
})

test('the footer tells what Ctrl-C does now', () => {
  expect(shown({ keys: false }).at(-1)).toBe('Ctrl-C stop')
  expect(shown({ closing: true }).at(-1)).toBe('Closing …  Ctrl-C again leaves at once')
})
