// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of configurations, whose variables they are
/** What is read from the configuration files of hosts, and how each thing wrong in them is told. */
import { writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { ConfigError } from '../../src/errors.js'
import {
  type ConfigOptions,
  type HubConfig,
  type InputRequest,
  parseConfig,
  readConfig,
  type ServerOptions,
} from '../../src/hub/index.js'
import { folder } from './files.js'

const file = '/etc/mcp/mcp.json'

function parse(config: unknown, options: ConfigOptions = {}) {
  const text = typeof config === 'string' ? config : JSON.stringify(config)
  return parseConfig(text, file, { env: {}, ...options })
}

/** Of the only server in it. */
function optionsOf(entry: unknown, options: ConfigOptions = {}): ServerOptions {
  const [only] = parse({ mcpServers: { one: entry } }, options).entries
  return only?.resolve() as ServerOptions
}

const targetIn = ({ entries: [first] }: HubConfig) => (first?.resolve() as ServerOptions | undefined)?.target

function errorOf(run: () => unknown): ConfigError {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('this should have been refused')
}

describe('formats', () => {
  const entry = { command: 'node', args: ['a.js'] }
  test.each<[string, unknown]>([
    ['Claude, Cursor, Windsurf, Cline', { mcpServers: { one: entry } }],
    ['VS Code', { inputs: [], servers: { one: { type: 'stdio', ...entry } } }],
    ['settings of VS Code', { 'editor.fontSize': 12, mcp: { servers: { one: entry } } }],
    ['Zed', { context_servers: { one: entry } }],
    [
      'comments and trailing commas',
      '// mine\n{ "servers": { /* one */ "one": { "command": "node", "args": ["a.js",], } } }',
    ],
    ['a byte order mark', `\uFEFF${JSON.stringify({ mcpServers: { one: entry } })}`],
  ])('%s', (_, config) => {
    const { entries } = parse(config)
    expect(entries.map(({ name, warnings }) => [name, warnings])).toEqual([['one', []]])
    expect(targetIn({ entries })).toEqual(entry)
  })

  test.each<[object, object]>([
    [{ url: 'https://a/mcp' }, { url: 'https://a/mcp' }],
    [{ serverUrl: 'https://a/mcp' }, { url: 'https://a/mcp' }],
    [{ httpUrl: 'https://a/mcp' }, { url: 'https://a/mcp' }],
    [{ type: 'http', url: 'https://a/mcp' }, { url: 'https://a/mcp' }],
    [{ transport: 'streamable-http', url: 'https://a/mcp' }, { url: 'https://a/mcp' }],
    [{ type: 'streamableHttp', url: 'https://a/mcp' }, { url: 'https://a/mcp' }],
    [
      { type: 'sse', url: 'https://a/sse' },
      { url: 'https://a/sse', kind: 'sse' },
    ],
    [
      { url: 'https://a/mcp', headers: { 'X-Team': 'blue', 'X-N': 1 } },
      { url: 'https://a/mcp', headers: { 'X-Team': 'blue', 'X-N': '1' } },
    ],
    [
      { command: 'node', args: ['--port', 8080], env: { N: 1, ON: true, GONE: null } },
      { command: 'node', args: ['--port', '8080'], env: { N: '1', ON: 'true', GONE: undefined } },
    ],
    [
      { command: 'node', cwd: 'sub' },
      { command: 'node', args: [], cwd: '/etc/mcp/sub' },
    ],
    [
      { command: 'node', cwd: '~/x' },
      { command: 'node', args: [], cwd: join(homedir(), 'x') },
    ],
    [
      { command: 'node', inheritEnv: ['A'] },
      { command: 'node', args: [], inheritEnv: ['A'] },
    ],
  ])('%j leads to %j', (entry, target) => {
    expect(optionsOf(entry).target).toEqual(target)
  })

  test.each<[object, Partial<ServerOptions>]>([
    [{ disabled: true }, { disabled: true }],
    [{ enabled: false }, { disabled: true }],
    [{ enabled: true }, {}],
    [{ timeout: 60 }, { policy: { timeouts: { callMs: 60_000 } } }],
    [{ timeout: 30_000 }, { policy: { timeouts: { callMs: 30_000 } } }],
    [{ timeoutMs: 500 }, { policy: { timeouts: { callMs: 500 } } }],
    [{ policy: { maxAttempts: 3 }, timeoutMs: 5 }, { policy: { maxAttempts: 3, timeouts: { callMs: 5 } } }],
    [
      { lazy: true, idleMs: 60_000, trusted: true },
      { lazy: true, idleMs: 60_000, trusted: true },
    ],
    [
      { includeTools: ['a'], excludeTools: ['b'], disabledTools: ['c'] },
      { tools: { include: ['a'], exclude: ['b', 'c'] } },
    ],
    [{ alwaysAllow: ['a'] }, {}],
  ])('%j means %j', (fields, meant) => {
    const { target: _, ...options } = optionsOf({ command: 'node', ...fields })
    expect(options).toEqual(meant)
  })

  it('keeps what is not ours: silently what hosts are known to write, with a warning what nobody knows', () => {
    const [one] = parse({ mcpServers: { one: { command: 'node', alwaysAllow: ['x'], comand: 'nod' } } }).entries
    expect(one?.extra).toEqual({ alwaysAllow: ['x'], comand: 'nod' })
    expect(one?.warnings).toEqual([
      expect.stringMatching(/:1:\d+: server 'one', comand: is not known here, and kept as it is$/),
    ])
  })

  it('takes variables of a file under those of the entry', () => {
    const dir = folder()
    writeFileSync(join(dir, '.env'), '# mine\nA=1\nexport B="two words"\n')
    const path = join(dir, 'mcp.json')
    writeFileSync(
      path,
      JSON.stringify({ servers: { one: { command: 'x', envFile: `\${workspaceFolder}/.env`, env: { A: '2' } } } }),
    )
    const [one] = readConfig(path).entries
    expect(one?.resolve()).toMatchObject({ target: { env: { A: '2', B: 'two words' } } })
  })

  it('begins the workspace above the folder that hosts keep for themselves', () => {
    const text = JSON.stringify({ servers: { one: { command: `\${workspaceFolder}/run` } } })
    const command = (path: string) => targetIn(parseConfig(text, path))
    expect(command('/p/q/.vscode/mcp.json')).toMatchObject({ command: '/p/q/run' })
    expect(command('/p/q/mcp.json')).toMatchObject({ command: '/p/q/run' })
  })
})

describe('11.01: variables', () => {
  const env = { TOKEN: 'canary-1', EMPTY: '', MONEY: `a$b\${TOKEN}$$`, TWO: '2' }
  test.each([
    ['${TOKEN}', 'canary-1'],
    ['Bearer ${env:TOKEN}', 'Bearer canary-1'],
    ['${TOKEN}${TWO}', 'canary-12'],
    ['${UNSET:-default}', 'default'],
    ['${env:UNSET:-a:b}', 'a:b'],
    ['${EMPTY:-default}', 'default'],
    ['x${EMPTY}y', 'xy'],
    ['${UNSET:-}', ''],
    ['${UNSET:-${TWO}}', '2'],
    ['${UNSET:-${ALSO:-${TOKEN}}}!', 'canary-1!'],
    ['${MONEY}', `a$b\${TOKEN}$$`],
    ['$${TOKEN}', '${TOKEN}'],
    ['${UNSET:-{"a":{}}}', '{"a":{}}'],
    ['echo ${A:+b} ${f({ a: 1 })}', 'echo ${A:+b} ${f({ a: 1 })}'],
    ['$TOKEN $ {} ${', '$TOKEN $ {} ${'],
    ['${userHome}', homedir()],
    ['a${/}b${pathSeparator}', 'a/b/'],
  ])('%s is %s', (text, value) => {
    expect(optionsOf({ url: 'https://a', headers: { x: text } }, { env }).target).toMatchObject({
      headers: { x: value },
    })
  })

  test.each<[object, string, string]>([
    [{ url: 'https://a/${NO}' }, 'url', '${NO}'],
    [{ url: 'https://a', headers: { Authorization: 'Bearer ${NO}' } }, 'headers.Authorization', '${NO}'],
    [{ command: '${NO}' }, 'command', '${NO}'],
    [{ command: 'x', args: ['a', '${env:NO}'] }, 'args.1', '${NO}'],
    [{ command: 'x', env: { TOKEN: '${NO:-${NEITHER}}' } }, 'env.TOKEN', '${NEITHER}'],
    [{ command: 'x', cwd: '${NO}' }, 'cwd', '${NO}'],
    [{ command: 'x', env: { A: '${cmd: date}' } }, 'env.A', '${cmd: date}'],
    [{ command: 'x', env: { A: '${input:key}' } }, 'env.A', '${input:key}'],
  ])('%j is refused, with server, field and variable', async (entry, field, variable) => {
    const [one] = parse({ mcpServers: { one: entry } }).entries
    const error = await (async () => one?.resolve())().catch((e: unknown) => e)
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).at).toMatchObject({ file, line: 1, server: 'one', field, variable })
    expect(String(error)).toContain(`server 'one', ${field}: ${variable} `)
  })

  it('remembers values that are secrets, and forgets the rest', () => {
    const target = optionsOf({ command: 'x', args: ['${TOKEN}', '${TWO}'] }, { env }).target
    expect(target).toMatchObject({ secrets: ['canary-1'] })
  })
})

