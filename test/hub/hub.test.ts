import { inspect } from 'node:util'
import { describe, expect, it, test } from 'vitest'
import { ConfigError, ConnectionClosedError, UnknownServerError } from '../../src/errors.js'
import {
  type ConfigEntry,
  createHub,
  type Hub,
  type HubOptions,
  parseConfig,
  type ServerOptions,
} from '../../src/hub/index.js'
import { childServer } from '../../src/testing/child/index.js'
import { startFaultServer, status } from '../../src/testing/fault-server/index.js'
import { failure } from '../connection/rig.js'
import { hubOf, MemoryServer, record, statusesOf, written } from './rig.js'

const policy = { backoff: { baseMs: 5, capMs: 50 } }

describe('starting', () => {
  it('starts nothing by itself; start() connects what is neither lazy nor disabled, all at once', async () => {
    const [a, b, c, d] = [new MemoryServer('x'), new MemoryServer('x'), new MemoryServer('x'), new MemoryServer('x')]
    const hub = hubOf({
      servers: { a: { target: a }, b: { target: b }, c: { target: c, lazy: true }, d: { target: d, disabled: true } },
    })
    expect(a.opened + b.opened).toBe(0)
    expect([...hub.connections.keys()]).toEqual(['a', 'b', 'c'])
    const statuses = await hub.start()
    expect(statuses.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'a ready',
      'b ready',
      'c idle',
      'd disabled',
    ])
    expect([a, b, c, d].map(({ opened }) => opened)).toEqual([1, 1, 0, 0])
  })

  it('is as slow as the slowest, not as all together (P20)', async () => {
    const slow = (ms: number): ServerOptions => ({ target: childServer({ onStart: [{ wait: ms }] }) })
    const hub = hubOf({
      servers: { a: slow(700), b: slow(700), c: slow(700), d: slow(700), e: slow(700), f: slow(700) },
    })
    const began = performance.now()
    await hub.start()
    expect(statusesOf(hub)).toEqual({ a: 'ready', b: 'ready', c: 'ready', d: 'ready', e: 'ready', f: 'ready' })
    expect(performance.now() - began).toBeLessThan(3_500)
  })

  it('resolves when the first attempt of a server that is away has failed; the others are ready long before', async () => {
    const [well, away] = [new MemoryServer('x'), new MemoryServer('x')]
    away.isUp = false
    const hub = hubOf({ servers: { away: { target: away }, well: { target: well } } })
    const seen = record(hub)
    const [first, second] = await hub.start()
    expect(second?.status).toBe('ready')
    expect(first).toMatchObject({ status: 'backoff', fault: { advice: expect.any(String) } })
    expect(seen.indexOf('well ready')).toBeGreaterThan(-1)
  })

  it.each<[object, string]>([
    [{ tools: { include: 'read_*' } }, 'tools.include must be a list of names, or a function'],
    [{ tools: { exclude: [1] } }, 'tools.exclude must be a list'],
    [{ tools: { includ: ['a'] } }, "tools has no option 'includ'"],
    [{ tools: ['a'] }, 'tools must be an object'],
    [{ idleMs: Number.NaN }, 'idleMs must be milliseconds from 0'],
    [{ idleMs: '5' }, 'idleMs must be milliseconds from 0'],
    [{ idleMs: -1 }, 'idleMs must be milliseconds from 0'],
  ])('%j is refused at the door, of one server and of all', async (options, what) => {
    const target = new MemoryServer('x')
    for (const given of [
      { servers: { a: { target, ...options } } },
      { servers: { a: { target } }, defaults: options },
    ]) {
      const [only] = await hubOf(given as HubOptions).start()
      expect(only?.status).toBe('failed')
      expect(String(only?.error)).toContain(`server 'a': ${what}`)
    }
    expect(target.opened).toBe(0)
  })

  it('a filter of the hub that is none, and servers that are no object, are refused', async () => {
    expect(() => createHub({ servers: {}, tools: { include: 'a/*' } as never })).toThrow('tools.include must be a list')
    for (const servers of [null, [], 'x'])
      expect(() => createHub({ servers: servers as never })).toThrow('Servers are given as an object')
    expect(await failure(hubOf({ servers: {} }).apply(null as never))).toBeInstanceOf(TypeError)
  })

  it('needs servers or a file, not both', () => {
    expect(() => createHub({})).toThrow(TypeError)
    expect(() => createHub({ servers: {}, configFile: 'x' })).toThrow(TypeError)
  })
})

