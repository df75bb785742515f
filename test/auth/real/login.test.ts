/** Logins, refreshes and losses against oidc-provider and a server of the official SDK: nothing between is ours. */
import { expect, test, vi } from 'vitest'
import { fileStore, memoryStore } from '../../../src/auth/index.js'
import { until } from '../../wire/web-rig.js'
import { startRig } from '../rig/index.js'
import { temporaryFolder } from '../stores/rig.js'
import { call, person } from './rig.js'

// Real sockets and real time, on machines that may be busy with something else.
vi.setConfig({ testTimeout: 60_000 })

test('a person logs in through the loopback callback, once; a restart needs no login', async () => {
  await using rig = await startRig()
  using folder = temporaryFolder()
  {
    await using first = await person(rig.server.url, fileStore({ path: folder.path }))
    await first.connection.connect()
    expect(await call(first.connection, 'read', 'this')).toBe('read this')
    expect([first.logins, first.failures]).toEqual([[true], []])
  }
  await using second = await person(rig.server.url, fileStore({ path: folder.path }))
  expect(await call(second.connection, 'read', 'that')).toBe('read that')
  expect(second.logins).toEqual([])
  const { authority } = rig
  expect([authority.registrations, authority.authorizations, authority.grants().length]).toEqual([1, 1, 1])
})

test('expired tokens cost one refresh however many calls meet them, round after round (P12)', async () => {
  await using rig = await startRig()
  await using me = await person(rig.server.url, memoryStore(), { policy: { stableAfterMs: 1 } })
  await me.connection.connect()
  for (let round = 1; round <= 5; round++) {
    // Each credential was accepted for a while: this is no row of refused ones.
    await until(() => me.connection.actor.getSnapshot().context.authorizations === 0, 'a stable connection')
    rig.authority.expireAccessTokens()
    const calls = Array.from({ length: 20 }, (_, i) => call(me.connection, 'read', `${round}.${i}`))
    expect(new Set(await Promise.all(calls)).size).toBe(20)
    expect(rig.authority.grants('refresh_token').map(({ status }) => status)).toEqual(Array(round).fill(200))
  }
  expect([rig.authority.reuses, me.logins, rig.server.runs.read]).toEqual([0, [true], 100])
})

test('a client that the authorization server has forgotten is registered again, and the person asked once', async () => {
  await using rig = await startRig()
  await using me = await person(rig.server.url, memoryStore())
  await me.connection.connect()
  rig.authority.forgetClients()
  expect(await call(me.connection, 'read', 'this')).toBe('read this')
  expect([rig.authority.registrations, me.logins, me.failures]).toEqual([2, [true, true], []])
})

test('another port needs no other client, another path does', async () => {
  await using rig = await startRig()
  const store = memoryStore()
  for (const [path, registrations] of [
    ['/callback', 1],
    ['/callback', 1],
    ['/elsewhere', 2],
  ] as const) {
    await using me = await person(rig.server.url, store, { path })
    await me.connection.connect()
    expect([rig.authority.registrations, me.logins, me.failures]).toEqual([registrations, [true], []])
    rig.authority.revokeRefreshTokens()
    rig.authority.expireAccessTokens()
  }
})

test('a login that was revoked is asked for once, and nothing is tried again by itself', async () => {
  await using rig = await startRig()
  const store = memoryStore()
  {
    await using me = await person(rig.server.url, store)
    await me.connection.connect()
  }
  rig.authority.revokeRefreshTokens()
  rig.authority.expireAccessTokens()
  await using idle = await person(rig.server.url, store, { idle: true })
  const connecting = idle.connection.connect().catch(() => {})
  await until(() => idle.logins.length > 0, 'the login')
  expect(idle.connection.status).toBe('reauthorizing')
  expect(rig.authority.grants('refresh_token').map(({ error }) => error)).toEqual(['invalid_grant'])
  await idle.connection.close()
  await connecting
  expect([idle.logins, rig.authority.grants('refresh_token').length]).toEqual([[true], 1])
})

test('an authorization server that is away costs time and no login (P13)', async () => {
  await using rig = await startRig()
  await using me = await person(rig.server.url, memoryStore(), { policy: { backoff: 'responsive' } })
  await me.connection.connect()
  let refused = 0
  rig.authority.interfere = (request, response) => {
    refused += 1
    request.resume()
    response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Back soon</h1>')
    if (refused === 3) rig.authority.interfere = undefined
    return true
  }
  rig.authority.expireAccessTokens()
  expect(await call(me.connection, 'read', 'this')).toBe('read this')
  expect([refused, me.logins, rig.authority.reuses]).toEqual([3, [true], 0])
})

test('a tool that needs more asks for more; what needs less goes on meanwhile (P14)', async () => {
  await using rig = await startRig()
  await using me = await person(rig.server.url, memoryStore())
  await me.connection.connect()
  const writing = call(me.connection, 'write', 'a line')
  const reading = await Promise.all([1, 2, 3].map((i) => call(me.connection, 'read', `${i}`)))
  expect(reading).toEqual(['read 1', 'read 2', 'read 3'])
  expect(await writing).toBe('write a line')
  expect([rig.server.runs, rig.server.counts.forbidden]).toEqual([{ read: 3, write: 1 }, 1])
  const [, more] = rig.authority.seen.filter(({ path }) => path === '/auth')
  expect(more?.scope?.split(' ').sort()).toEqual(expect.arrayContaining(['mcp:read', 'mcp:write']))
  expect(me.failures).toEqual([])
})
