import { expect, test } from 'vitest'
import { decisionsByText, testsLeftOut, unseamedTime } from './habits.js'
import { readSources } from './sources.js'

const product = readSources(process.cwd(), ['src', 'machines'])
const tests = readSources(process.cwd(), ['test'])

test('time and chance come in through the seam', () => {
  expect(product.flatMap(unseamedTime)).toEqual([])
})

test('no decision hangs on the text of an error', () => {
  expect(product.flatMap(decisionsByText)).toEqual([])
})

test('no test is skipped, focused or only promised', () => {
  expect(tests.flatMap(testsLeftOut)).toEqual([])
})

const seen = (look: typeof unseamedTime, text: string, path = 'src/link/a.ts') => look({ path, text }).length

test.each([
  'setTimeout(run, 5)',
  'setInterval(run, 5)',
  'globalThis.setTimeout(run, 5)',
  'const at = Date.now()',
  'const at = new Date()',
  'performance.now()',
  'const jitter = cap * Math.random()',
  'AbortSignal.timeout(5)',
])('seen as time or chance past the seam: %s', (text) => {
  expect(seen(unseamedTime, text)).toBe(1)
})

test.each([
  'clock.setTimeout(run, 5)',
  'clock.now()',
  '// setTimeout(run)',
  '"Date.now()"',
  'new Date(at)',
  'random()',
])('not seen as time or chance past the seam: %s', (text) => {
  expect(seen(unseamedTime, text)).toBe(0)
})

test('the seam itself may use both', () => {
  expect(seen(unseamedTime, 'setTimeout(run, Math.random())', 'src/clock.ts')).toBe(0)
})

test.each([
  `error.message.includes('closed')`,
  'error?.message?.match(/closed/)',
  `(error as Error).message.startsWith('x')`,
  '/closed/.test(error.message)',
  `if (error.message === 'closed') run()`,
])('seen as a decision by text: %s', (text) => {
  expect(seen(decisionsByText, text)).toBe(1)
})

test.each(['log(error.message)', `message.method === 'ping'`, `event.data.includes('x')`, 'summary = error.message'])(
  'not seen as a decision by text: %s',
  (text) => {
    expect(seen(decisionsByText, text)).toBe(0)
  },
)

test.each([
  `it.skip('a', run)`,
  `describe.only('a', run)`,
  `test.todo('a')`,
  `test.skipIf(slow)('a', run)`,
  `test.concurrent.only('a', run)`,
  'ctx.skip()',
  `xit('a', run)`,
])('seen as a test left out: %s', (text) => {
  expect(seen(testsLeftOut, text)).toBeGreaterThan(0)
})

test.each([`test('a', run)`, 'source.pipe(skip(1))', `test.each([1])('a', run)`])(
  'not seen as a test left out: %s',
  (text) => {
    expect(seen(testsLeftOut, text)).toBe(0)
  },
)
