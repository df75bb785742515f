/** Many servers at once: real processes that are killed, and servers of which half cannot start. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHub, parseConfig } from '../../src/hub/index.js'
import { childServer, readChildLog } from '../../src/testing/child/index.js'
import { isAlive } from '../connection/rig.js'
import { hubOf, MemoryServer, statusesOf, written } from './rig.js'

test('30 processes start together, survive the killing of each, and leave nothing', { timeout: 60_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'lifeline-crowd-'))
  const names = Array.from({ length: 30 }, (_, i) => `s${i}`)
  const log = (name: string) => join(dir, name)
  const target = (name: string) => childServer({ log: log(name), onStart: [{ wait: 100 }] })
  const hub = createHub({
    servers: Object.fromEntries(names.map((name) => [name, { target: target(name) }])),
    defaults: { policy: { backoff: { baseMs: 5, capMs: 50 }, timeouts: { closeMs: 2_000 } } },
  })
  const starts = (name: string) => readChildLog(log(name)).filter(({ event }) => event === 'start')
  const alone = performance.now()
  await using one = createHub({ servers: { one: { target: target('one') } } })
  await one.start()
  const aloneMs = performance.now() - alone

  const began = performance.now()
  await hub.start()
  const startMs = performance.now() - began
  expect(hub.servers.map(({ status }) => status)).toEqual(names.map(() => 'ready'))
  // Two cores start thirty programs, so they cost time; but far from thirty starts one after the other.
  expect(startMs).toBeLessThan(aloneMs * 30 * 0.6)

  // In an order that looks random and is the same each time.
  const shuffled = [...names].sort((a, b) => ((Number(a.slice(1)) * 17) % 31) - ((Number(b.slice(1)) * 17) % 31))
  for (const name of shuffled) process.kill(starts(name).at(-1)?.pid ?? 0, 'SIGKILL')
  const answers = await Promise.all(
    names.map((name) => hub.callTool({ name: `${name}__echo`, arguments: { text: name } }, { replay: 'always' })),
  )
  expect(answers.map(({ content }) => content[0]?.text)).toEqual(names)
  expect(names.map((name) => starts(name).length)).toEqual(names.map(() => 2))

  const pids = names.flatMap((name) => starts(name).map(({ pid }) => pid))
  const closing = performance.now()
  await hub.close()
  expect(performance.now() - closing).toBeLessThan(8_000)
  expect(pids.filter(isAlive)).toEqual([])
  rmSync(dir, { recursive: true })
})

test('200 servers of which half cannot start: the good ones work, each bad one says why', {
  timeout: 60_000,
}, async () => {
  const bad = [
    { command: 'no-such-command-anywhere' },
    { command: '' },
    { command: `\${NO_SUCH_VARIABLE}` },
    { url: 'not a url' },
    { url: 'http://127.0.0.1:9/mcp' },
    { command: process.execPath, args: ['-e', 'console.error("no licence"); process.exit(3)'] },
    { command: process.execPath, cwd: '/no/such/folder' },
    'text',
    {},
    { command: 'x', url: 'http://x' },
  ]
  const entries = Array.from({ length: 100 }, (_, i) => [`bad${i}`, bad[i % bad.length]])
  const text = JSON.stringify({ mcpServers: Object.fromEntries([...entries, ['real', written(childServer())]]) })
  const { entries: read } = parseConfig(text, 'mcp.json', { env: {} })
  const good = Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`good${i}`, { target: new MemoryServer('x') }]))
  const goodEntries = Object.entries(good).map(([name, options]) => ({
    name,
    at: {},
    warnings: [],
    extra: {},
    resolve: () => options,
  }))
  const hub = hubOf({ servers: {}, defaults: {} })
  await hub.apply({ entries: goodEntries.flatMap((entry, i) => [read[i] ?? entry, entry]).concat(read.slice(99)) })
  expect(hub.servers).toHaveLength(200)

  const began = performance.now()
  const statuses = await hub.start()
  const took = performance.now() - began
  for (const { name, status, error, fault } of statuses) {
    if (!name.startsWith('bad')) expect([name, status]).toEqual([name, 'ready'])
    else {
      expect(status).not.toBe('ready')
      expect(error?.message ?? `${fault?.code} ${fault?.advice}`).toMatch(/\w{5}/)
    }
  }
  expect(took).toBeLessThan(20_000)
  expect(hub.tools.filter(({ originalName }) => originalName === 'x')).toHaveLength(99)
  const answers = await Promise.all(Object.keys(good).map((name) => hub.callTool({ name: `${name}__x` })))
  expect(answers).toHaveLength(99)
  expect(Object.values(statusesOf(hub)).filter((status) => status === 'ready')).toHaveLength(100)
})
