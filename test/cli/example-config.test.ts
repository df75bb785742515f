import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parseServers, withPort } from '../../src/cli/example-config.js'
import { ConfigError } from '../../src/errors.js'

const parse = (mcpServers: unknown) => parseServers(JSON.stringify({ mcpServers }), '/etc/servers.json')

test('the example: a command whose folder is told from the file, and a url that is served', () => {
  const file = 'docs/examples/servers.json'
  const [stdio, http] = parseServers(readFileSync(file, 'utf8'), file)
  expect(stdio?.target).toMatchObject({ command: 'node', cwd: resolve('.') })
  if (!http) throw new Error('one server only')
  expect(withPort(http, 4711)).toMatchObject({
    target: { url: 'http://127.0.0.1:4711/mcp' },
    serve: { command: 'node', env: { PORT: '4711' } },
  })
})

test('a url with headers', () => {
  expect(parse({ a: { url: 'https://host/mcp', headers: { 'X-Team': 'blue' } } })).toEqual([
    { name: 'a', target: { url: 'https://host/mcp', headers: { 'X-Team': 'blue' } } },
  ])
})

test.each([
  [undefined, 'mcpServers must be an object'],
  [{}, 'mcpServers names no server'],
  [{ a: 'node' }, 'mcpServers.a must be an object'],
  [{ '': { command: 'node' } }, 'needs a name'],
  [{ a: {} }, 'mcpServers.a needs either command or url'],
  [{ a: { command: 'node', url: 'http://host' } }, 'mcpServers.a needs either command or url'],
  [{ a: { command: '' } }, 'mcpServers.a.command must be a text'],
  [{ a: { command: 'node', args: 'x' } }, 'mcpServers.a.args must be a list'],
  [{ a: { command: 'node', args: [1] } }, 'mcpServers.a.args.0 must be a text'],
  [{ a: { command: 'node', env: { KEY: 1 } } }, 'mcpServers.a.env.KEY must be a text'],
  [{ a: { command: 'node', serve: {} } }, 'mcpServers.a.serve belongs beside a url'],
  [{ a: { url: 'host' } }, 'mcpServers.a.url is not a URL'],
  [{ a: { url: 'http://host:{port}' } }, 'mcpServers.a.url holds {port}'],
  [{ a: { url: 'http://host', serve: { args: [] } } }, 'mcpServers.a.serve.command must be a text'],
])('%j is refused: %s', (servers, said) => {
  expect(() => parse(servers)).toThrow(ConfigError)
  expect(() => parse(servers)).toThrow(`/etc/servers.json: ${said}`.replace(': needs', ': mcpServers. needs'))
})

test('a variable is refused, not sent as it stands, and no value is shown', () => {
  const headers = { Authorization: `Bearer canary-\${TOKEN}` }
  expect(() => parse({ a: { url: 'https://host', headers } })).toThrow(/headers\.Authorization holds a \$\{variable\}/)
  expect(() => parse({ a: { url: 'https://host', headers } })).not.toThrow(/canary/)
})

test('text that is no JSON', () => {
  expect(() => parseServers('{', 'a.json')).toThrow(/a\.json is not JSON/)
})
