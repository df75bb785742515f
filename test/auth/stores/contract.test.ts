/** What every token store promises, tried on all of them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TokenStore } from '../../../src/auth/store.js'
import { fileStore, keyringOrFileStore, keyringStore, memoryStore } from '../../../src/auth/stores/index.js'
import { until } from '../../wire/web-rig.js'
import { FakeKeyring, temporaryFolder } from './rig.js'

const locked = Object.assign(new FakeKeyring(), { isLocked: true })

/** Each gives a store in this folder. Two stores of one folder are as two processes, memory excepted. */
const drivers: Record<string, (path: string, entry: FakeKeyring) => Required<TokenStore>> = {
  memory: () => memoryStore(),
  file: (path) => fileStore({ path }),
  keyring: (path, entry) => keyringStore({ path, entry }),
  'keyring or file, with a keyring': (path, entry) => keyringOrFileStore({ path, entry }),
  'keyring or file, without': (path) => keyringOrFileStore({ path, entry: locked, onProblem: () => {} }),
}

const keys = [
  'https://issuer.example https://server.example/mcp',
  '',
  '../../etc/passwd',
  'ü'.repeat(5_000),
  '__proto__',
]

describe.each(Object.entries(drivers))('%s', (name, make) => {
  let folder: ReturnType<typeof temporaryFolder>
  let store: Required<TokenStore>
  /** The same store, as another process sees it. */
  let other: Required<TokenStore>
  beforeEach(() => {
    folder = temporaryFolder()
    const entry = new FakeKeyring()
    store = make(folder.path, entry)
    other = name === 'memory' ? store : make(folder.path, entry)
  })
  afterEach(() => folder[Symbol.dispose]())

  test.each(keys)('keeps, replaces and forgets a value, key %#', async (key) => {
    expect(await store.get(key)).toBeUndefined()
    await store.set(key, 'one')
    await store.set(key, '{"two": "zwei\\u0000\n\u2028🔑"}')
    expect(await store.get(key)).toBe('{"two": "zwei\\u0000\n\u2028🔑"}')
    expect(await other.get(key)).toBe('{"two": "zwei\\u0000\n\u2028🔑"}')
    await other.delete(key)
    expect(await store.get(key)).toBeUndefined()
    await store.delete(key)
  })

  test('keeps keys apart, also when they are written at once', async () => {
    await Promise.all(keys.map((key, i) => (i % 2 ? store : other).set(key, `value ${i}`)))
    expect(await Promise.all(keys.map((key) => store.get(key)))).toEqual(keys.map((_key, i) => `value ${i}`))
  })

  test('keeps values of any length', async () => {
    for (const length of [0, 1, 2_561, 1_000_000]) {
      await store.set('key', 'x'.repeat(length))
      expect((await other.get('key'))?.length).toBe(length)
    }
  })

  test('lets one piece of work run at a time for a key, and any number for several', async () => {
    let inside = 0
    let most = 0
    const work = async () => {
      inside += 1
      most = Math.max(most, inside)
      const count = Number((await store.get('key')) ?? 0)
      await store.set('key', String(count + 1))
      inside -= 1
    }
    await Promise.all(Array.from({ length: 8 }, (_, i) => (i % 2 ? store : other).lock('key', work)))
    expect([most, await store.get('key')]).toEqual([1, '8'])
    const free = await store.lock('a', () => other.lock('b', async () => 'both'))
    expect(free).toBe('both')
  })

  test('gives back what the work gives, and is free again when it throws', async () => {
    expect(await store.lock('key', async () => 42)).toBe(42)
    const failing = store.lock('key', async () => {
      throw new RangeError('no')
    })
    await expect(failing).rejects.toThrow(RangeError)
    expect(await other.lock('key', async () => 'free')).toBe('free')
  })

  test('tells of changes, of none that is none, and of nothing after the end', async () => {
    await store.set('key', 'before')
    let told = 0
    let toldOther = 0
    const end = store.watch('key', () => {
      told += 1
    })
    const endOther = store.watch('other key', () => {
      toldOther += 1
    })
    await other.set('key', 'after')
    await until(() => told === 1, 'the change')
    await other.set('key', 'after')
    await other.delete('key')
    await until(() => told === 2, 'the removal')
    await other.set('other key', 'x')
    await until(() => toldOther === 1, 'the other change')
    end()
    end()
    await other.set('key', 'again')
    await other.set('other key', 'y')
    await until(() => toldOther === 2, 'the last change')
    endOther()
    expect(told).toBe(2)
  })

  test('keeps values from everybody else', async () => {
    await store.set('key', 'a secret')
    const files = readdirSync(folder.path).map((file) => readFileSync(join(folder.path, file), 'utf8'))
    const found = files.filter((content) => content.includes('a secret'))
    expect(found).toHaveLength(/^file|without$/.test(name) ? 1 : 0)
  })
})
