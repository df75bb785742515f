/** Field reports of kind 6: lists that change, are slow, or are wrong. 06.07 (reload of one server of several) belongs to the hub. */
import { describe, expect, it } from 'vitest'
import { type ListChange, RpcError } from '../../../src/index.js'
import {
  after,
  hang,
  healthy,
  inTurn,
  type Play,
  result,
  rpcError,
  type Tool,
} from '../../../src/testing/fault-server/index.js'
import { connected, failure, type Scene, scene } from '../rig.js'
import { quickChild } from '../stdio/rig.js'

const tool = (name: string, more: object = {}): Tool => ({ name, inputSchema: { type: 'object' }, ...more })
const names = ({ connection }: Scene) => connection.catalog.tools.map(({ name }) => name)

function changesOf({ connection }: Scene): (readonly ListChange[])[] {
  const seen: (readonly ListChange[])[] = []
  connection.changes$.subscribe((change) => seen.push(change))
  return seen
}

const tellChange = ({ server }: Scene, times = 1) => {
  for (let n = 0; n < times; n++) server.streams.push({ method: 'notifications/tools/list_changed' })
}

/** Something waits until it is opened. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** A list of tools in pages of so many. */
const paged =
  (all: readonly Tool[], size: number): Play =>
  (visit) => {
    const { params } = visit.request.body as { params?: { cursor?: string } }
    const from = Number(params?.cursor ?? 0)
    const more = from + size < all.length && { nextCursor: String(from + size) }
    return result({ tools: all.slice(from, from + size), ...more })(visit)
  }

describe('06.01: a list that is slow once', () => {
  it('06.01: takes nothing away: the tools stay, it is asked for again, and the link is kept', async () => {
    await using it = await connected()
    it.server.health.tools = [tool('new')]
    it.server.once('tools/list', hang())
    tellChange(it)
    await it.pass(11_000)
    expect(names(it)).toEqual(['echo'])
    expect(it.connection.status).toBe('ready')
    await it.passUntil(() => names(it)[0] === 'new', 10_000)
    expect(it.connection.catalog.errors).toEqual({})
    expect(it.server.count('initialize')).toBe(1)
    expect(it.losses).toEqual([])
  })

  it('06.01: even the first one: the connection is ready with what has come, and calls are answered', async () => {
    const capabilities = { tools: {}, resources: {}, prompts: {} }
    await using it = await connectedWithout('prompts/list', { capabilities })
    expect(names(it)).toEqual(['echo'])
    expect(await it.connection.callTool({ name: 'echo' })).toBeDefined()
    // The list that has not come is asked for again and makes nobody believe that the server is busy.
    it.server.answer('prompts/list', result({ prompts: [{ name: 'late' }] }))
    await it.passUntil(() => it.connection.catalog.prompts.length === 1, 10_000)
    expect(it.losses).toEqual([])
  })
})

describe('a stream that opens after the lists were read (decision 36)', () => {
  it('a change in between is found when the link has proved itself, by one reading of the lists and no more', async () => {
    await using it = await scene()
    const stream = gate()
    it.server.once(
      'GET',
      after(() => stream.opened, healthy()),
    )
    await it.connection.connect()
    it.server.health.tools = [tool('new')]
    tellChange(it)
    stream.open()
    await it.pass(9_000)
    expect(names(it)).toEqual(['echo'])
    await it.passUntil(() => names(it)[0] === 'new', 2_000)
    await it.pass(60_000)
    expect(it.server.count('tools/list')).toBe(2)
  })

  it('nothing is read again where the stream was open first, or where there is none', async () => {
    await using one = await scene()
    one.server.once('tools/list', async (visit) => {
      await one.server.seen('GET')
      await visit.healthy()
    })
    await using none = await scene({ server: { listening: false } })
    for (const it of [one, none]) {
      await it.connection.connect()
      await it.pass(60_000)
      expect(it.server.count('tools/list')).toBe(1)
    }
  })
})

/** Ready although this list is never answered. */
async function connectedWithout(method: string, options: { capabilities: Record<string, unknown> }): Promise<Scene> {
  const it = await scene({ server: options })
  it.server.answer(method, hang())
  const ready = it.connection.connect()
  await it.server.seen(method)
  await it.pass(10_000)
  await ready
  return it
}

describe('06.02: a server that comes back with other tools (P10)', () => {
  it('06.02: over HTTP: one change tells what differs, absent lists are not asked for, a tool that is gone is refused by the server', async () => {
    const call = () => ({ content: [] })
    await using it = await connected({
      server: { tools: [tool('a'), tool('b')], capabilities: { tools: {}, prompts: {} }, call },
    })
    const changes = changesOf(it)
    const prompts = it.server.count('prompts/list')
    it.server.health.tools = [tool('b', { description: 'other' }), tool('c')]
    it.server.health.capabilities = { tools: {} }
    it.server.answer('tools/call', rpcError(-32602, 'Unknown tool: a'))
    it.server.forgetSessions()
    await it.connection.request('tools/list')
    await it.settled()
    expect(changes).toEqual([[{ list: 'tools', added: ['c'], removed: ['a'], changed: ['b'] }]])
    expect(it.server.count('prompts/list')).toBe(prompts)
    expect(await failure(it.connection.callTool({ name: 'a' }))).toBeInstanceOf(RpcError)
    expect(it.connection.status).toBe('ready')
  })

  it('06.02: over stdio: the same, and the session tells the new version', async () => {
    await using it = quickChild({
      starts: [{ tools: ['echo', 'die'], capabilities: { tools: {}, prompts: {} } }],
      tools: ['echo', 'counter'],
      capabilities: { tools: {} },
      serverInfo: { name: 'scripted-child', version: '2.0.0' },
    })
    await it.connection.connect()
    const changes: (readonly ListChange[])[] = []
    it.connection.changes$.subscribe((change) => changes.push(change))
    await failure(it.connection.callTool({ name: 'die' }))
    await it.connection.ready()
    const gone = { added: [], removed: ['greet'], changed: [] }
    expect(changes).toEqual([
      [
        { list: 'tools', added: ['counter'], removed: ['die'], changed: [] },
        { list: 'prompts', ...gone },
      ],
    ])
    expect(it.messages('prompts/list')).toHaveLength(1)
    expect(it.connection.session?.serverInfo.version).toBe('2.0.0')
  })
})

