/** Several real processes on one folder, and what is left when one of them is killed. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileStore } from '../../src/auth/stores/index.js'
import { StoreProcess, temporaryFolder } from '../auth/stores/rig.js'

const key = 'https://issuer.example https://server.example/mcp'

test('five processes rotate one value and never meet', { timeout: 120_000 }, async () => {
  using folder = temporaryFolder()
  const store = fileStore({ path: folder.path })
  const children = Array.from({ length: 5 }, () => new StoreProcess('rotate', { path: folder.path, rounds: 20 }))
  const said = await Promise.all(children.map((child) => child.ended()))
  expect(said).toEqual(children.map(() => ['done']))
  expect(await store.get(key)).toBe('100')
  expect(readdirSync(folder.path)).toHaveLength(1)
})

test('a holder that is killed blocks nobody for ever, and those who wait do not meet', {
  timeout: 120_000,
}, async () => {
  using folder = temporaryFolder()
  const path = folder.path
  await using holder = new StoreProcess('hold', { path, staleMs: 2_000 })
  await holder.said('held')
  await holder.kill()
  expect(readdirSync(path)).toEqual([expect.stringMatching(/\.lock$/)])
  const children = Array.from({ length: 4 }, () => new StoreProcess('rotate', { path, rounds: 5, staleMs: 2_000 }))
  expect(await Promise.all(children.map((child) => child.ended()))).toEqual(children.map(() => ['done']))
  expect(await fileStore({ path }).get(key)).toBe('20')
})

test('a holder that ends by a signal it may answer takes its lock with it', { timeout: 120_000 }, async () => {
  using folder = temporaryFolder()
  await using holder = new StoreProcess('hold', { path: folder.path })
  await holder.said('held')
  holder.signal('SIGTERM')
  await holder.ended()
  expect(readdirSync(folder.path)).toEqual([])
})

test('a writer killed in the middle of a write leaves the value before or the value after', {
  timeout: 120_000,
}, async () => {
  using folder = temporaryFolder()
  const bytes = 3_000_000
  const store = fileStore({
    path: folder.path,
    onProblem: ({ message }) => {
      throw new Error(message)
    },
  })
  let inTheMiddle = 0
  for (let round = 0; round < 8; round++) {
    await using writer = new StoreProcess('write', { path: folder.path, bytes })
    await writer.said('written')
    // The temporary file is there only while a write goes on.
    const before = new Set(readdirSync(folder.path))
    const isWriting = () => readdirSync(folder.path).some((name) => name.endsWith('.tmp') && !before.has(name))
    for (let look = 0; look < 100_000 && !isWriting(); look++);
    await writer.kill()
    if (readdirSync(folder.path).some((name) => name.endsWith('.tmp') && !before.has(name))) inTheMiddle += 1
    const value = await store.get(key)
    expect(value).toMatch(/^(\d)\1*$/)
    expect(value).toHaveLength(bytes)
  }
  expect(inTheMiddle).toBeGreaterThan(0)
  expect(existsSync(join(folder.path, 'guard'))).toBe(false)
})
