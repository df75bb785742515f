// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of configurations, whose variables they are
/** `lifeline doctor` on configurations as they come broken: each names its cause and what to do about it. */

import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { childServer } from '../../src/testing/child/index.js'
import { hang, html, rpcError, startFaultServer, status } from '../../src/testing/fault-server/index.js'
import { configOf, folder } from '../cli/files.js'
import { written } from '../hub/rig.js'
import { certificate, privateKey } from '../wire/http/certificate.js'
import { piped } from './rig.js'

vi.setConfig({ testTimeout: 90_000 })

const node = (code: string, more: object = {}) => ({ command: process.execPath, args: ['-e', code], ...more })
const soon = { policy: { timeouts: { connectMs: 1_500, initializeMs: 500 } } }
const asks = (name: string) => `console.error("Error: ${name} environment variable is required"); process.exit(1)`
const oldProtocol = { protocolVersion: '1999-01-01' }

interface Broken {
  /** Its entry; addresses of servers that misbehave in a certain way are at hand. */
  readonly entry: (urls: Urls) => unknown
  /** What stands under Cause, or beside config. */
  readonly cause: RegExp
  /** What to do. */
  readonly advice: RegExp
}

type Urls = Readonly<Record<keyof typeof plays | 'untrusted', string>>

/** How each server answers `initialize`. */
const plays = {
  unauthorized: status(401),
  forbidden: status(403),
  elsewhere: status(404),
  page: html(200),
  overloaded: status(503),
  limited: status(429, { retryAfter: 30 }),
  silent: hang(),
  otherVersion: rpcError(-32602, 'Unsupported protocol version', { data: { supported: ['1999-01-01'] } }),
}

const table: Readonly<Record<string, Broken>> = {
  'variable that is not set': {
    entry: () => ({ command: 'node', env: { TOKEN: '${LIFELINE_NO_SUCH_VARIABLE}' } }),
    cause: /config: .*servers\.json:\d+:\d+: server '.*', env\.TOKEN: \$\{LIFELINE_NO_SUCH_VARIABLE\} is not set/,
    advice: /give a default as in/,
  },
  'neither command nor url': {
    entry: () => ({ args: ['x'] }),
    cause: /needs either a command or a url/,
    advice: /Correct the configuration/,
  },
  'wrong command': {
    entry: () => ({ command: 'mcp-server-evrything' }),
    cause: /mcp-server-evrything was not found/,
    advice: /Check that it is installed and on the PATH/,
  },
  'command that may not be run': {
    entry: () => ({ command: notExecutable() }),
    cause: /server\.sh may not be executed/,
    advice: /EACCES/,
  },
  'folder that is not there': {
    entry: () => node('', { cwd: '/no/such/folder' }),
    cause: /working directory \/no\/such\/folder does not exist/,
    advice: /Create it or correct cwd/,
  },
  'missing module': {
    entry: () => node('require("left-pad-of-nobody")'),
    cause: /module left-pad-of-nobody is missing/,
    advice: /npm install/,
  },
  'missing file': {
    entry: () => ({ command: process.execPath, args: ['/no/such/server.js'] }),
    cause: /\/no\/such\/server\.js is missing/,
    advice: /correct the path to it/,
  },
  'missing key': {
    entry: () => node(asks('GITHUB_TOKEN')),
    cause: /variable GITHUB_TOKEN is missing/,
    advice: /env: \{ GITHUB_TOKEN/,
  },
  crash: {
    entry: () => node('console.error("licence expired"); process.exit(7)'),
    cause: /exited with code 7/,
    advice: /licence expired/,
  },
  'program that says nothing': {
    entry: () => node('setInterval(() => {}, 1_000)', soon),
    cause: /no answer to the handshake within 1\.5 s/,
    advice: /may wait for input, or be no MCP server over stdio/,
  },
  'program of another protocol version': {
    entry: () => written(childServer(oldProtocol)),
    cause: /the server insists on 1999-01-01/,
    advice: /Update one of them/,
  },
  'wrong port': {
    entry: () => ({ url: 'http://127.0.0.1:9/mcp' }),
    cause: /ECONNREFUSED/,
    advice: /Nothing listens at http:\/\/127\.0\.0\.1:9/,
  },
  'unknown host': {
    entry: () => ({ url: 'http://no-such-host.invalid/mcp' }),
    cause: /no-such-host\.invalid is not found/,
    advice: /spelling of the host|name server does not answer/,
  },
  '401': {
    entry: ({ unauthorized }) => ({ url: unauthorized }),
    cause: /answers 401; no token was sent/,
    advice: /Run: lifeline login 401 --config/,
  },
  'refused token': {
    entry: ({ unauthorized }) => ({ url: unauthorized, headers: { Authorization: 'Bearer canary-token' } }),
    cause: /answers 401 to the headers as they are configured/,
    advice: /wants a valid credential/,
  },
  '403': {
    entry: ({ forbidden }) => ({ url: forbidden }),
    cause: /answers 403 at the door/,
    advice: /Check the credential, the address and the allowed hosts/,
  },
  '404': {
    entry: ({ elsewhere }) => ({ url: elsewhere }),
    cause: /answers 404 to an MCP client/,
    advice: /Check that the URL is the MCP endpoint/,
  },
  'HTML page': {
    entry: ({ page }) => ({ url: page }),
    cause: /a web page came in place of an answer/,
    advice: /not the path of the MCP endpoint/,
  },
  overload: {
    entry: ({ overloaded }) => ({ url: overloaded }),
    cause: /answered 503 to initialize/,
    advice: /away or overloaded/,
  },
  'rate limit': {
    entry: ({ limited }) => ({ url: limited }),
    cause: /answered 429 .* asks for 30 s/,
    advice: /Call it less often/,
  },
  'untrusted certificate': {
    entry: ({ untrusted }) => ({ url: untrusted }),
    cause: /DEPTH_ZERO_SELF_SIGNED_CERT/,
    advice: /NODE_EXTRA_CA_CERTS/,
  },
  'TLS where there is none': {
    entry: ({ page }) => ({ url: page.replace('http:', 'https:') }),
    cause: /SSL|EPROTO/,
    advice: /speaks no TLS: correct the port, or use http:/,
  },
  'no answer in time': {
    entry: ({ silent }) => ({ url: silent, ...soon }),
    cause: /did not answer anything while initializing within 500 ms/,
    advice: /takes the request and says nothing/,
  },
  'version mismatch': {
    entry: ({ otherVersion }) => ({ url: otherVersion }),
    cause: /Unsupported protocol version/,
    advice: /Update one of them/,
  },
}

function notExecutable(): string {
  const file = join(folder(), 'server.sh')
  writeFileSync(file, '#!/bin/sh\n')
  chmodSync(file, 0o644)
  return file
}

/** One run over all of them, in the test that comes first. */
let examined: Promise<{ readonly said: string; readonly code: number | null }> | undefined

async function examine() {
  const urls: Record<string, string> = {}
  const closers: (() => unknown)[] = []
  for (const [name, play] of Object.entries(plays)) {
    const server = await startFaultServer()
    closers.push(() => server.stop())
    server.answer('initialize', play)
    if (name === 'elsewhere') server.answer('GET', play)
    urls[name] = server.url
  }
  urls.untrusted = await startUntrusted(closers)
  const entries = Object.entries(table).map(([name, { entry }]) => [name, entry(urls as Urls)])
  const file = join(folder(), 'servers.json')
  writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(entries) }, null, 2))
  const run = piped('doctor', '--config', file)
  const code = await run.ended
  await Promise.all(closers.map((close) => close()))
  return { said: run.output, code }
}

