import { describe, expect, it, test } from 'vitest'
import { SimulatedClock } from 'xstate'
import { ConfigError, UnknownServerError, UnknownToolError } from '../../src/errors.js'
import type { HubChange, HubOptions, HubTool } from '../../src/hub/index.js'
import { childServer } from '../../src/testing/child/index.js'
import { failure } from '../connection/rig.js'
import { hubOf, MemoryServer, statusesOf } from './rig.js'

const names = (tools: readonly HubTool[]) => tools.map(({ name }) => name)
const text = (result: { content: { text?: string }[] }) => result.content[0]?.text

describe('the catalog of all', () => {
  it('has the tools of all servers, in the order of the configuration', async () => {
    const hub = hubOf({ servers: { b: { target: new MemoryServer('y') }, a: { target: new MemoryServer('x', 'w') } } })
    await hub.start()
    expect(hub.tools).toMatchObject([
      { name: 'b__y', server: 'b', originalName: 'y', available: true, inputSchema: {} },
      { name: 'a__x', server: 'a', originalName: 'x', available: true },
      { name: 'a__w', server: 'a', originalName: 'w', available: true },
    ])
    expect(hub.catalog.resources).toMatchObject([
      { uri: 'note://one', server: 'b' },
      { uri: 'note://one', server: 'a' },
    ])
    expect(hub.catalog.prompts).toMatchObject([
      { name: 'greet', server: 'b' },
      { name: 'greet', server: 'a' },
    ])
  })

  it('keeps the tools of a server that is down, marked, and tells what changed', async () => {
    const [a, b] = [new MemoryServer('x'), new MemoryServer('y')]
    const hub = hubOf({ servers: { a: { target: a }, b: { target: b } } })
    await hub.start()
    const changes: HubChange[] = []
    hub.changes$.subscribe((change) => changes.push(change))
    a.lose(false)
    await expect
      .poll(() => hub.tools)
      .toMatchObject([
        { name: 'a__x', available: false },
        { name: 'b__y', available: true },
      ])
    expect(changes).toEqual([{ server: 'a', available: false, lists: [] }])
    a.tools = ['x', 'z']
    a.isUp = true
    await expect.poll(() => names(hub.tools)).toEqual(['a__x', 'a__z', 'b__y'])
    expect(hub.tools.every(({ available }) => available)).toBe(true)
    expect(changes).toContainEqual({
      server: 'a',
      available: expect.any(Boolean),
      lists: [{ list: 'tools', added: ['a__z'], removed: [], changed: [] }],
    })
  })

  it('is told anew once for many servers', async () => {
    const servers = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`s${i}`, { target: new MemoryServer('x') }]),
    )
    const hub = hubOf({ servers })
    let told = 0
    hub.catalog$.subscribe(() => told++)
    await hub.start()
    await expect.poll(() => hub.tools.length).toBe(40)
    expect(told).toBeLessThan(60)
  })

  it('has one name for each tool, whatever its server calls it', async () => {
    const hub = hubOf({
      servers: {
        'my files': { target: new MemoryServer('read it') },
        my_files: { target: new MemoryServer('read_it') },
      },
    })
    await hub.start()
    const [first, second] = names(hub.tools)
    expect(first).toMatch(/^my_files__read_it_[0-9a-f]{12}$/)
    expect(second).toBe('my_files__read_it')
    expect(text(await hub.callTool({ name: first ?? '' }))).toBe('read it ran')
    expect(text(await hub.callTool({ name: second ?? '' }))).toBe('read_it ran')
  })
})

describe('filters', () => {
  const tools = ['read_file', 'read_dir', 'delete_file', 'write']
  const throwing = () => {
    throw new Error('of the application')
  }
  test.each<[string, HubOptions['tools'], object | undefined, string[]]>([
    ['none', undefined, undefined, tools],
    ['a glob of the server', undefined, { include: ['read_*'] }, ['read_file', 'read_dir']],
    ['a question mark', undefined, { include: ['writ?', 'rea?'] }, ['write']],
    ['exclude wins', undefined, { include: ['*_file'], exclude: ['delete*'] }, ['read_file']],
    ['a predicate', undefined, { include: ({ name }: { name: string }) => name.length < 9 }, ['read_dir', 'write']],
    ['of the hub', { exclude: ['a/delete_*', 'b/*'] }, undefined, ['read_file', 'read_dir', 'write']],
    [
      'of the hub, a predicate',
      { include: ({ name }, server) => server === 'a' && name === 'write' },
      undefined,
      ['write'],
    ],
    ['of both', { include: ['a/*_file'] }, { exclude: ['delete_file'] }, ['read_file']],
    ['a predicate that throws says no', undefined, { exclude: throwing }, []],
    ['points are points', undefined, { include: ['read.file', '(write|x)'] }, []],
  ])('%s', async (_, ofHub, ofServer, left) => {
    const hub = hubOf({
      servers: { a: { target: new MemoryServer(...tools), ...(ofServer && { tools: ofServer }) } },
      tools: ofHub,
    })
    await hub.start()
    expect(hub.tools.map(({ originalName }) => originalName)).toEqual(left)
  })

  it('what is filtered out cannot be called, under no name', async () => {
    const a = new MemoryServer('x', 'y')
    const hub = hubOf({ servers: { a: { target: a, tools: { exclude: ['y'] } } } })
    expect(await failure(hub.callTool({ server: 'a', name: 'y' }))).toBeInstanceOf(UnknownToolError)
    await hub.start()
    expect(await failure(hub.callTool({ server: 'a', name: 'y' }))).toBeInstanceOf(UnknownToolError)
    expect(await failure(hub.callTool({ name: 'a__y' }))).toBeInstanceOf(UnknownToolError)
    expect(text(await hub.callTool({ server: 'a', name: 'x' }))).toBe('x ran')
    expect(a.called).toEqual(['x'])
  })
})

