import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const manifest = read('package.json')
const lock = read('package-lock.json')

/** dist/src/index.js and dist/src/index.d.ts are both built from src/index.ts. */
const sourceOf = (built: string) => built.replace(/^\.\/dist\//, '').replace(/(\.d\.ts|\.js)$/, '.ts')

test('it runs on Node 20 and says so', () => {
  expect(manifest.engines.node).toMatch(/^>=20\./)
  expect(manifest.type).toBe('module')
  expect(manifest.license).toBe('MIT')
})

test('xstate is the peer of whoever embeds a connection, and is tested against', () => {
  expect(manifest.peerDependencies).toHaveProperty('xstate')
  expect(manifest.devDependencies).toHaveProperty('xstate')
  expect(manifest.dependencies).not.toHaveProperty('xstate')
})

test.each(Object.entries<Record<string, string> | string>(manifest.exports))(
  'export %s has a source',
  (subpath, target) => {
    if (typeof target === 'string') return expect([subpath, existsSync(target)]).toEqual(['./package.json', true])
    expect(Object.keys(target)).toEqual(['types', 'default'])
    expect(sourceOf(target.types ?? '')).toBe(sourceOf(target.default ?? ''))
    expect(existsSync(sourceOf(target.default ?? ''))).toBe(true)
  },
)

test('each command has a source', () => {
  const commands = Object.values<string>(manifest.bin ?? {})
  expect(commands.filter((command) => !existsSync(sourceOf(`./${command.replace('./', '')}`)))).toEqual([])
})

test('the package carries what was built, what it was built from, and the pages for users', () => {
  expect(manifest.files).toEqual(expect.arrayContaining(['dist', 'src', 'machines']))
  const named = manifest.files.filter((entry: string) => entry !== 'dist')
  expect(named.filter((entry: string) => !existsSync(entry))).toEqual([])
})

test('every check has its part in `npm run check`', () => {
  const parts = Object.keys(manifest.scripts).filter((name) => name.startsWith('check:'))
  expect(parts).not.toHaveLength(0)
  expect(parts.filter((part) => !manifest.scripts.check.includes(`npm run ${part}`))).toEqual([])
})

test('the lockfile fits the manifest and names no place to fetch from', () => {
  for (const kind of ['dependencies', 'devDependencies', 'peerDependencies', 'engines']) {
    expect(lock.packages[''][kind]).toEqual(manifest[kind])
  }
  const packages = Object.entries<object>(lock.packages)
  expect(packages.filter(([, entry]) => 'resolved' in entry).map(([name]) => name)).toEqual([])
})

test('the top of the tree holds the four folders', () => {
  const folders = readdirSync('.', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
  expect(folders.filter((name) => name !== 'node_modules' && name !== 'dist').sort()).toEqual([
    'docs',
    'machines',
    'src',
    'test',
  ])
})
