/** The configuration file changes while the hub runs. */
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../src/errors.js'
import { type ConfigNews, createHub, type Hub } from '../../src/hub/index.js'
import { childServer } from '../../src/testing/child/index.js'
import { hang, startFaultServer } from '../../src/testing/fault-server/index.js'
import { folder } from './files.js'
import { hubOf, statusesOf, written } from './rig.js'

const child = (version = '1') => ({ ...written(childServer()), env: { VERSION: version } })
const text = (servers: Record<string, unknown>) => JSON.stringify({ mcpServers: servers }, null, 2)

interface Scene {
  readonly hub: Hub
  readonly file: string
  readonly news: ConfigNews[]
  readonly write: (servers: Record<string, unknown>) => void
}

async function scene(servers: Record<string, unknown>, name = 'mcp.json'): Promise<Scene> {
  const file = join(folder(), name)
  writeFileSync(file, text(servers))
  const hub = hubOf({ configFile: file })
  const news: ConfigNews[] = []
  hub.config$.subscribe((one) => news.push(one))
  await hub.start()
  return { hub, file, news, write: (next) => writeFileSync(file, text(next)) }
}

const told = (news: readonly ConfigNews[]) => news.map(({ type }) => type)
const links = (hub: Hub, name: string) => hub.connections.get(name)?.actor.getSnapshot().context.generation
const wait = { timeout: 10_000 }

describe('a configuration file that changes', () => {
  it('is taken up: only what changed is touched', async () => {
    const { hub, news, write } = await scene({ same: child(), other: child(), gone: child() })
    write({ same: child(), other: child('2'), new: child() })
    await expect.poll(() => told(news), wait).toEqual(['applied'])
    expect(news[0]).toMatchObject({
      applied: { added: ['new'], removed: ['gone'], changed: ['other'], unchanged: ['same'] },
    })
    await expect.poll(() => statusesOf(hub), wait).toEqual({ same: 'ready', other: 'ready', new: 'ready' })
    expect([links(hub, 'same'), links(hub, 'other'), links(hub, 'new')]).toEqual([1, 2, 1])
    const answer = await hub.callTool({ name: 'other__env', arguments: { name: 'VERSION' } })
    expect(answer.content[0]?.text).toBe('2')
  })

  it('to a server of another kind, which is not there yet: its tools stay, marked unavailable, until it has told its own', async () => {
    const { hub, write, news } = await scene({ a: child() })
    const names = () => hub.catalog.tools.map(({ name }) => name)
    const before = names()
    expect(before.length).toBeGreaterThan(0)
    await using server = await startFaultServer()
    server.answer('initialize', hang())
    for (const path of ['', '?again']) {
      write({ a: { url: `${server.url}${path}` } })
      await server.seen('initialize')
      expect(names()).toEqual(before)
      expect(hub.catalog.tools.some(({ available }) => available)).toBe(false)
    }
    server.heal()
    write({ a: { url: `${server.url}?well` } })
    await expect.poll(names, wait).toEqual(['a__echo'])
    write({ a: { ...child(), disabled: true } })
    await expect.poll(names, wait).toEqual([])
    expect(told(news)).not.toContain('trouble')
  })

  it('by being replaced, again and again', async () => {
    const { hub, file, news } = await scene({ a: child() })
    for (const version of ['2', '3', '4']) {
      writeFileSync(`${file}.new`, text({ a: child(version) }))
      renameSync(`${file}.new`, file)
      await expect.poll(() => news.length, wait).toBe(Number(version) - 1)
    }
    await expect.poll(() => [links(hub, 'a'), statusesOf(hub).a], wait).toEqual([4, 'ready'])
  })

  it('behind a link that is led elsewhere, as deployments do', async () => {
    const dir = folder()
    for (const version of ['1', '2']) {
      mkdirSync(join(dir, version))
      writeFileSync(join(dir, version, 'mcp.json'), text({ a: child(version) }))
    }
    symlinkSync('1', join(dir, '..data'))
    symlinkSync('..data/mcp.json', join(dir, 'mcp.json'))
    const hub = hubOf({ configFile: join(dir, 'mcp.json') })
    const news: ConfigNews[] = []
    hub.config$.subscribe((one) => news.push(one))
    symlinkSync('2', join(dir, '..next'))
    renameSync(join(dir, '..next'), join(dir, '..data'))
    await expect.poll(() => told(news), wait).toEqual(['applied'])
  })

  it('half written: what it said before still holds, it is told where it breaks off, and then goes on', async () => {
    const { hub, file, news, write } = await scene({ a: child() })
    writeFileSync(file, text({ a: child('2') }).slice(0, 40))
    await expect.poll(() => told(news), wait).toEqual(['trouble'])
    const [trouble] = news
    expect(trouble).toMatchObject({ error: { at: { file, line: expect.any(Number) } } })
    expect([statusesOf(hub), links(hub, 'a')]).toEqual([{ a: 'ready' }, 1])
    write({ a: child('2') })
    await expect.poll(() => told(news), wait).toEqual(['trouble', 'back', 'applied'])
    await expect.poll(() => [links(hub, 'a'), statusesOf(hub).a], wait).toEqual([2, 'ready'])
  })

  it('removed: everything runs on, it is told, and goes on when it is back', async () => {
    const { hub, file, news, write } = await scene({ a: child() })
    unlinkSync(file)
    await expect.poll(() => told(news), wait).toEqual(['trouble'])
    expect(String((news[0] as { error: ConfigError }).error)).toContain('mcp.json is gone.')
    expect(statusesOf(hub)).toEqual({ a: 'ready' })
    write({ a: child() })
    await expect.poll(() => told(news), wait).toEqual(['trouble', 'back'])
    expect(links(hub, 'a')).toBe(1)
    write({})
    await expect.poll(() => statusesOf(hub), wait).toEqual({})
  })

  it('with its folder: the same', async () => {
    const { hub, file, news } = await scene({ a: child() })
    const dir = join(file, '..')
    rmSync(dir, { recursive: true })
    await expect.poll(() => told(news), wait).toEqual(['trouble'])
    mkdirSync(dir)
    writeFileSync(file, text({ a: child(), b: child() }))
    await expect.poll(() => statusesOf(hub), wait).toEqual({ a: 'ready', b: 'ready' })
  })

  it('one entry becomes bad: that one stops and says why', async () => {
    const { hub, write } = await scene({ a: child(), b: child() })
    write({ a: child(), b: { command: `\${NO_SUCH_VARIABLE}` } })
    await expect.poll(() => statusesOf(hub), wait).toEqual({ a: 'ready', b: 'failed' })
    expect(hub.servers[1]?.error?.at).toMatchObject({ server: 'b', field: 'command', line: expect.any(Number) })
    expect(links(hub, 'a')).toBe(1)
  })

  it('is not watched where that is not wanted, nor after the end', async () => {
    const file = join(folder(), 'mcp.json')
    writeFileSync(file, text({}))
    const hub = createHub({ configFile: file, watch: false })
    await hub.close()
    const watched = createHub({ configFile: file })
    await watched.close()
    expect(process.getActiveResourcesInfo().filter((kind) => kind === 'FSEventWrap')).toEqual([])
  })

  it('cannot be used at the beginning: it is said at once', () => {
    const file = join(folder(), 'mcp.json')
    writeFileSync(file, '{ "mcpServers": {')
    expect(() => createHub({ configFile: file })).toThrow(ConfigError)
    expect(() => createHub({ configFile: file })).toThrow(/mcp\.json:1:18: this is not JSON/)
    expect(() => createHub({ configFile: join(file, 'nowhere') })).toThrow(ConfigError)
  })
})
