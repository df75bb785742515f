// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of configurations, whose variables they are
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { alive } from '../../src/cli/demo/processes.js'
import { configOf, folder } from '../cli/files.js'
import { everything, example, inTerminal, piped } from './rig.js'

const commandLine = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')

// Real programs start here, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 })

test('as a pipe: a line for each change, through a loss and back, until Ctrl-C, which leaves nothing', async () => {
  const run = piped('watch', '--config', example)
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
  const run = inTerminal('cols 90 rows 30', `watch --config ${example}`, 'stty -a')
  await run.until(/2 connections, .{0,10}all ready/)
  // A server may tell at once that its lists have changed.
  await run.until(/linked\.ready \(health\.settling, catalog\.fresh, credentials\.valid\)/)
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
  const run = inTerminal('cols 90 rows 30', `watch --config ${file}`)
  await run.until(/linked\.initializing/)
  const left = run.below()
  run.process.stdin?.write('\u0003')
  await run.until(/Closing/)
  const again = setInterval(() => run.process.stdin?.write('\u0003'), 100)
  expect(await run.ended).toBe(0)
  clearInterval(again)
  expect(run.text).toContain('code=130')
  expect(run.text).toContain('\u001b[?1049l')
  // The watchdog gives a server half a second to end by itself; then it ends too.
  await expect.poll(() => alive(left), { timeout: 5_000 }).toEqual([])
})

test('as JSON lines, with a configuration that changes meanwhile', async () => {
  const stdio = { command: process.execPath, args: [everything, 'stdio'] }
  const file = configOf({ a: stdio, gone: { url: 'http://127.0.0.1:9/mcp' } })
  const run = piped('watch', '--json', '-c', file)
  const events = () =>
    run.output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const seen = (event: object) =>
    expect.poll(events, { timeout: 20_000 }).toContainEqual(expect.objectContaining(event))
  await seen({ event: 'status', name: 'a', status: 'ready', tools: 13 })
  await seen({
    event: 'status',
    name: 'gone',
    status: 'backoff',
    fault: expect.objectContaining({ code: 'network.ECONNREFUSED' }),
  })
  writeFileSync(file, '{ "mcpServers": {')
  await seen({ event: 'note', text: expect.stringMatching(/servers\.json:1:18: this is not JSON.*still holds/) })
  writeFileSync(file, JSON.stringify({ mcpServers: { a: stdio, b: {}, c: { ...stdio, disabled: true } } }))
  await seen({ event: 'note', text: expect.stringMatching(/changed: added b, c; removed gone\.$/) })
  await seen({ event: 'status', name: 'b', status: 'failed', fault: expect.objectContaining({ code: 'config' }) })
  run.process.kill('SIGINT')
  expect(await run.ended).toBe(0)
  expect(events().filter(({ name, status }) => name === 'a' && status === 'ready')).toHaveLength(1)
})

test('keys: another server is chosen, its reasons shown, it is restarted, all are tried again', async () => {
  const say = 'console.error("no licence for this machine"); process.exit(3)'
  const file = configOf({
    good: { command: process.execPath, args: [everything, 'stdio'] },
    bad: { command: process.execPath, args: ['-e', say] },
  })
  const run = inTerminal('cols 100 rows 40', `watch -c ${file}`)
  const press = (key: string) => run.process.stdin?.write(key)
  await run.until(/●▸.{0,20}good.{0,20}ready/)
  await run.until(/bad.{0,20}failed/)
  press('\u001b[B')
  await run.until(/✖▸.{0,20}bad.{0,20}failed/)
  press('w')
  await run.until(/\| no licence for this machine/)
  press('w')
  press('k')
  const from = run.text.length
  press('R')
  await run.until(/good .{0,20}linked\.connecting/, from)
  await run.until(/good .{0,20}linked\.ready/, from)
  const before = run.text.length
  press('r')
  await run.until(/bad .{0,20}linked\.connecting/, before)
  press('q')
  expect(await run.ended).toBe(0)
  expect(run.text).toContain('code=0')
})

test('asks for the inputs of a configuration first, a password without showing it', async () => {
  const file = configOf({})
  const inputs = [
    { id: 'colour', description: 'Favourite colour', default: 'blue' },
    { id: 'key', description: 'API key', password: true },
  ]
  const check = 'require("node:fs").writeFileSync(process.argv[1], process.argv.slice(2).join()); process.exit(3)'
  const seen = join(folder(), 'seen')
  const args = ['-e', check, seen, '${input:colour}', '${input:key}']
  writeFileSync(file, JSON.stringify({ inputs, servers: { asks: { command: process.execPath, args } } }))
  const run = inTerminal('cols 90 rows 30', `watch -c ${file}`)
  await run.until(/Favourite colour, for asks \[blue\]: /)
  run.process.stdin?.write('\r')
  await run.until(/API key, for asks: /)
  run.process.stdin?.write('canary-key\r')
  await run.until(/asks.{0,20}failed|backoff/)
  run.process.stdin?.write('q')
  expect(await run.ended).toBe(0)
  expect(readFileSync(seen, 'utf8')).toBe('blue,canary-key')
  expect(run.text).not.toContain('canary')
})

test('stops when nobody reads its lines any more', async () => {
  const run = piped('watch', '--config', configOf({ away: { url: 'http://127.0.0.1:9/mcp' } }))
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
