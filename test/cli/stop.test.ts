import { expect, test } from 'vitest'
import { listenForStop } from '../../src/cli/stop.js'
import { FakeClock } from './fake-clock.js'

test('the first wish asks, the same wish heard twice is one, the second one leaves', async () => {
  const clock = new FakeClock()
  const left: number[] = []
  const stop = listenForStop(clock, (code) => left.push(code))
  expect(stop.signal.aborted).toBe(false)
  stop.ask()
  await stop.asked
  clock.increment(100)
  stop.ask()
  expect(left).toEqual([])
  clock.increment(1_000)
  stop.ask()
  expect(left).toEqual([130])
  stop.dispose()
})

test('signals are listened to only meanwhile', () => {
  const before = process.listenerCount('SIGTERM')
  const stop = listenForStop(new FakeClock(), () => {})
  expect(process.listenerCount('SIGTERM')).toBe(before + 1)
  stop.dispose()
  expect(process.listenerCount('SIGTERM')).toBe(before)
})
