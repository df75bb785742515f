/** The watcher alone, under a driven clock. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SimulatedClock } from 'xstate'
import { ConfigError } from '../../src/errors.js'
import { ConfigWatcher } from '../../src/hub/config/index.js'
import { folder } from './files.js'

/** Everything that the watcher said, in order; a text that begins with `bad` cannot be used. */
function watched(text = 'one') {
  const file = join(folder(), 'mcp.json')
  const clock = new SimulatedClock()
  const said: string[] = []
  writeFileSync(file, text)
  const watcher = new ConfigWatcher(file, text, clock, {
    take: (next) => {
      said.push(`take ${next}`)
      if (next.startsWith('bad')) throw new ConfigError('cannot be used', { at: { file, line: 1 } })
    },
    trouble: () => said.push('trouble'),
    back: () => said.push('back'),
  })
  onTestFinished(() => watcher.stop())
  /** Lets time pass until it was said. */
  const until = (what: string) =>
    expect
      .poll(
        () => {
          clock.increment(25)
          return said
        },
        { timeout: 10_000, interval: 10 },
      )
      .toContain(what)
  return { file, clock, said, until, watcher }
}

test('what is half written for a moment only is not told', async () => {
  const { file, said, until } = watched()
  writeFileSync(file, 'bad, as it is half')
  await until('take bad, as it is half')
  writeFileSync(file, 'two')
  await until('take two')
  expect(said).not.toContain('trouble')
})

test('what stays broken is told once, and that it is over', async () => {
  const { file, said, until } = watched()
  writeFileSync(file, 'bad for good')
  await until('trouble')
  writeFileSync(file, 'one')
  await until('back')
  expect(said.filter((one) => one === 'trouble')).toHaveLength(1)
  expect(said).not.toContain('take one')
})

test('a file that is gone for a moment, and put in place of another, is not told as gone', async () => {
  const { file, said, until } = watched()
  for (const text of ['two', 'three']) {
    rmSync(file)
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
    await until(`take ${text}`)
  }
  expect(said).toEqual(['take two', 'take three'])
})

test('after its end it does nothing', async () => {
  const { file, clock, said, watcher } = watched()
  await watcher.stop()
  writeFileSync(file, 'two')
  clock.increment(60_000)
  await new Promise((resolve) => setImmediate(resolve))
  expect(said).toEqual([])
})