describe('inputs', () => {
  const config = {
    inputs: [{ type: 'promptString', id: 'key', description: 'API key', password: true, default: 'none' }],
    servers: {
      a: { command: 'x', env: { K: '${input:key}' } },
      b: { command: 'x', args: ['${input:key}', '${input:other}'] },
      c: { command: 'x' },
    },
  }

  it('asks once for each, and only for servers that need one', async () => {
    const asked: InputRequest[] = []
    const input = (request: InputRequest) => {
      asked.push(request)
      return Promise.resolve('typed-secret')
    }
    const [a, b, c] = parse(config, { input }).entries
    expect(c?.resolve()).toMatchObject({ target: { command: 'x' } })
    expect(await Promise.all([a?.resolve(), b?.resolve()])).toMatchObject([
      { target: { env: { K: 'typed-secret' }, secrets: ['typed-secret'] } },
      { target: { args: ['typed-secret', 'typed-secret'] } },
    ])
    expect(asked).toMatchObject([
      { id: 'key', type: 'promptString', description: 'API key', password: true, server: 'a' },
      { id: 'other', password: false, server: 'b' },
    ])
  })

  it('takes the default where nobody answers, and asks again where there is none', async () => {
    let answers = 0
    const [a, b] = parse(config, { input: () => (answers++ > 2 ? 'late' : undefined) }).entries
    expect(await a?.resolve()).toMatchObject({ target: { env: { K: 'none' } } })
    await expect(b?.resolve()).rejects.toThrow(/\$\{input:other\} was given no value/)
    answers = 9
    expect(await b?.resolve()).toMatchObject({ target: { args: ['none', 'late'] } })
  })
})