describe('one server', () => {
  it('connect() reconnects what is connected already; with keep it does not', async () => {
    const a = new MemoryServer('x')
    const hub = hubOf({ servers: { a: { target: a } } })
    await hub.connect('a')
    await hub.connect('a', { keep: true })
    expect(a.opened).toBe(1)
    await hub.connect('a')
    expect(a.opened).toBe(2)
    expect(a.alive).toBe(1)
  })

  it('10.07: connect() joins a dial that is under way', async () => {
    await using server = await startFaultServer()
    const hub = hubOf({ servers: { a: { target: { url: server.url } } } })
    await Promise.all(Array.from({ length: 20 }, () => hub.connect('a')))
    expect(server.count('initialize')).toBe(1)
    expect(hub.connections.get('a')?.actor.getSnapshot().context.generation).toBe(1)
  })

  it('reconnect() always makes a new link, disconnect() stops, and connect() starts again', async () => {
    const a = new MemoryServer('x')
    const hub = hubOf({ servers: { a: { target: a } } })
    await hub.reconnect('a')
    await hub.reconnect('a')
    expect(a.opened).toBe(2)
    await hub.disconnect('a')
    expect([statusesOf(hub), a.alive]).toEqual([{ a: 'idle' }, 0])
    await hub.connect('a')
    expect([statusesOf(hub), a.opened]).toEqual([{ a: 'ready' }, 3])
  })

  it('disable() takes it out with its tools, enable() brings it back, whatever the configuration says', async () => {
    const a = new MemoryServer('x')
    const hub = hubOf({ servers: { a: { target: a, disabled: true } } })
    await hub.start()
    expect(await failure(hub.connect('a'))).toBeInstanceOf(UnknownServerError)
    await hub.enable('a')
    expect([statusesOf(hub), hub.tools.length]).toEqual([{ a: 'ready' }, 1])
    await hub.disable('a')
    expect([statusesOf(hub), hub.tools.length, a.alive]).toEqual([{ a: 'disabled' }, 0, 0])
    expect(hub.connections.size).toBe(0)
  })

  test.each(['connect', 'reconnect', 'disconnect', 'enable', 'disable'] as const)('%s() of nobody', async (method) => {
    const hub = hubOf({ servers: {} })
    expect(await failure(hub[method]('nobody'))).toBeInstanceOf(UnknownServerError)
  })

  it('tells name, status, fault and capabilities to whoever listens, first as it is now', async () => {
    const a = new MemoryServer('x')
    const hub = hubOf({ servers: { a: { target: a }, typo: { target: { command: 'no-such-command' } } } })
    await hub.start()
    const seen: unknown[] = []
    hub.status$.subscribe((status) => seen.push(status))
    expect(seen).toMatchObject([
      { name: 'a', status: 'ready', capabilities: { tools: {} } },
      { name: 'typo', status: 'failed', fault: { code: 'spawn.ENOENT' } },
    ])
    expect(seen[0]).not.toHaveProperty('fault')
    a.lose(false)
    await expect
      .poll(() => seen)
      .toContainEqual(expect.objectContaining({ name: 'a', status: 'backoff', fault: expect.anything() }))
  })
})

test.each<[ServerOptions['target'], string]>([
  [{ command: '/opt/tools/server', args: ['--token=canary'], env: { KEY: 'canary' } }, 'stdio server'],
  [{ url: 'https://user:canary@host:8443/canary?key=canary', headers: { A: 'canary' } }, 'http host:8443'],
  [new MemoryServer(), 'custom'],
])('tells where a server is without a secret: %#', (target, where) => {
  expect(hubOf({ servers: { a: { target, lazy: true } } }).servers).toEqual([{ name: 'a', where, status: 'idle' }])
})

describe('one that cannot be used as configured', () => {
  const bad = { target: { command: '' } } as ServerOptions

  it('is a member with its error; nobody else suffers', async () => {
    const well = new MemoryServer('x')
    const hub = hubOf({
      servers: { bad, well: { target: well }, worse: { target: well, policy: { maxAttempts: -1 } } },
    })
    const [one, two, three] = await hub.start()
    expect(one).toMatchObject({ name: 'bad', status: 'failed', error: { at: { server: 'bad' } } })
    expect(one?.error).toBeInstanceOf(ConfigError)
    expect(String(one?.error)).toMatch(/target.command is the program to run/)
    expect(two?.status).toBe('ready')
    expect(three?.error).toBeInstanceOf(ConfigError)
    expect(await failure(hub.connect('bad'))).toBeInstanceOf(ConfigError)
    expect([...hub.connections.keys()]).toEqual(['well'])
  })

  it('is looked at once more when somebody wants it: what was missing may be there by now', async () => {
    const env: Record<string, string> = {}
    const text = JSON.stringify({ mcpServers: { a: { ...written(childServer()), env: { KEY: `\${KEY}` } } } })
    const hub = hubOf({ servers: {} })
    await hub.apply(parseConfig(text, 'mcp.json', { env }))
    expect(String(await failure(hub.connect('a')))).toContain(`server 'a', env.KEY: \${KEY} is not set`)
    env.KEY = '1'
    await hub.connect('a')
    expect(statusesOf(hub)).toEqual({ a: 'ready' })
  })
})

