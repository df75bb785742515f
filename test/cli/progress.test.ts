import { expect, test } from 'vitest'
import type { Io } from '../../src/cli/io.js'
import { Progress, stepText } from '../../src/cli/progress.js'
import { FakeClock } from './fake-clock.js'

function progressOn(isTTY: boolean) {
  const clock = new FakeClock()
  const said: string[] = []
  const stderr = { write: (text: string) => said.push(text), isTTY, columns: 60 }
  const progress = new Progress({ clock, stderr, env: { TERM: 'xterm' } } as unknown as Io, () => 'starting a')
  return { clock, said, progress }
}

test.each([
  [{ progress: 0, total: 4 }, '░░░░░░░░░░░░░░░░░░░░░░░░ 0 of 4'],
  [{ progress: 2, total: 4, message: 'half\u001b[2J way' }, '████████████░░░░░░░░░░░░ 2 of 4  half way'],
  [{ progress: 9, total: 4 }, '████████████████████████ 9 of 4'],
  [{ progress: 3 }, '3 done'],
  [{ progress: 3, total: 0, message: 'x' }, '3 done  x'],
])('%j', (step, text) => {
  expect(stepText(step)).toBe(text)
})

test('on a terminal: nothing of what is quick; a line that is drawn over, and taken away at the end', () => {
  const { clock, said, progress } = progressOn(true)
  clock.increment(399)
  expect(said).toEqual([])
  clock.increment(1)
  expect(said.at(-1)).toBe('\r\u001b[K⠋ starting a  400 ms')
  progress.step({ progress: 1, total: 2 })
  clock.increment(120)
  expect(said.at(-1)).toContain('1 of 2')
  progress.end()
  expect(said.at(-1)).toBe('\r\u001b[K')
  const lines = said.length
  clock.increment(60_000)
  expect(said).toHaveLength(lines)
})

test('elsewhere: a line now and then', () => {
  const { clock, said, progress } = progressOn(false)
  clock.increment(10_000)
  clock.increment(10_000)
  expect(said).toEqual(['lifeline: starting a  10 s\n', 'lifeline: starting a  20 s\n'])
  progress.end()
})
