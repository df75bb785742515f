/** One login for several processes: one refresh for all of them, one browser, and nobody throws the winner's tokens away. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileStore } from '../../src/auth/index.js'
import { CallingProcess, call, person } from '../auth/real/rig.js'
import { type Rig, startRig } from '../auth/rig/index.js'
import { temporaryFolder } from '../auth/stores/rig.js'
import { until } from '../wire/web-rig.js'

const PROCESSES = 5
const ROUNDS = 10

/** Logs in, so that tokens are in the folder. */
async function logIn(rig: Rig, path: string): Promise<void> {
  await using me = await person(rig.server.url, fileStore({ path }))
  await me.connection.connect()
  expect(me.failures).toEqual([])
}

function start(rig: Rig, path: string, count: number): CallingProcess[] {
  return Array.from({ length: count }, () => new CallingProcess(rig.server.url, path))
}

test('five processes with an expired token: one refresh a round, and none fails (P12)', {
  timeout: 120_000,
}, async () => {
  await using rig = await startRig()
  using folder = temporaryFolder()
  await logIn(rig, folder.path)
  const processes = start(rig, folder.path, PROCESSES)
  try {
    expect(await Promise.all(processes.map((one) => one.said()))).toEqual(Array(PROCESSES).fill('ready'))
    for (let round = 1; round <= ROUNDS; round++) {
      rig.authority.expireAccessTokens()
      const said = await Promise.all(processes.map((one, i) => one.call(`${round}.${i}`)))
      expect(said).toEqual(processes.map((_one, i) => `read ${round}.${i}`))
      expect(rig.authority.grants('refresh_token').map(({ status }) => status)).toEqual(Array(round).fill(200))
    }
    expect(rig.authority.reuses).toBe(0)
    expect(rig.authority.authorizations).toBe(1)
    const files = readdirSync(folder.path)
    expect(files).toHaveLength(1)
    const file = join(folder.path, files[0] ?? '')
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
    expect(() => JSON.parse(readFileSync(file, 'utf8'))).not.toThrow()
  } finally {
    await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()))
  }
})

test('a process killed before it could refresh costs the others time, and nothing else', {
  timeout: 120_000,
}, async () => {
  await using rig = await startRig()
  using folder = temporaryFolder()
  await logIn(rig, folder.path)
  const [victim, ...others] = start(rig, folder.path, 4)
  if (!victim) throw new Error('no process')
  try {
    await Promise.all([victim, ...others].map((one) => one.said()))
    rig.authority.expireAccessTokens()
    // It holds the lock and has asked; the request never gets further than the door.
    let held = false
    rig.authority.interfere = (request) => {
      if (request.url !== '/token') return false
      held = true
      return true
    }
    void victim.call('never')
    await until(() => held, 'the refresh')
    rig.authority.interfere = undefined
    const calling = others.map((one) => one.call('this'))
    await victim.kill()
    expect(await Promise.all(calling)).toEqual(others.map(() => 'read this'))
    expect(rig.authority.grants('refresh_token').map(({ status }) => status)).toEqual([200])
    expect(rig.authority.reuses).toBe(0)
  } finally {
    await Promise.all([victim, ...others].map((one) => one[Symbol.asyncDispose]()))
  }
})

test('a process killed with the new tokens in hand costs the login, once, and no loop', {
  timeout: 120_000,
}, async () => {
  await using rig = await startRig()
  using folder = temporaryFolder()
  await logIn(rig, folder.path)
  const [victim, ...others] = start(rig, folder.path, 3)
  if (!victim) throw new Error('no process')
  try {
    await Promise.all([victim, ...others].map((one) => one.said()))
    rig.authority.expireAccessTokens()
    // The server has given new tokens and forgotten the old ones; its answer does not arrive.
    rig.authority.interfere = (request, response) => {
      if (request.url === '/token') response.end = () => response
      return false
    }
    void victim.call('never')
    await until(() => rig.authority.grants('refresh_token').length === 1, 'the refresh')
    await victim.kill()
    rig.authority.interfere = undefined
    expect(await Promise.all(others.map((one) => one.call('this')))).toEqual(others.map(() => 'a login is needed'))
    // The old refresh token was shown once more, by one of them, and never again.
    expect(rig.authority.reuses).toBe(1)
    expect(rig.authority.grants('refresh_token')).toHaveLength(2)
    await using me = await person(rig.server.url, fileStore({ path: folder.path, locks: { staleMs: 2_000 } }))
    void me.connection.connect().catch(() => {})
    await until(() => me.logins.length > 0, 'the login')
    expect(rig.authority.grants('refresh_token')).toHaveLength(2)
  } finally {
    await Promise.all([victim, ...others].map((one) => one[Symbol.asyncDispose]()))
  }
})

test('three that need a login at once ask one person, and all go on', { timeout: 120_000 }, async () => {
  await using rig = await startRig()
  using folder = temporaryFolder()
  const people = await Promise.all([1, 2, 3].map(() => person(rig.server.url, fileStore({ path: folder.path }))))
  try {
    await Promise.all(people.map(({ connection }) => connection.connect()))
    const read = await Promise.all(people.map(({ connection }, i) => call(connection, 'read', `${i}`)))
    expect(read).toEqual(['read 0', 'read 1', 'read 2'])
    expect([rig.authority.authorizations, rig.authority.registrations, rig.authority.reuses]).toEqual([1, 1, 0])
    expect(people.flatMap(({ failures }) => failures)).toEqual([])
  } finally {
    await Promise.all(people.map((one) => one[Symbol.asyncDispose]()))
  }
})
