/** When a lock is dead, judged by a driven clock. */
import { existsSync, mkdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FileLockOptions, withFileLock } from '../../../src/auth/stores/file-lock.js'
import type { TokenStoreError } from '../../../src/errors.js'
import { failure, turns } from '../../reports/rig.js'
import { ManualClock, until } from '../../wire/web-rig.js'
import { temporaryFolder } from './rig.js'

const options = (clock: ManualClock, more: Partial<FileLockOptions> = {}): FileLockOptions => ({
  ...{ staleMs: 10_000, waitMs: 60_000, clock, random: () => 0.5, onLost: () => {} },
  ...more,
})

/** Drives the clock, one look at the lock after the other; resolves with the time that passed. */
async function drive(clock: ManualClock, isOver: () => boolean, atMostMs: number): Promise<number> {
  while (!isOver() && clock.now() < atMostMs) {
    await until(() => isOver() || clock.timers > 0, 'the next look')
    if (!isOver()) clock.advance(clock.nextInMs)
    await turns(5)
  }
  return clock.now()
}

test('a lock that does not change while it is watched is taken, however young it looks', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'key')
  mkdirSync(`${path}.lock`)
  const clock = new ManualClock()
  let done = false
  const working = withFileLock(path, options(clock), async () => {
    done = true
  })
  const took = await drive(clock, () => done, 60_000)
  await working
  expect(took).toBeGreaterThanOrEqual(10_000)
  expect(took).toBeLessThan(10_500)
  expect(existsSync(`${path}.lock`)).toBe(false)
})

test('a lock that looks old is not taken as long as its holder gives a sign of life', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'key')
  mkdirSync(`${path}.lock`)
  // As after the sleep of the machine: hours old, and about to be touched again.
  utimesSync(`${path}.lock`, 1_000, 1_000)
  const clock = new ManualClock()
  let over = false
  const waiting = failure(withFileLock(path, options(clock), async () => {})).finally(() => {
    over = true
  })
  for (let at = 5_000; at < 60_000; at += 5_000) {
    await drive(clock, () => over, at)
    utimesSync(`${path}.lock`, 1_000 + at, 1_000 + at)
  }
  await drive(clock, () => over, 70_000)
  expect(await waiting).toMatchObject({ reason: 'locked' } satisfies Partial<TokenStoreError>)
  expect(existsSync(`${path}.lock`)).toBe(true)
})

test('a lock that somebody else has taken meanwhile is left to them', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'key')
  await withFileLock(path, options(new ManualClock()), async () => {
    // Another process took it for dead, and made its own.
    utimesSync(`${path}.lock`, 1_000, 1_000)
  })
  expect(statSync(`${path}.lock`).mtimeMs).toBe(1_000_000)
})

test('the holder is told when its lock is lost', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'key')
  const lost: unknown[] = []
  await withFileLock(
    path,
    options(new ManualClock(), { staleMs: 2_000, onLost: (cause) => lost.push(cause) }),
    async () => {
      utimesSync(`${path}.lock`, 1_000, 1_000)
      await until(() => lost.length > 0, 'the news')
    },
  )
  expect(lost).toHaveLength(1)
})
