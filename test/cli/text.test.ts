import { expect, test } from 'vitest'
import { isScreen, paint, piece, wantsColour } from '../../src/cli/style.js'
import { age, clip, column, countdown, duration, printable, widthOf, wrap } from '../../src/cli/text.js'

test('what a server says cannot steer the terminal', () => {
  expect(printable('\u001b[2Jone\u0007\r\ntwo\u0085\u202ethree \u009b31mred \u001b]0;title\u0007four\u001b')).toBe(
    'one two three red four',
  )
})

test.each([
  ['abc', 3],
  ['日本', 4],
  ['e\u0301', 1],
  ['🦀', 2],
])('%s takes %d columns', (text, width) => {
  expect(widthOf(text)).toBe(width)
})

test('a text is cut where the columns end, and shows that it was', () => {
  expect([clip('abcdef', 6), clip('abcdef', 4), clip('日本語', 4), clip('abc', 0)]).toEqual([
    'abcdef',
    'abc…',
    '日…',
    '',
  ])
})

test('columns keep apart', () => {
  expect([column('ab', 5), column('abcdef', 5)]).toEqual(['ab   ', 'abcdef  '])
})

test('a text is wrapped at words, on as many lines as asked for', () => {
  expect(wrap('one two three', 8, 2)).toEqual(['one two', 'three'])
  expect(wrap('one two three four', 8, 2)).toEqual(['one two', 'three f…'])
  expect(wrap('one', 8, 2)).toEqual(['one', ''])
  expect(wrap('onetwothree', 4, 3)).toEqual(['onet', 'woth', 'ree'])
})

test('durations are short to read', () => {
  const ms = [-5, 0, 340, 3_210, 9_990, 12_000, 245_000, 7_440_000]
  expect(ms.map(duration)).toEqual(['0 ms', '0 ms', '340 ms', '3.2 s', '10 s', '12 s', '4 min 05 s', '2 h 04 min'])
  expect([340, 3_990, 12_000].map(age)).toEqual(['0 s', '3 s', '12 s'])
  expect([-5, 340, 12_000].map(countdown)).toEqual(['0.0 s', '0.3 s', '12 s'])
})

test('a line is cut to the width, colour or not', () => {
  const line = [piece('good', 'good'), piece(' and more')]
  expect(paint(line, { colour: false, width: 8 })).toBe('good an…')
  expect(paint(line, { colour: true, width: 8 })).toBe('\u001b[32mgood\u001b[0m an…')
})

test('colour is for terminals that can and people who want', () => {
  const terminal = { isTTY: true }
  expect(wantsColour(terminal, {})).toBe(true)
  expect(wantsColour(terminal, { NO_COLOR: '' })).toBe(true)
  expect(wantsColour(terminal, { NO_COLOR: '1' })).toBe(false)
  expect(wantsColour(terminal, { TERM: 'dumb' })).toBe(false)
  expect(wantsColour({}, {})).toBe(false)
  expect(isScreen(terminal, { NO_COLOR: '1' })).toBe(true)
})
