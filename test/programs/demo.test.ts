import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { configOf, folder } from '../cli/files.js'
import { everything, example, piped } from './rig.js'

// Real programs start here, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 })

test('both servers are struck and both connections come back', async () => {
  const run = piped('demo', '--config', example)
  expect(await run.ended, run.text).toBe(0)
  for (const name of ['everything-stdio', 'everything-http']) {
    expect(run.text).toMatch(new RegExp(`\\d+ ms  ${name} +✂`))
    for (const moment of ['before', 'during', 'after']) {
      expect(run.text).toMatch(new RegExp(`${name} +call ${moment} the outage: answered`))
    }
    expect(run.text).toMatch(new RegExp(`${name} +ready .* after the loss.*; 4 of 4 lists read again`))
  }
  expect(run.text).toMatch(/everything-http .* session\.unknown/)
  expect(run.text).toMatch(/8 made: 6 answered/)
  expect(run.text).toMatch(/left behind +nothing/)
})

test('a server that does not start a second time makes it fail, and it says so', async () => {
  const once = `const fs = require('node:fs'); const mark = process.argv[1]
    if (fs.existsSync(mark)) process.exit(3)
    fs.writeFileSync(mark, ''); import(${JSON.stringify(everything)})`
  const mark = join(folder(), 'started')
  const run = piped('demo', '--config', configOf({ once: { command: process.execPath, args: ['-e', once, mark] } }))
  expect(await run.ended, run.text).toBe(1)
  expect(run.text).toMatch(/once did not come back after SIGKILL of its process \d+; it stood in failed\.\S+ with/)
  expect(run.text).not.toContain('Every connection came back')
})

test('as JSON: what was seen is on stdout, the story on stderr', async () => {
  const server = { command: process.execPath, args: [everything, 'stdio'] }
  const run = piped('demo', '--json', '--config', configOf({ server }))
  expect(await run.ended, run.text).toBe(0)
  expect(JSON.parse(run.output)).toMatchObject({ isGood: true, problems: [], closedInTime: true })
  expect(run.text).toMatch(/server +✂/)
})

test('a server that never serves makes it fail, and it says so', async () => {
  const url = 'http://127.0.0.1:{port}/mcp'
  const serve = { command: process.execPath, args: ['-e', 'console.error("no licence"); process.exit(4)'] }
  const run = piped('demo', '--config', configOf({ broken: { url, serve } }))
  expect(await run.ended, run.text).toBe(1)
  expect(run.text).toMatch(/It broke off: .* ended with exit code 4: no licence\./)
})
