/** What the file store does beside its contract: rights, broken files, full disks. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SimulatedClock } from 'xstate'
import { defaultFolder } from '../../../src/auth/stores/folder.js'
import { FolderWatch } from '../../../src/auth/stores/folder-watch.js'
import { fileStore, type StoreProblem } from '../../../src/auth/stores/index.js'
import { TokenStoreError } from '../../../src/errors.js'
import { failure } from '../../reports/rig.js'
import { until } from '../../wire/web-rig.js'
import { StoreProcess, temporaryFolder } from './rig.js'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** The one file of values in a folder. */
function onlyFile(path: string): string {
  const [file = '', ...more] = readdirSync(path).filter((name) => name.endsWith('.json'))
  expect(more).toEqual([])
  return join(path, file)
}

test('folder and files are for this user alone, whatever the umask', async () => {
  using folder = temporaryFolder()
  const before = process.umask(0)
  try {
    const store = fileStore({ path: join(folder.path, 'a/b') })
    await store.set('key', 'value')
    expect(modeOf(join(folder.path, 'a/b'))).toBe('700')
    expect(modeOf(onlyFile(join(folder.path, 'a/b')))).toBe('600')
  } finally {
    process.umask(before)
  }
})

test('a file that others could read is closed by the next write', async () => {
  using folder = temporaryFolder()
  const store = fileStore({ path: folder.path })
  await store.set('key', 'value')
  chmodSync(onlyFile(folder.path), 0o644)
  await store.set('key', 'next')
  expect(modeOf(onlyFile(folder.path))).toBe('600')
})

test('a folder in which everybody may write is refused, with what to do', async () => {
  using folder = temporaryFolder()
  chmodSync(folder.path, 0o1777)
  const error = await failure(fileStore({ path: folder.path }).set('key', 'value'))
  expect(error).toBeInstanceOf(TokenStoreError)
  expect(error).toMatchObject({ code: 'TOKEN_STORE', reason: 'denied' })
  expect(String(error)).toContain(`chmod 700`)
})

test('a file where the folder should be is named', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'tokens.json')
  writeFileSync(path, '{}')
  const store = fileStore({ path })
  for (const task of [() => store.set('key', 'value'), () => store.lock('key', async () => {})])
    expect(await failure(task())).toMatchObject({ reason: 'unavailable', message: expect.stringContaining(path) })
})

test.each([
  ['empty', ''],
  ['half written', '{"key":"key","val'],
  ['of something else', '[1, 2, 3]'],
  ['of another key', '{"key":"other","value":"x"}'],
  ['binary', '\u0000\uFFFD\u0000'],
])('a file that is %s counts as empty, is told of once, and is kept', async (_what, content) => {
  using folder = temporaryFolder()
  const problems: StoreProblem[] = []
  const store = fileStore({ path: folder.path, onProblem: (problem) => problems.push(problem) })
  await store.set('key', 'value')
  writeFileSync(onlyFile(folder.path), content)
  expect(await store.get('key')).toBeUndefined()
  expect(await store.get('key')).toBeUndefined()
  await store.set('key', 'new')
  expect(await store.get('key')).toBe('new')
  expect(problems.map(({ kind }) => kind)).toEqual(['corrupt'])
  const [aside = '', ...more] = readdirSync(folder.path).filter((name) => name.includes('.corrupt-'))
  expect(more).toEqual([])
  expect(readFileSync(join(folder.path, aside), 'utf8')).toBe(content)
  expect(modeOf(join(folder.path, aside))).toBe('600')
  expect(problems[0]?.message).toContain(aside)
})

test('a broken file is kept also when nobody reads it before the next write', async () => {
  using folder = temporaryFolder()
  const store = fileStore({ path: folder.path, onProblem: () => {} })
  await store.set('key', 'value')
  writeFileSync(onlyFile(folder.path), 'broken')
  await store.set('key', 'new')
  expect(readdirSync(folder.path).filter((name) => name.includes('.corrupt-'))).toHaveLength(1)
})

