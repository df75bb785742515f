/** The keyring: the key of the files is made once, and everything that can be wrong with a keyring is told apart. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keyringOrFileStore, keyringStore, type StoreProblem } from '../../../src/auth/stores/index.js'
import { openKeyring } from '../../../src/auth/stores/keyring.js'
import { TokenStoreError } from '../../../src/errors.js'
import { failure } from '../../reports/rig.js'
import { FakeKeyring, temporaryFolder } from './rig.js'

const listeningTo = (problems: StoreProblem[]) => (problem: StoreProblem) => void problems.push(problem)

test('many stores that begin at once make one key', async () => {
  using folder = temporaryFolder()
  const entry = new FakeKeyring()
  const stores = Array.from({ length: 5 }, () => keyringStore({ path: folder.path, entry }))
  await Promise.all(stores.map((store, i) => store.set(`key ${i}`, `value ${i}`)))
  expect(entry.writes).toBe(1)
  const [first] = stores
  expect(await Promise.all(stores.map((_store, i) => first?.get(`key ${i}`)))).toEqual(
    stores.map((_, i) => `value ${i}`),
  )
})

test('a keyring that has lost the key makes values count as empty, and they are kept', async () => {
  using folder = temporaryFolder()
  const entry = new FakeKeyring()
  const problems: StoreProblem[] = []
  const store = keyringStore({ path: folder.path, entry, onProblem: listeningTo(problems) })
  await store.set('key', 'value')
  entry.secret = undefined
  const next = keyringStore({ path: folder.path, entry, onProblem: listeningTo(problems) })
  expect(await next.get('key')).toBeUndefined()
  expect(problems.map(({ kind }) => kind)).toEqual(['corrupt'])
  expect(readdirSync(folder.path).some((name) => name.includes('.corrupt-'))).toBe(true)
  // The store that knew the old key sees what is sealed with the new one.
  await next.set('key', 'new')
  expect(await store.get('key')).toBe('new')
})

test('a sealed file put in the place of another is not opened', async () => {
  using folder = temporaryFolder()
  const store = keyringStore({ path: folder.path, entry: new FakeKeyring(), onProblem: () => {} })
  await store.set('mine', 'my tokens')
  const [mine = ''] = readdirSync(folder.path)
  await store.set('yours', 'your tokens')
  const yours = readdirSync(folder.path).find((name) => name !== mine) ?? ''
  writeFileSync(join(folder.path, mine), readFileSync(join(folder.path, yours)))
  expect(await store.get('mine')).toBeUndefined()
  expect(await store.get('yours')).toBe('your tokens')
})

test('an entry that is no key is not overwritten', async () => {
  using folder = temporaryFolder()
  const entry = new FakeKeyring()
  entry.secret = 'a password of somebody else'
  const error = await failure(keyringStore({ path: folder.path, entry }).set('key', 'value'))
  expect(error).toMatchObject({ reason: 'unavailable', message: expect.stringContaining('service') })
  expect(entry.secret).toBe('a password of somebody else')
})

test('a locked keyring is an error, and none any more once it is unlocked', async () => {
  using folder = temporaryFolder()
  const entry = new FakeKeyring()
  const store = keyringStore({ path: folder.path, entry })
  entry.isLocked = true
  expect(await failure(store.set('key', 'value'))).toMatchObject({ code: 'TOKEN_STORE', reason: 'denied' })
  entry.isLocked = false
  await store.set('key', 'value')
  expect(await store.get('key')).toBe('value')
})

test('a missing package is named', async () => {
  const missing = () =>
    Promise.reject(Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' }))
  const error = await failure(openKeyring('mcp-lifeline', missing))
  expect(error).toMatchObject({ reason: 'unavailable' })
  expect(String(error)).toContain('npm install @napi-rs/keyring')
})

test('without a keyring tokens go into files, which is told once', async () => {
  using folder = temporaryFolder()
  const entry = Object.assign(new FakeKeyring(), { isLocked: true })
  const problems: StoreProblem[] = []
  const store = keyringOrFileStore({ path: folder.path, entry, onProblem: listeningTo(problems) })
  await Promise.all([store.set('a', 'x'), store.set('b', 'y'), store.get('c')])
  expect(problems.map(({ kind }) => kind)).toEqual(['fallback'])
  expect(readdirSync(folder.path).filter((name) => name.endsWith('.json'))).toHaveLength(2)
})

/** Where this runs there may be a keyring or none; either way the real package says which, in our words. */
test('the keyring of this system works, or is told to be missing', async () => {
  using folder = temporaryFolder()
  const store = keyringStore({ path: folder.path, service: `mcp-lifeline-test-${process.pid}` })
  const outcome = await store.set('key', 'value').then(
    () => store.get('key'),
    (error: unknown) => error,
  )
  if (outcome instanceof TokenStoreError) {
    expect(['denied', 'unavailable']).toContain(outcome.reason)
    expect(outcome.cause).toBeInstanceOf(Error)
  } else {
    expect(outcome).toBe('value')
    const { AsyncEntry } = await import('@napi-rs/keyring')
    await new AsyncEntry(`mcp-lifeline-test-${process.pid}`, 'token-key').deleteCredential()
  }
})