describe('apply()', () => {
  it('touches only what differs', async () => {
    const servers = Object.fromEntries(['same', 'other', 'gone', 'new'].map((name) => [name, new MemoryServer('x')]))
    const of = (name: string): ServerOptions => ({ target: servers[name] as MemoryServer, policy })
    const hub = hubOf({ servers: { same: of('same'), other: of('other'), gone: of('gone') }, defaults: {} })
    await hub.start()
    const [same, other] = [hub.connections.get('same'), hub.connections.get('other')]
    const seen = record(hub)
    const applied = await hub.apply({ new: of('new'), other: { target: new MemoryServer('y') }, same: of('same') })
    expect(applied).toEqual({
      added: ['new'],
      removed: ['gone'],
      changed: ['other'],
      unchanged: ['same'],
      warnings: [],
    })
    await expect.poll(() => statusesOf(hub)).toEqual({ new: 'ready', other: 'ready', same: 'ready' })
    expect(hub.connections.get('same')).toBe(same)
    expect(hub.connections.get('other')).toBe(other)
    expect(seen.filter((line) => line.startsWith('same'))).toEqual(['same ready'])
    expect(seen).toContain('gone closed')
    expect([servers.gone?.alive, servers.other?.alive, servers.same?.opened]).toEqual([0, 0, 1])
    expect(hub.tools.map(({ name }) => name)).toEqual(['new__x', 'other__y', 'same__x'])
  })

  it('another order touches no server, and is that of servers and tools', async () => {
    const [a, b] = [new MemoryServer('x'), new MemoryServer('x')]
    const hub = hubOf({ servers: { a: { target: a }, b: { target: b } } })
    await hub.start()
    const catalogs: string[] = []
    hub.catalog$.subscribe(({ tools }) => catalogs.push(tools.map(({ name }) => name).join()))
    expect(await hub.apply({ b: { target: b }, a: { target: a } })).toMatchObject({ unchanged: ['b', 'a'] })
    expect(hub.tools.map(({ name }) => name)).toEqual(['b__x', 'a__x'])
    expect([Object.keys(statusesOf(hub)), a.opened + b.opened]).toEqual([['b', 'a'], 2])
    expect(catalogs).toEqual(['a__x,b__x', 'b__x,a__x'])
  })

  it('another address is told at once, with the status', async () => {
    const hub = hubOf({ servers: { a: { target: { url: 'http://127.0.0.1:9/a' } } } })
    const seen: (string | undefined)[] = []
    hub.status$.subscribe(({ where }) => seen.push(where))
    await hub.apply({ a: { target: { url: 'http://127.0.0.1:19/a' } } })
    expect(seen).toEqual(['http 127.0.0.1:9', 'http 127.0.0.1:19'])
  })

  it('a change of a time limit makes no new link; a change of kind makes another connection', async () => {
    await using server = await startFaultServer()
    const hub = hubOf({ servers: { a: { target: { url: server.url } } }, defaults: {} })
    await hub.start()
    await hub.apply({ a: { target: { url: server.url }, policy: { timeouts: { callMs: 1_234 } } } })
    const context = () => hub.connections.get('a')?.actor.getSnapshot().context
    expect([context()?.policy.callMs, server.count('initialize')]).toEqual([1_234, 1])
    await hub.apply({ a: { target: { url: server.url } } })
    expect([context()?.policy.callMs, server.count('initialize')]).toEqual([60_000, 1])
    const a = new MemoryServer('x')
    expect(await hub.apply({ a: { target: a } })).toMatchObject({ changed: ['a'] })
    await expect.poll(() => statusesOf(hub)).toEqual({ a: 'ready' })
    expect(a.opened).toBe(1)
    expect(server.sessions.size).toBe(0)
  })

  it.each([
    ['connect()', (hub: Hub) => hub.connect('a', { keep: true })],
    ['a call', (hub: Hub) => hub.callTool({ server: 'a', name: 'x' })],
    ['a call by the name in the hub', (hub: Hub) => hub.callTool({ name: 'a__x' })],
  ] as const)('another connection to a server begins when the former one is gone, also by %s (P4)', async (_, use) => {
    const a = new MemoryServer('x')
    const hub = hubOf({ servers: { a: { target: a } } })
    await hub.connect('a')
    a.closesInMs = 50
    const applied = hub.apply({ a: { target: a, trusted: true } })
    await Promise.resolve()
    await use(hub)
    await applied
    expect([a.opened, a.mostAlive]).toEqual([2, 1])
  })

  it('what the hub alone does with a server changes without a new link', async () => {
    const a = new MemoryServer('x', 'y')
    const hub = hubOf({ servers: { a: { target: a } } })
    await hub.start()
    await hub.apply({ a: { target: a, tools: { exclude: ['y'] } } })
    expect([hub.tools.map(({ name }) => name), a.opened]).toEqual([['a__x'], 1])
    // Nor does it try again what has failed.
    const typo = { target: { command: 'no-such-command' } }
    await hub.apply({ typo })
    await expect.poll(() => statusesOf(hub)).toEqual({ typo: 'failed' })
    await hub.apply({ typo: { ...typo, idleMs: 5 } })
    expect(statusesOf(hub)).toEqual({ typo: 'failed' })
  })

  it('an entry that became bad stops, one that became good starts', async () => {
    const a = new MemoryServer('x')
    const hub = hubOf({ servers: { a: { target: a } } })
    await hub.start()
    await hub.apply({ a: { target: { command: '' } } })
    expect([statusesOf(hub), a.alive, hub.tools.length]).toEqual([{ a: 'failed' }, 0, 0])
    await hub.apply({ a: { target: a } })
    await expect.poll(() => statusesOf(hub)).toEqual({ a: 'ready' })
  })

  it('waits for no person: what needs an answer comes when it is given, everything else at once', async () => {
    const text = (version: string) =>
      JSON.stringify({
        servers: {
          asks: { ...written(childServer()), env: { KEY: `\${input:key}` } },
          well: { ...written(childServer()), env: { VERSION: version } },
        },
      })
    let answer: (value: string) => void = () => {}
    const input = () => new Promise<string>((resolve) => (answer = resolve))
    const options = { input }
    const inputs = parseConfig(text('1'), 'mcp.json', options)
    const hub = hubOf({ servers: {} })
    await hub.apply(inputs)
    const started = hub.start()
    await expect.poll(() => statusesOf(hub)).toEqual({ asks: 'idle', well: 'ready' })
    expect(await hub.apply({ entries: [inputs.entries[0] as ConfigEntry] })).toMatchObject({ removed: ['well'] })
    answer('typed')
    await started
    await expect.poll(() => statusesOf(hub)).toEqual({ asks: 'ready' })
    const answered = await hub.callTool({ name: 'asks__env', arguments: { name: 'KEY' } })
    expect(answered.content[0]?.text).toBe('typed')
    expect(await hub.apply({ entries: [inputs.entries[0] as ConfigEntry] })).toMatchObject({ unchanged: ['asks'] })
  })

  it('before start() it starts nothing', async () => {
    const a = new MemoryServer('x')
    const hub = hubOf({ servers: {} })
    await hub.apply({ a: { target: a } })
    expect([statusesOf(hub), a.opened]).toEqual([{ a: 'idle' }, 0])
  })
})

