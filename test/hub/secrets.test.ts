// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs and configurations as texts
/** What a hub must not tell, and must not leave behind. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { alive } from '../../src/cli/demo/processes.js'
import { parseConfig } from '../../src/hub/index.js'
import { childServer, readChildLog } from '../../src/testing/child/index.js'
import { folder } from './files.js'
import { hubOf, written } from './rig.js'

test('a secret that a variable brought into the arguments is not shown when the server prints it', async () => {
  const print = 'console.error(`bad key: ${process.argv[1]} ${process.argv[2]}`); process.exit(3)'
  const { command, args } = written({ command: process.execPath, args: ['-e', print] })
  const servers = { a: { command, args: [...args, `\${API_KEY}`, `\${COLOUR}`] } }
  const env = { API_KEY: 'canary-key', COLOUR: 'turquoise' }
  const hub = hubOf({ servers: {} })
  await hub.apply(parseConfig(JSON.stringify({ servers }), 'mcp.json', { env }))
  const [status] = await hub.start()
  expect(JSON.stringify(status)).toContain('bad key: [redacted] turquoise')
  expect(JSON.stringify([hub.servers, hub])).not.toContain('canary')
})

test('servers get the short safe list of variables and their own, nothing else of the host', async () => {
  process.env.CANARY_OF_HOST = 'canary'
  try {
    const text = JSON.stringify({ mcpServers: { a: { ...written(childServer()), env: { OWN: '1' } } } })
    const hub = hubOf({ servers: {} })
    await hub.apply(parseConfig(text, 'mcp.json'))
    const about = await hub.callTool({ server: 'a', name: 'about' })
    const { env } = JSON.parse(about.content[0]?.text ?? '')
    expect(env).toEqual(expect.arrayContaining(['OWN', 'PATH']))
    expect(env).not.toContain('CANARY_OF_HOST')
  } finally {
    delete process.env.CANARY_OF_HOST
  }
})

test('02.06: after a SIGKILL of the host no server outlives it by more than a second, however stubborn', async () => {
  const dir = folder()
  const logs = ['a', 'b', 'c'].map((name) => join(dir, name))
  const file = fileURLToPath(new URL('host.ts', import.meta.url))
  const host = spawn(process.execPath, ['--import', 'tsx', file, ...logs], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await once(host.stdout, 'data')
  expect(String(said)).toBe('ready\n')
  const pids = logs.flatMap((log) => readChildLog(log).map(({ pid }) => pid))
  expect(alive(pids).length).toBeGreaterThanOrEqual(3)
  const killedAt = performance.now()
  host.kill('SIGKILL')
  await expect.poll(() => alive(pids), { timeout: 5_000, interval: 20 }).toEqual([])
  // A second on a machine that has nothing else to do.
  expect(performance.now() - killedAt).toBeLessThan(1_500)
})
