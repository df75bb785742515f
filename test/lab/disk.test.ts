/** Tokens on a disk that is full. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { fileStore } from '../../src/auth/index.js'
import { call, person } from '../auth/real/rig.js'
import { startRig } from '../auth/rig/index.js'
import { note } from './load.js'
import { SmallDisk } from './rig.js'

it('a refresh while the disk is full costs no login, and what came of it is kept once there is room (P13)', async () => {
  using disk = new SmallDisk()
  // Tokens are made to run out faster than any server does it, which else would count as a loop of refusals.
  const policy = { stableAfterMs: 100 }
  const problems: string[] = []
  const store = () => fileStore({ path: disk.path, onProblem: (problem) => problems.push(problem.kind) })
  await using rig = await startRig()
  {
    await using me = await person(rig.server.url, store(), { policy })
    await me.connection.connect()
    const file = join(disk.path, readdirSync(disk.path)[0] ?? '')
    const before = readFileSync(file, 'utf8')
    disk.fill()
    for (let round = 1; round <= 3; round++) {
      rig.authority.expireAccessTokens()
      expect(await call(me.connection, 'read', `${round}`)).toBe(`read ${round}`)
      await pause(500)
    }
    expect(readFileSync(file, 'utf8')).toBe(before)
    disk.makeRoom()
    rig.authority.expireAccessTokens()
    expect(await call(me.connection, 'read', '4')).toBe('read 4')
    expect([me.failures, problems]).toEqual([[], []])
  }
  // Another process goes on from what is on the disk.
  rig.authority.expireAccessTokens()
  await using next = await person(rig.server.url, store())
  expect(await call(next.connection, 'read', '5')).toBe('read 5')
  const refreshes = rig.authority.grants('refresh_token').map(({ status }) => status)
  expect({ refreshes, reuses: rig.authority.reuses, logins: rig.authority.authorizations }).toEqual({
    refreshes: [200, 200, 200, 200, 200],
    reuses: 0,
    logins: 1,
  })
  note('the disk of the tokens is full', { refreshes: refreshes.length, logins: 1, lost: 0 })
})