describe('close()', () => {
  it('ends all, at once, and any number of times; nothing goes afterwards', async () => {
    const servers = Array.from({ length: 5 }, () => new MemoryServer('x'))
    const hub = createHub({ servers: Object.fromEntries(servers.map((target, i) => [`s${i}`, { target }])) })
    await hub.start()
    const seen = record(hub)
    await Promise.all([hub.close(), hub.close()])
    expect(servers.map(({ alive }) => alive)).toEqual([0, 0, 0, 0, 0])
    expect(seen.slice(-5).every((line) => line.endsWith('closed'))).toBe(true)
    expect(await failure(hub.connect('s0'))).toBeInstanceOf(ConnectionClosedError)
    expect(await failure(hub.callTool({ name: 's0__x' }))).toBeInstanceOf(ConnectionClosedError)
  })

  it('waits for a server that was just taken away', async () => {
    const a = new MemoryServer('x')
    const hub = createHub({ servers: { a: { target: a } } })
    await hub.start()
    a.closesInMs = 50
    const applied = hub.apply({})
    await Promise.resolve()
    await hub.close()
    expect(a.alive).toBe(0)
    await applied
  })

  it('during the start too', async () => {
    await using server = await startFaultServer()
    server.answer('initialize', status(503))
    const hub = createHub({ servers: { a: { target: { url: server.url } }, b: { target: childServer() } } })
    const starting = hub.start()
    await hub.close()
    const statuses = await starting
    expect(statuses.map(({ status }) => status)).toEqual(['closed', 'closed'])
  })
})

it('shows no secret when it is printed', async () => {
  const hub = hubOf({
    servers: { a: { target: { url: 'http://127.0.0.1:9', headers: { Authorization: 'canary-1' } } } },
  })
  await hub.start()
  const shown = [inspect(hub, { depth: 20 }), JSON.stringify(hub), inspect(hub.servers, { depth: 20 })].join()
  expect(shown).not.toContain('canary')
})
