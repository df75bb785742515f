import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { connectionChart } from '../../machines/connection.js'
import { rules } from '../../machines/rules/index.js'
import { verdicts } from '../../machines/verdicts.js'
import * as errors from '../../src/errors.js'
import { eventTypesOf } from '../tooling/docs/declarations.js'
import { examplesIn, withFragments } from '../tooling/docs/fragments.js'
import { driftOf, renderAll } from '../tooling/docs/generate.js'
import { withDescendants } from '../tooling/docs/transitions.js'
import { extensions, said } from './examples.js'

const read = (path: string) => readFileSync(path, 'utf8')
const guide = read('docs/guide.md')
const rulesPage = read('docs/rules.md')
const chartPage = read('docs/chart.md')
const written = [
  'README.md',
  'docs/guide.md',
  'docs/hub.md',
  'docs/inspecting.md',
  'docs/extending.md',
  'docs/embedding.md',
]

describe('drift', () => {
  test.each(renderAll())('$path is what the code says', ({ path, present, due }) => {
    expect(driftOf(path, present, due)).toBeUndefined()
  })

  test('a page that was edited by hand, or is shorter or longer, is noticed with its line', () => {
    expect(driftOf('p', 'a\nb\n', 'a\nb\n')).toBeUndefined()
    expect(driftOf('p', 'a\nx\n', 'a\nb\n')).toEqual({ path: 'p', line: 2, present: 'x', due: 'b' })
    expect(driftOf('p', 'a', 'a\nb')).toEqual({ path: 'p', line: 2, present: '(nothing)', due: 'b' })
    expect(driftOf('p', 'a\nb', 'a')).toEqual({ path: 'p', line: 2, present: 'b', due: '(nothing)' })
  })

  test('an example that was changed on the page is written anew from its file', () => {
    const changed = guide.replace('createConnection(', 'makeConnection(')
    expect(changed).not.toBe(guide)
    expect(withFragments(changed)).toBe(guide)
  })

  test('a fragment that nothing provides is an error', () => {
    const page = (name: string) => `<!-- from: ${name} -->\n<!-- end -->`
    expect(() => withFragments(page('docs/examples/none.ts'))).toThrow(/none\.ts/)
    expect(() => withFragments(page('docs/examples/watch.ts#none'))).toThrow(
      'there is no part docs/examples/watch.ts#none',
    )
  })
})

describe('the pages are complete', () => {
  test('every rule, verdict and delay stands in rules.md, rules in their order', () => {
    const listed = [...rulesPage.matchAll(/^#### (.+)$/gm)].map(([, id]) => id)
    expect(listed).toEqual(rules.map(({ id }) => id))
    const rows = [...rulesPage.matchAll(/^\| ([FV]\d) \| .* \| .* \| .* \|$/gm)].map(([, id]) => id)
    expect(rows).toEqual(verdicts.map(({ meta }) => meta.rule))
  })

  test('every state has its sentence in chart.md and is drawn', () => {
    const states = withDescendants(connectionChart.root).filter((node) => node.parent)
    const missing = states.filter(({ path }) => !chartPage.includes(`| \`${path.join('.')}\` | `))
    expect(missing.map(({ path }) => path.join('.'))).toEqual([])
    const silent = states.filter(({ description }) => !description)
    expect(silent.map(({ path }) => path.join('.'))).toEqual([])
    const undrawn = states.filter(({ key, path }) => !chartPage.includes(`state "${key}" as ${path.join('_')}`))
    // The regions of a parallel state are diagrams of their own.
    expect(undrawn.map(({ path }) => path.join('.'))).toEqual([
      'linked.ready.health',
      'linked.ready.catalog',
      'linked.ready.credentials',
    ])
  })

  test('every error has a section in the guide, and every tag and emitted event a row', () => {
    const codes = read('src/errors.ts').matchAll(/^ {2}static override readonly code = '(\w+)'$/gm)
    const expected = [...codes].map(([, code]) => code)
    const classes = Object.values(errors).filter((it) => it.name !== 'LifelineError')
    expect(expected).toHaveLength(classes.length)
    expect([...guide.matchAll(/^### ([A-Z_]+)\n\n`(\w+)`/gm)].map(([, code]) => code)).toEqual(expected)
    const tags = new Set(withDescendants(connectionChart.root).flatMap((node) => node.tags))
    const rows = [...tags, ...eventTypesOf('machines/types.ts', 'ConnectionEmitted')]
    expect(rows.filter((name) => !guide.includes(`\n| \`${name}\` | `))).toEqual([])
  })

  test('every example stands on a page', () => {
    const shown = written.flatMap((path) => examplesIn(read(path))).map((name) => name.split('#')[0])
    const files = [...Object.keys(said), 'embedding/page/server.tsx', 'embedding/cors-server.ts', ...extensions]
    expect(files.filter((name) => !shown.includes(`docs/examples/${name}`))).toEqual([])
  })
})

test.each(written)('%s shows no code that is not run', (path) => {
  const text = read(path)
  const fences = [...text.matchAll(/^```(?:tsx?|jsx?|typescript|javascript)$/gm)]
  expect(fences.length).toBeGreaterThan(0)
  expect(fences).toHaveLength(examplesIn(text).length)
})

const pages = [
  ...written,
  'docs/rules.md',
  'docs/chart.md',
  'docs/promises.md',
  'docs/reliability.md',
  ...readdirSync('docs/decisions').map((name) => `docs/decisions/${name}`),
]

test.each(pages)('every link of %s leads somewhere', (path) => {
  const links = [...read(path).matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
  const broken = links.filter((link) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? path : join(dirname(path), file)
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(read(target)).has(anchor))
  })
  expect(broken).toEqual([])
})

/** Headings as GitHub makes anchors of them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}
