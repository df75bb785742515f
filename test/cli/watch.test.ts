import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { alive } from '../../src/cli/demo/processes.js'
import { configOf } from './files.js'
import { example, inTerminal, piped } from './rig.js'

const commandLine = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')

// Real programs start here, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 })

test('as a pipe: a line for each change, through a loss and back, until Ctrl-C, which leaves nothing', async () => {
  const run = piped('watch', example)
  await Promise.all([run.until(/everything-stdio +linked\.ready/), run.until(/everything-http +linked\.ready/)])
  const server = run.below().find((pid) => commandLine(pid).includes('stdio'))
  if (server === undefined) throw new Error('the stdio server is not below the command')
  process.kill(server, 'SIGKILL')
  await run.until(/everything-stdio +linked\.ready +13 tools, back after/)
  const left = run.below()
  expect(left.length).toBeGreaterThanOrEqual(2)

  run.process.kill('SIGINT')
  expect(await run.ended).toBe(0)
  expect(alive(left)).toEqual([])
  expect(run.text).toMatch(/everything-stdio +backoff\.waiting +attempt 1 of 20 in .* process\.exited: .*SIGKILL/)
  expect(run.text).toMatch(/Closed 2 connections in \d+ ms\.\n$/)
  expect(run.text).not.toContain('\u001b')
})

test('on a terminal: drawn in place, until Ctrl-C, which gives the terminal back as it was', async () => {
  const run = inTerminal('cols 90 rows 30', `watch ${example}`, 'stty -a')
  await run.until(/2 connections, .{0,10}all ready/)
  const left = run.below()
  run.process.stdin?.write('\u0003')
  expect(await run.ended).toBe(0)

  expect(alive(left)).toEqual([])
  expect(run.text).toContain('code=0')
  const [screen = '', after = ''] = run.text.split('\u001b[?1049l')
  expect(screen).toContain('\u001b[?1049h')
  expect(screen).toContain('\u001b[32m')
  expect(screen).toMatch(/linked\.ready \(health\.settling, catalog\.fresh, credentials\.valid\)/)
  expect(after).toMatch(/ icanon .* echo /s)
  expect(after).not.toMatch(/-icanon|-echo /)
})

test('a second Ctrl-C leaves at once, and takes along a server that would not end', async () => {
  const stubborn = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1_000)'
  const file = configOf({ stubborn: { command: process.execPath, args: ['-e', stubborn] } })
  const run = inTerminal('cols 90 rows 30', `watch ${file}`)
  await run.until(/linked\.initializing/)
  const left = run.below()
  run.process.stdin?.write('\u0003')
  await run.until(/Closing/)
  const again = setInterval(() => run.process.stdin?.write('\u0003'), 100)
  expect(await run.ended).toBe(0)
  clearInterval(again)
  expect(run.text).toContain('code=130')
  expect(run.text).toContain('\u001b[?1049l')
  expect(alive(left)).toEqual([])
})

test('stops when nobody reads its lines any more', async () => {
  const run = piped('watch', configOf({ away: { url: 'http://127.0.0.1:9/mcp' } }))
  await run.until(/away +backoff/)
  run.process.stdout?.destroy()
  expect(await run.ended).toBe(0)
})

test('the program itself says what it is, and ends with the code of its command', async () => {
  const [version, wrong] = [piped('--version'), piped('wach')]
  expect(await version.ended).toBe(0)
  expect(version.text.trim()).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version)
  expect(await wrong.ended).toBe(2)
})