describe('calling', () => {
  it('by the name in the hub, with arguments; resources and prompts by their server', async () => {
    const hub = hubOf({ servers: { child: { target: childServer() }, memory: { target: new MemoryServer('x') } } })
    await hub.start()
    expect(text(await hub.callTool({ name: 'child__echo', arguments: { text: 'hello' } }))).toBe('hello')
    expect(await hub.readResource({ server: 'memory', uri: 'note://one' })).toMatchObject({
      contents: [{ text: 'noted' }],
    })
    expect(await hub.getPrompt({ server: 'memory', name: 'greet' })).toMatchObject({ messages: [{ role: 'user' }] })
  })

  it('waits while the server is away, as any call does', async () => {
    const a = new MemoryServer('x')
    const hub = hubOf({ servers: { a: { target: a } } })
    await hub.start()
    a.lose(false)
    await expect.poll(() => hub.tools[0]?.available).toBe(false)
    const call = hub.callTool({ name: 'a__x' })
    a.isUp = true
    expect(text(await call)).toBe('x ran')
  })

  test.each([
    [{ name: 'nobody__x' }, UnknownToolError],
    [{ name: 'a__nothing' }, UnknownToolError],
    [{ server: 'nobody', name: 'x' }, UnknownServerError],
    [{ server: 'off', name: 'x' }, UnknownServerError],
    [{ name: 'off__x' }, UnknownToolError],
    [{ name: 'bad__x' }, ConfigError],
    [{ server: 'bad', name: 'x' }, ConfigError],
  ])('%j rejects', async (params, error) => {
    const off = { target: new MemoryServer('x'), disabled: true }
    const hub = hubOf({ servers: { a: { target: new MemoryServer('x') }, off, bad: { target: { command: '' } } } })
    await hub.start()
    expect(await failure(hub.callTool(params))).toBeInstanceOf(error)
  })
})

describe('lazy servers', () => {
  it('are started by the first call, under any name, and only the one that is meant', async () => {
    const [a, b] = [new MemoryServer('x'), new MemoryServer('x')]
    const hub = hubOf({ servers: { a: { target: a, lazy: true }, b: { target: b, lazy: true } } })
    await hub.start()
    expect(text(await hub.callTool({ name: 'a__x' }))).toBe('x ran')
    expect([a.opened, b.opened]).toEqual([1, 0])
    expect(text(await hub.callTool({ server: 'b', name: 'x' }))).toBe('x ran')
    expect(statusesOf(hub)).toEqual({ a: 'ready', b: 'ready' })
  })

  it('that cannot be started say why to who called', async () => {
    const hub = hubOf({ servers: { typo: { target: { command: 'no-such-command' }, lazy: true } } })
    expect(await failure(hub.callTool({ name: 'typo__x' }))).toMatchObject({ fault: { code: 'spawn.ENOENT' } })
  })

  it('stop when nobody has called for the time, keep their tools, and start again', async () => {
    const clock = new SimulatedClock()
    const a = new MemoryServer('x')
    const hub = hubOf({ servers: { a: { target: a, idleMs: 60_000 } }, clock, random: () => 0.5 })
    await hub.start()
    clock.increment(59_000)
    expect(statusesOf(hub)).toEqual({ a: 'ready' })
    await hub.callTool({ name: 'a__x' })
    clock.increment(59_000)
    expect(statusesOf(hub)).toEqual({ a: 'ready' })
    clock.increment(1_000)
    await expect.poll(() => statusesOf(hub)).toEqual({ a: 'idle' })
    expect([a.alive, hub.tools]).toMatchObject([0, [{ name: 'a__x', available: true }]])
    await hub.callTool({ name: 'a__x' })
    expect([statusesOf(hub), a.opened]).toEqual([{ a: 'ready' }, 2])
  })

  it('do not stop under a call, whoever made it, nor while a resource is subscribed to', async () => {
    const clock = new SimulatedClock()
    const hub = hubOf({ servers: { a: { target: childServer(), idleMs: 1_000, policy: { keepaliveMs: 0 } } }, clock })
    await hub.start()
    const connection = hub.connections.get('a')
    const abort = new AbortController()
    const call = failure(connection?.callTool({ name: 'slow' }, { signal: abort.signal }) ?? Promise.resolve())
    clock.increment(5_000)
    expect(statusesOf(hub)).toEqual({ a: 'ready' })
    await connection?.subscribe('test://one')
    abort.abort()
    await call
    clock.increment(5_000)
    expect(statusesOf(hub)).toEqual({ a: 'ready' })
    await connection?.unsubscribe('test://one')
    clock.increment(5_000)
    const closing = expect.poll(() => {
      clock.increment(100)
      return statusesOf(hub)
    })
    await closing.toEqual({ a: 'idle' })
  })
})