test('problems are a warning of the process when nobody listens', async () => {
  using folder = temporaryFolder()
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  const store = fileStore({ path: folder.path })
  await store.set('key', 'value')
  writeFileSync(onlyFile(folder.path), 'broken')
  await store.get('key')
  expect(await warned).toMatchObject({ name: 'TokenStoreWarning', code: 'LIFELINE_STORE_CORRUPT' })
})

test('a disk that is full in the middle of a write leaves the old value, and no rest', async () => {
  using folder = temporaryFolder()
  const key = 'https://issuer.example https://server.example/mcp'
  const store = fileStore({ path: folder.path })
  await store.set(key, 'the old value')
  // No file of this process may grow over two blocks: the write stops in the middle, as on a full disk.
  await using child = new StoreProcess('once', { path: folder.path, bytes: 100_000 }, 'ulimit -f 2')
  expect(await child.ended()).toEqual(['full', 'the old value'])
  expect(readdirSync(folder.path)).toHaveLength(1)
})

test('what a killed process left in the middle of a write is swept away, but not what may still be written', async () => {
  using folder = temporaryFolder()
  const store = fileStore({ path: folder.path })
  await store.set('key', 'value')
  const file = onlyFile(folder.path)
  writeFileSync(`${file}.1-old.tmp`, 'a secret')
  utimesSync(`${file}.1-old.tmp`, 1_000, 1_000)
  writeFileSync(`${file}.1-new.tmp`, 'a secret')
  await store.set('key', 'next')
  expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([expect.stringMatching(/1-new/)])
})

test('the default folder is where each system keeps the state of programs', () => {
  expect(defaultFolder('linux', { XDG_STATE_HOME: '/state' })).toBe('/state/mcp-lifeline/tokens')
  for (const XDG_STATE_HOME of [undefined, '', 'relative'])
    expect(defaultFolder('linux', { XDG_STATE_HOME })).toBe(join(homedir(), '.local/state/mcp-lifeline/tokens'))
  expect(defaultFolder('darwin', {})).toBe(join(homedir(), 'Library/Application Support/mcp-lifeline/tokens'))
  expect(defaultFolder('win32', { LOCALAPPDATA: '/local' })).toBe('/local/mcp-lifeline/tokens')
})

test('where the system tells of no changes, files are looked at by the clock', async () => {
  using folder = temporaryFolder()
  const clock = new SimulatedClock()
  const path = join(folder.path, 'missing')
  writeFileSync(path, 'no folder')
  const problems: StoreProblem[] = []
  const watch = new FolderWatch(path, clock, (problem) => problems.push(problem))
  let told = 0
  const end = watch.add('file', () => {
    told += 1
  })
  expect(problems.map(({ kind }) => kind)).toEqual(['unwatched'])
  rmSync(path)
  mkdirSync(path)
  writeFileSync(join(path, 'file'), 'content')
  clock.increment(2_000)
  await until(() => told === 1, 'the change')
  end()
  clock.increment(60_000)
  expect(told).toBe(1)
})

test('a file that is written anew with what it held is no change', async () => {
  using folder = temporaryFolder()
  const store = fileStore({ path: folder.path })
  await store.set('key', 'value')
  const file = onlyFile(folder.path)
  let [told, toldNext] = [0, 0]
  const ends = [
    store.watch('key', () => {
      told += 1
    }),
    store.watch('next', () => {
      toldNext += 1
    }),
  ]
  writeFileSync(file, readFileSync(file))
  utimesSync(file, 1_000, 1_000)
  // Told in the order in which it happens: when this one has come, the other would have.
  await store.set('next', 'value')
  await until(() => toldNext === 1, 'the change of the other')
  await store.set('key', 'other')
  await until(() => told > 0, 'the change')
  expect(told).toBe(1)
  for (const end of ends) end()
})

test('a watch holds no process open', async () => {
  using folder = temporaryFolder()
  await using child = new StoreProcess('watch', { path: folder.path })
  expect(await child.ended()).toEqual(['watching'])
})
