import { createServer } from 'node:net'
import { expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { alive } from '../../src/cli/demo/processes.js'
import { childServer } from '../../src/testing/child/index.js'
import { configOf } from '../cli/files.js'
import { written } from '../hub/rig.js'
import { piped } from './rig.js'

// Real programs start here, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 })

const config = () => configOf({ good: written(childServer()), typo: { command: 'no-such-command-anywhere' } })

test('inspect: a page that shows every connection, until Ctrl-C, which leaves nothing', async () => {
  const run = piped('inspect', '-c', config())
  await run.until(/2 connections, shown at\n\n {2}http:\/\/127\.0\.0\.1:\d+\/#token=\S+\n\n/)
  const [, url = ''] = /\n {2}(http:\S+)/.exec(run.output) ?? []
  const { origin, hash } = new URL(url)
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/live?${hash.slice(1)}`, { origin })
  const seen = new Map<string, string>()
  socket.on('message', (data) => {
    const { actors = [] } = JSON.parse(String(data))
    for (const { name, status } of actors) seen.set(name, status)
  })
  socket.on('error', () => {})
  await expect.poll(() => Object.fromEntries(seen), { timeout: 20_000 }).toEqual({ good: 'ready', typo: 'failed' })

  const left = run.below()
  expect(left.length).toBeGreaterThan(0)
  run.process.kill('SIGINT')
  expect(await run.ended, run.text).toBe(0)
  expect(alive(left)).toEqual([])
})

test('inspect --json --port: one line for programs; a port that is taken is told', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = Object(taken.address())
  const refused = piped('inspect', '--port', String(port), '-c', config())
  expect([await refused.ended, refused.text]).toEqual([2, expect.stringContaining(`port ${port} (EADDRINUSE)`)])
  await new Promise((resolve) => taken.close(resolve))

  const run = piped('inspect', '--json', '--port', String(port), '-c', config())
  await run.until(/\n/)
  expect(JSON.parse(run.output)).toEqual({
    event: 'listening',
    url: expect.stringContaining(`http://127.0.0.1:${port}/#token=`),
  })
  run.process.kill('SIGTERM')
  expect(await run.ended).toBe(0)
})
