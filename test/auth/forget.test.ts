import { expect, test } from 'vitest'
import { forgetLogin, memoryStore } from '../../src/auth/index.js'

const key = 'https://a.test/mcp'
const client = { client_id: 'c', issuer: 'https://as.test' }
const tokens = { access_token: 'access-canary', token_type: 'Bearer' }
const login = { state: 's', verifier: 'v', url: 'https://as.test/authorize', redirectUrl: 'http://127.0.0.1/' }

test('tokens and a login under way are gone, the client stays, and whoever watches is told', async () => {
  const store = memoryStore()
  await store.set(key, JSON.stringify({ v: 1, tokens, client, login }))
  let told = 0
  store.watch(key, () => {
    told += 1
  })
  expect(await forgetLogin(store, `${key}?tenant=1#here`)).toBe(true)
  expect([JSON.parse((await store.get(key)) ?? ''), told]).toEqual([{ v: 1, client }, 1])
  expect([await forgetLogin(store, key), told]).toEqual([false, 1])
})

test('a server that nobody ever logged in to leaves no trace', async () => {
  const store = memoryStore()
  expect(await forgetLogin(store, key)).toBe(false)
  expect(await store.get(key)).toBeUndefined()
})

test('it waits for a refresh that is under way, whose tokens would come after it', async () => {
  const store = memoryStore()
  let refreshed = () => {}
  const refresh = store.lock(key, async () => {
    await new Promise<void>((resolve) => {
      refreshed = resolve
    })
    await store.set(key, JSON.stringify({ v: 1, tokens }))
  })
  const forgotten = forgetLogin(store, key)
  await Promise.resolve()
  refreshed()
  await refresh
  expect([await forgotten, JSON.parse((await store.get(key)) ?? '')]).toEqual([true, { v: 1 }])
})