async function startUntrusted(closers: (() => unknown)[]): Promise<string> {
  const server = createServer({ cert: certificate, key: privateKey }).listen(0, '127.0.0.1')
  closers.push(() => server.close())
  await once(server, 'listening')
  return `https://127.0.0.1:${Object(server.address()).port}/mcp`
}

describe('each broken server', () => {
  const look = () => {
    examined ??= examine()
    return examined
  }

  test.each(Object.entries(table))('%s', async (name, { cause, advice }) => {
    const { said } = await look()
    const part = said.split(/^(?=[✓✗] )/m).find((one) => new RegExp(`^✗ ${name}(?::|  )`).test(one))
    // What is under the heading, or said of an entry; not what happened on the way.
    const judged = part?.replace(/\nWhat happened\n[\s\S]*?\n\n/, '\n')
    expect(judged).toMatch(cause)
    expect(judged).toMatch(advice)
  })

  test('all are told of, and nothing secret is', async () => {
    const { said, code } = await look()
    const { length } = Object.keys(table)
    expect(code).toBe(1)
    expect(said).toContain(`\n${length} of ${length} servers cannot be used now.\n`)
    expect(said).not.toContain('canary')
  })
})

describe('a file that cannot be used', () => {
  test.each([
    ['malformed JSON', '{ "mcpServers": { "a": { "command": "x" "args": [] } } }', /broken\.json:1:\d+: /],
    ['not JSON at all', 'mcpServers:\n  a: {}', /broken\.json:1:1: this is not JSON/],
    ['a list', '[]', /broken\.json/],
    ['nothing in it', '{}', /names no server/],
    ['a list of servers', '{ "mcpServers": [] }', /names no server/],
  ])('%s', async (_, text, message) => {
    const file = join(folder(), 'broken.json')
    writeFileSync(file, text)
    const run = piped('doctor', '-c', file)
    expect(await run.ended, run.text).toBe(2)
    expect(run.text).toMatch(message)
    expect(run.output).toBe('')
  })

  test('one that is not there', async () => {
    const run = piped('doctor', '-c', `${configOf({})}.gone`)
    expect([await run.ended, run.text]).toEqual([2, expect.stringContaining('cannot be read')])
  })
})
