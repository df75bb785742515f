/**
 * How real servers deviate in lists, pings and on stdio: 33 to 37, 43 and 44 of the known deviations. 34 is played in full
 * under report 07.05; units of 35 and 36 are in test/link/pages.test.ts and catalog.test.ts.
 */
import { describe, expect, it } from 'vitest'
import { RpcError } from '../../../src/index.js'
import { hang, result, rpcError, status } from '../../../src/testing/fault-server/index.js'
import { connected, failure, scene } from '../rig.js'
import { isAlive, quickChild, textOf } from '../stdio/rig.js'

const everything = {
  tools: {},
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
}

describe('33: a capability that is advertised without its list', () => {
  it('33: -32601 means that there is nothing, and is not asked for again', async () => {
    await using it = await connected({ server: { capabilities: everything } })
    expect(it.connection.catalog).toMatchObject({ resources: [], resourceTemplates: [], prompts: [], errors: {} })
    const asked = it.server.count('resources/list')
    await it.pass(120_000, 2_500)
    expect(it.server.count('resources/list')).toBe(asked)
    expect(it.losses).toEqual([])
  })

  it('33: -32603 keeps the connection ready and tells of the list; it is asked for again, ever more rarely', async () => {
    await using it = await scene({ server: { capabilities: everything } })
    it.server.answer('resources/templates/list', rpcError(-32603, 'boom'))
    await it.connection.connect()
    expect(it.connection.catalog.tools).toHaveLength(1)
    expect(it.connection.catalog.errors.resourceTemplates).toMatchObject({ code: 'rpc.-32603' })
    await it.pass(600_000, 2_500)
    expect(it.server.count('resources/templates/list')).toBeLessThanOrEqual(15)
    expect(it.server.count('tools/list')).toBeLessThanOrEqual(2)
    expect(it.losses).toEqual([])
  })
})

it('34: a server that refuses pings is alive', async () => {
  await using it = await connected()
  it.server.answer('ping', rpcError(-32601, 'Method not found'))
  await it.pass(100_000, 2_500)
  expect(it.connection.rttMs).toBeDefined()
  expect(it.losses).toEqual([])
})

describe('35: cursors', () => {
  it('35: one that never advances ends the list with what has come', async () => {
    await using it = await scene()
    const tool = { name: 'x', inputSchema: { type: 'object' } }
    it.server.answer('tools/list', result({ tools: [tool], nextCursor: 'again' }))
    await it.connection.connect()
    expect(it.server.count('tools/list')).toBe(2)
    expect(it.connection.catalog.tools).toEqual([tool])
    expect(it.connection.catalog.errors).toEqual({})
  })

  it.each(['', null])('35: %j ends the list', async (nextCursor) => {
    await using it = await scene()
    it.server.answer('tools/list', result({ tools: [{ name: 'x', inputSchema: {} }], nextCursor }))
    await it.connection.connect()
    expect(it.server.count('tools/list')).toBe(1)
    expect(it.connection.catalog.tools).toHaveLength(1)
  })
})

it('36: schemas that a validator would refuse do no harm to their tool, nor to others', async () => {
  const odd = [
    { name: 'ref', inputSchema: { type: 'object' }, outputSchema: { type: 'object', $ref: '#/$defs/nowhere' } },
    { name: 'empty', inputSchema: {} },
    { name: 'required', inputSchema: { type: 'object', required: null } },
    { name: 'unknown', inputSchema: { type: 'object', properties: { a: { type: 'unknown' } } } },
    { name: 'none' },
    null,
  ]
  await using it = await scene()
  it.server.answer('tools/list', result({ tools: odd }))
  await it.connection.connect()
  expect(it.connection.catalog.tools.map(({ name }) => name)).toEqual(['ref', 'empty', 'required', 'unknown'])
  expect(it.connection.catalog.rejected).toHaveLength(2)
  for (const name of ['ref', 'empty'])
    expect(await it.connection.callTool({ name, arguments: { n: name } })).toBeDefined()
})

describe('37: what is advertised and not there', () => {
  it('37: a subscription that is refused is told to the caller and asked for no more', async () => {
    await using it = await connected({ server: { capabilities: everything } })
    expect(await failure(it.connection.subscribe('test://one'))).toBeInstanceOf(RpcError)
    it.server.forgetSessions()
    await it.connection.request('tools/list')
    await it.pass(120_000, 2_500)
    expect(it.server.count('resources/subscribe')).toBe(1)
    expect(it.connection.checkpoint().subscriptions).toEqual([])
  })

  it('37: list_changed that never comes: after a new session the lists are read all the same', async () => {
    await using it = await connected()
    it.server.health.tools = [{ name: 'other', inputSchema: {} }]
    await it.pass(60_000, 2_500)
    expect(it.connection.catalog.tools.map(({ name }) => name)).toEqual(['echo'])
    it.server.forgetSessions()
    await it.connection.request('tools/list')
    expect(it.connection.catalog.tools.map(({ name }) => name)).toEqual(['other'])
  })
})

it('43: log lines on stdout, in pieces, with braces, between and before messages, harm nothing', async () => {
  await using it = quickChild({
    onStart: [{ print: 'Server starting…\n{ not json\n[also not\n' }],
    on: { 'tools/call:echo': [{ print: 'INFO {"level":30}\n' }, { answer: true }, { print: 'multi\nline\n\n' }] },
    output: { chunkBytes: 7 },
  })
  await it.connection.connect()
  for (const text of ['one', 'two']) {
    expect(textOf(await it.connection.callTool({ name: 'echo', arguments: { text } }))).toBe(text)
  }
  expect(it.starts).toHaveLength(1)
})

it.each([
  ['a helper of its own, deaf to SIGTERM', { ignoreSigterm: true }],
  ['a helper that holds its stdin', { holdStdin: true }],
])('44: a server that ignores the end of stdin, with %s, leaves nobody behind', async (_who, helper) => {
  await using it = quickChild({ onEof: [], onSigterm: [], onStart: [{ grandchild: true, ...helper }] })
  await it.connection.connect()
  await it.connection.close()
  expect(it.log.map(({ pid }) => pid).filter(isAlive)).toEqual([])
})

describe('lists that never come', () => {
  it('do not make a dead link look busy for longer than a call may take', async () => {
    await using it = await scene()
    it.server.answer('tools/list', hang())
    const ready = it.connection.connect()
    await it.server.seen('tools/list')
    await it.pass(10_000)
    await ready
    it.server.answer('*', hang())
    // The time of a call, the keepalive, two probes.
    await it.passUntil(() => it.losses.length > 0, 60_000 + 30_000 + 10_000)
    expect(it.losses).toEqual(['probe.unanswered'])
    it.server.heal()
  })

  it('an HTTP error on a list is that list’s alone', async () => {
    await using it = await scene({ server: { capabilities: everything } })
    it.server.once('prompts/list', status(500))
    await it.connection.connect()
    expect(it.connection.catalog.errors.prompts).toMatchObject({ code: 'http.500' })
    await it.passUntil(() => it.connection.catalog.errors.prompts === undefined, 10_000)
    expect(it.losses).toEqual([])
  })
})