describe('06.03: a burst of changes', () => {
  it('06.03: two hundred notifications cost at most two more readings, and the last change is seen', async () => {
    await using it = await connected()
    const before = it.server.count('tools/list')
    it.server.health.tools = [tool('first')]
    tellChange(it, 199)
    await it.settled()
    it.server.health.tools = [tool('last')]
    tellChange(it)
    await it.pass(5_000)
    expect(names(it)).toEqual(['last'])
    expect(it.server.count('tools/list') - before).toBeLessThanOrEqual(2)
  })

  it('06.03: a change told while the lists are read is not lost', async () => {
    await using it = await connected()
    const told = gate()
    it.server.once('tools/list', async (visit) => {
      await told.opened
      await result({ tools: [tool('old')] })(visit)
    })
    tellChange(it)
    await it.passUntil(() => it.server.count('tools/list') === 2, 2_000)
    it.server.health.tools = [tool('new')]
    tellChange(it)
    await it.settled()
    told.open()
    await it.passUntil(() => names(it)[0] === 'new', 5_000)
    expect(it.server.count('tools/list')).toBe(3)
  })

  it.each([
    ['at once', 0],
    ['after a second and a half', 1_500],
  ])('06.03: a server whose every list, given %s, brings a notification is not asked in a loop', async (_how, ms) => {
    await using it = await connected()
    let revision = 0
    it.server.answer('tools/list', async (visit) => {
      if (ms > 0) await visit.server.wait(ms)
      revision += 1
      await result({ tools: [tool(`r${revision}`)] })(visit)
      tellChange(it)
    })
    const before = it.server.count('tools/list')
    tellChange(it)
    await it.pass(60_000)
    expect(it.server.count('tools/list') - before).toBeLessThanOrEqual(20)
    expect(it.statuses.filter((status) => status === 'ready')).toHaveLength(1)
  })

  it('06.03: what was read on a link that is gone does not count', async () => {
    await using it = await connected()
    const late = gate()
    it.server.once('tools/list', async (visit) => {
      await late.opened
      await result({ tools: [tool('of-the-old-link')] })(visit)
    })
    tellChange(it)
    await it.passUntil(() => it.server.count('tools/list') === 2, 2_000)
    await it.connection.reconnect()
    late.open()
    await it.settled()
    expect(names(it)).toEqual(['echo'])
  })
})

describe('06.04: lists in pages', () => {
  const all = Array.from({ length: 150 }, (_, n) => tool(`t${n}`))

  it('06.04: are read to the end, and come as one list', async () => {
    await using it = await connected()
    const changes = changesOf(it)
    it.server.answer('tools/list', paged(all, 50))
    tellChange(it)
    await it.passUntil(() => it.connection.catalog.tools.length !== 1, 5_000)
    expect(it.connection.catalog.tools).toHaveLength(150)
    expect(changes).toHaveLength(1)
  })

  it('06.04: of which one fails leave the old list as it was, and are read again', async () => {
    await using it = await connected()
    it.server.answer('tools/list', inTurn(paged(all, 50), rpcError(-32603, 'page lost'), paged(all, 50)))
    tellChange(it)
    await it.passUntil(() => it.connection.catalog.errors.tools !== undefined, 5_000)
    expect(names(it)).toEqual(['echo'])
    await it.passUntil(() => it.connection.catalog.tools.length === 150, 10_000)
    expect(it.connection.catalog.errors).toEqual({})
  })
})

describe('06.05: a server that tells of a change before it has made it', () => {
  it.each([
    ['the old list', { tools: [tool('echo', { description: 'returns what it is given' })] }],
    ['an empty list', { tools: [] }],
  ])('06.05: and gives %s first, is asked once more', async (_what, early) => {
    await using it = await connected()
    it.server.answer('tools/list', inTurn(result(early), result({ tools: [tool('x')] })))
    tellChange(it)
    await it.passUntil(() => names(it)[0] === 'x', 10_000)
    const asked = it.server.count('tools/list')
    await it.pass(30_000)
    expect(it.server.count('tools/list')).toBe(asked)
  })
})

it('06.06: what was taken from a connection before the server was restarted still works after it', async () => {
  await using it = await connected()
  const { connection } = it
  const echo = (n: string) => connection.callTool({ name: 'echo', arguments: { n } })
  await echo('before')
  await it.server.restart()
  const call = echo('after')
  await it.pass(2_000)
  expect(JSON.stringify(await call)).toContain('after')
  expect(connection.status).toBe('ready')
})
