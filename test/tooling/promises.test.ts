import { expect, test } from 'vitest'
import { promises } from '../promises.js'
import { citations, disagreements, mentions } from './citations.js'
import { readSources } from './sources.js'

const inRoot = (folders: string[]) => readSources(process.cwd(), folders)
const ids = Object.keys(promises)
const tests = inRoot(['test']).filter(({ path }) => path.endsWith('.test.ts'))
// What runs with `npm test` has to be enough: the lab needs more than most machines have.
const everywhere = tests.filter(({ path }) => !path.startsWith('test/lab/'))

test('every promise is cited by a test, and every citation names a promise', () => {
  expect(disagreements(ids, everywhere.flatMap(citations))).toEqual([])
})

test('what code and other tests say of promises names promises too', () => {
  const elsewhere = [...inRoot(['src', 'machines']).flatMap(mentions), ...tests.flatMap(citations)]
  expect(elsewhere.length).toBeGreaterThan(50)
  expect(elsewhere.filter(({ id }) => !ids.includes(id))).toEqual([])
})

test('ids are in order, and no sentence stands there twice', () => {
  const numbers = ids.map((id) => Number(/^P(\d+)$/.exec(id)?.[1]))
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  const sentences = Object.values(promises).map(({ sentence }) => sentence)
  expect(new Set(sentences).size).toBe(sentences.length)
})

const seen = (text: string) => citations({ path: 'test/a.test.ts', text }).map(({ id, title }) => `${id} ${title}`)

test.each([
  ["it('is bounded (P15)', run)", ['P15 is bounded']],
  ["it('is bounded (P15, P1; report 04.02)', run)", ['P15 is bounded (report 04.02)', 'P1 is bounded (report 04.02)']],
  ["it('is bounded (promise P15), always', run)", ['P15 is bounded, always']],
  ["describe('close() (P18)', run)", ['P18 close()']],
  ["it.each([1])('%s (P2)', run)", ['P2 %s']],
  ["describe.each([1])('%s (P2)', { timeout: 1 }, run)", ['P2 %s']],
  ['test(`a child (P3)`, run)', ['P3 a child']],
])('a citation is seen: %s', (text, expected) => {
  expect(seen(text)).toEqual(expected)
})

test.each(["it('P15 without brackets', run)", "expect('is bounded (P15)')", '// it is bounded (P15)'])(
  'no citation is seen: %s',
  (text) => {
    expect(seen(text)).toEqual([])
  },
)

test('a promise without a test, and a test of no promise, are told', () => {
  const cited = [{ id: 'P99', path: 'test/a.test.ts', title: 'flies' }]
  expect(disagreements(['P15'], cited)).toEqual([
    'test/a.test.ts cites P99, which is no promise: flies',
    'no test cites P15: The queue of calls is bounded.',
  ])
})