test('where two sections name servers, the first is read, and its first server warns of the other', () => {
  const { entries } = parse(
    '{\n  "servers": { "b": { "command": "b" } },\n  "mcpServers": { "a": { "command": "a" } }\n}',
  )
  expect(entries.map(({ name }) => name)).toEqual(['a'])
  expect(entries[0]?.warnings).toEqual([
    `${file}:2:3: servers: names servers too, and is not read: those of line 3 count`,
  ])
})

test('where two sections could name servers, the one that does is read', () => {
  const { entries } = parse({ mcpServers: {}, servers: { a: { command: 'x' } } })
  expect(entries.map(({ name }) => name)).toEqual(['a'])
  expect(parse({ mcpServers: {} }).entries).toEqual([])
})

describe('what is wrong', () => {
  test.each([
    ['{', '1:2', /close brace expected|property name expected/],
    ['{\n  "mcpServers": {\n    "a": { "command" "x" }\n  }\n}', '3:22', /colon expected/],
    ['{ "mcpServers": { "a": { "command": "x" } "b": {} } }', '1:43', /comma expected/],
    ['{ "mcpServers": { "a": { "comm', '1:26', /unexpected end of string/],
  ])('%j: no JSON, with the position', (text, position, what) => {
    const error = errorOf(() => parse(text))
    expect(String(error)).toContain(`${file}:${position}: this is not JSON: `)
    expect(String(error)).toMatch(what)
    expect(error.at).toMatchObject({ file, line: Number(position.split(':')[0]) })
  })

  test.each([
    ['', 'is empty'],
    ['{}', 'names no servers'],
    ['[]', 'must be an object'],
    ['{"mcpServers": []}', 'mcpServers: must be an object'],
  ])('%j cannot be used as a whole', (text, what) => {
    expect(String(errorOf(() => parse(text)))).toContain(what)
  })

  it('more levels than anything that walks through it could bear: told like any other mistake', () => {
    const nested = (levels: number) =>
      `{"mcpServers": {"a": {"command": "x", "x": ${'['.repeat(levels)}1${']'.repeat(levels)}}}}`
    expect(parse(nested(50)).entries).toHaveLength(1)
    expect(String(errorOf(() => parse(nested(50_000))))).toContain(`${file}:1:141: more than 100 levels.`)
  })

  it('cannot be read', () => {
    expect(String(errorOf(() => readConfig('/nowhere/mcp.json')))).toContain('/nowhere/mcp.json cannot be read.')
  })

  test.each<[unknown, string]>([
    ['node', "server 'bad': must be an object"],
    [{}, "server 'bad': needs either a command or a url"],
    [{ url: 'https://a', type: 'constructor' }, "server 'bad', type: is none of stdio, http"],
    [{ command: 'x', url: 'https://a' }, "server 'bad': needs either a command or a url"],
    [{ command: '' }, "server 'bad', command: must not be empty"],
    [{ command: 5 }, ''],
    [{ command: ['x'] }, "server 'bad', command: must be a text"],
    [{ command: 'x', args: 'y' }, "server 'bad', args: must be a list"],
    [{ command: 'x', args: [{}] }, "server 'bad', args.0: must be a text"],
    [{ command: 'x', env: [] }, "server 'bad', env: must be an object"],
    [{ command: 'x', env: { A: {} } }, "server 'bad', env.A: must be a text"],
    [{ command: 'x', disabled: 'yes' }, "server 'bad', disabled: must be true or false"],
    [{ command: 'x', timeout: '5' }, "server 'bad', timeout: must be a number from 0"],
    [{ command: 'x', type: 'http' }, "server 'bad', type: does not fit a command"],
    [{ url: 'https://a', type: 'stdio' }, "server 'bad', type: does not fit a url"],
    [{ url: 'wss://a', type: 'ws' }, "server 'bad', type: is none of stdio, http, streamable-http and sse"],
    [{ url: 'host/mcp' }, "server 'bad', url: is not an address"],
    [{ url: 'file:///etc/passwd' }, "server 'bad', url: is not an address"],
    [{ command: 'x', envFile: 'none.env' }, "server 'bad', envFile: the file /etc/mcp/none.env cannot be read"],
    [{ command: 'x', policy: 3 }, "server 'bad', policy: must be an object"],
  ])('%j hurts nobody else', (entry, what) => {
    const { entries } = parse({ mcpServers: { good: { command: 'x' }, bad: entry, fine: { command: 'y' } } })
    expect(entries.map(({ name }) => name)).toEqual(['good', 'bad', 'fine'])
    expect(entries[0]?.resolve()).toBeDefined()
    expect(entries[2]?.resolve()).toBeDefined()
    if (what === '') return expect(entries[1]?.resolve()).toMatchObject({ target: { command: '5' } })
    const error = errorOf(() => entries[1]?.resolve())
    expect(String(error)).toContain(what)
    expect(String(error)).toContain(`${file}:1:`)
  })

  it('tells a name and a field that stand there twice, with both lines, and takes the last', () => {
    const text = `{ "mcpServers": {
      "a": { "command": "first" },
      "b": { "command": "x",
             "command": "y" },
      "a": { "command": "last" }
    } }`
    const [a, b] = parse(text).entries
    expect(a?.resolve()).toMatchObject({ target: { command: 'last' } })
    expect(a?.warnings).toEqual([
      `${file}:5:7: server 'a': stands twice in the file, at line 2 and line 5; the last one counts`,
    ])
    expect(b?.warnings[0]).toMatch(/server 'b', command: stands twice, at line 3 and line 4; the last one counts/)
  })

  it('shows no value, whatever is wrong with it', () => {
    const canary = 'canary-value'
    const entries = [
      { command: [canary] },
      { command: 'x', args: canary },
      { command: 'x', env: { A: { canary } } },
      { url: `canary-value/mcp` },
      { url: 'https://a', headers: { A: `${canary} \${NO}` } },
      { command: 'x', env: { A: `\${NO:-\${NEITHER}${canary}}` } },
      { command: 'x', type: canary },
    ]
    for (const entry of entries) expect(String(errorOf(() => optionsOf(entry)))).not.toContain('canary')
    expect(String(errorOf(() => parse(`{ "mcpServers": { "a": { "env": "canary-value" "b" } } }`)))).not.toContain(
      'canary',
    )
  })
})

describe('fields of the application', () => {
  it('may be taken out before an entry is read', () => {
    const prepare = (name: string, { serve: _, ...entry }: Record<string, unknown>) => ({ ...entry, args: [name] })
    const [one] = parse({ mcpServers: { one: { command: 'x', serve: 1 } } }, { prepare }).entries
    expect(one?.warnings).toEqual([])
    expect(one?.resolve()).toMatchObject({ target: { args: ['one'] } })
  })
})
