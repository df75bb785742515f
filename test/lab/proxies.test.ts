/** Real proxies between a connection and its server. */
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createConnection } from '../../src/index.js'
import { lasting, passing, through } from './configs.js'
import { note, underLoad } from './load.js'
import { type Replica, Site, until } from './rig.js'

const at = (replica: Replica) => `127.0.0.1:${replica.port}`

describe('nginx', () => {
  it('cuts idle streams: they are opened again, and no call notices', async () => {
    await using site = new Site()
    const one = await site.replica('one')
    const nginx = await site.nginx((port) =>
      passing(port, `server ${at(one)};`, 'proxy_buffering off; proxy_read_timeout 1s;'),
    )
    const plan = { target: { url: nginx.url }, everyMs: 400 }
    const tally = await underLoad(site, 'nginx cuts streams that are silent for 1 s', plan, () => pause(8_000))
    expect(tally).toMatchObject({ told: 0, lost: 0, doubled: 0, incidents: 0 })
  })

  it('answers 502 while its server is restarted', async () => {
    await using site = new Site()
    const one = await site.replica('one')
    const nginx = await site.nginx((port) => passing(port, `server ${at(one)};`))
    const situation = 'nginx answers 502 while the server is killed and returns after 2 s'
    const tally = await underLoad(site, situation, { target: { url: nginx.url } }, async () => {
      await pause(500)
      await one.kill()
      await pause(2_000)
      await one.start()
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
    expect(tally.recoveredMs).toBeLessThan(10_000)
  })

  it('is reloaded under load', async () => {
    await using site = new Site()
    const one = await site.replica('one')
    const nginx = await site.nginx((port) => passing(port, `server ${at(one)};`))
    const plan = { target: { url: nginx.url }, takesMs: 100 }
    const tally = await underLoad(site, 'nginx is reloaded five times', plan, async () => {
      for (let i = 0; i < 5; i++) {
        await pause(500)
        nginx.reload()
      }
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
  })

  it('buffers answers', async () => {
    await using site = new Site()
    const one = await site.replica('one')
    const nginx = await site.nginx((port) => passing(port, `server ${at(one)};`, 'proxy_buffering on;'))
    const plan = { target: { url: nginx.url }, takesMs: 100 }
    const tally = await underLoad(site, 'nginx buffers streams', plan, () => pause(3_000))
    expect(tally).toMatchObject({ told: 0, lost: 0, doubled: 0, incidents: 0 })
  })
})

describe('haproxy', () => {
  it('spreads requests over two replicas without affinity: told, bounded, nothing run twice', async () => {
    await using site = new Site()
    const [one, two] = [await site.replica('one'), await site.replica('two')]
    const backend = `balance roundrobin\n    server one ${at(one)}\n    server two ${at(two)}`
    const haproxy = await site.haproxy((port) => through(port, lasting, backend))
    await using connection = createConnection({ name: 'lab', target: { url: haproxy.url } })
    const calls = Array.from({ length: 20 }, async (_, i) => {
      await pause(i * 100)
      return connection.callTool({ name: 'work', arguments: { id: `call-${i}` } }, { timeoutMs: 8_000 })
    })
    const outcomes = await Promise.allSettled(calls)
    const runs = site.runs()
    expect(new Set(runs).size).toBe(runs.length)
    const answered = outcomes.filter(({ status }) => status === 'fulfilled').length
    expect(answered).toBeLessThanOrEqual(runs.length)
    note('haproxy spreads over two replicas without affinity', {
      calls: calls.length,
      answered,
      told: calls.length - answered,
      doubled: runs.length - new Set(runs).size,
    })
  })

  it('spreads connections over two replicas by a cookie: each keeps to its own', async () => {
    await using site = new Site()
    const [one, two] = [await site.replica('one'), await site.replica('two')]
    const servers = `server one ${at(one)} cookie one\n    server two ${at(two)} cookie two`
    const backend = `balance roundrobin\n    cookie WHERE insert indirect nocache\n    ${servers}`
    const haproxy = await site.haproxy((port) => through(port, lasting, backend))
    const situation = 'haproxy spreads by cookie over two replicas'
    const tally = await underLoad(site, situation, { target: { url: haproxy.url } }, () => pause(3_000))
    expect(tally).toMatchObject({ told: 0, lost: 0, doubled: 0, incidents: 0 })
  })

  it('cuts idle connections of both sides', async () => {
    await using site = new Site()
    const one = await site.replica('one')
    const short = 'timeout client 1s\n    timeout server 1s\n    timeout http-keep-alive 500ms'
    const haproxy = await site.haproxy((port) => through(port, short, `server one ${at(one)}`))
    const plan = { target: { url: haproxy.url }, everyMs: 700 }
    const tally = await underLoad(site, 'haproxy cuts connections that are idle for 0.5 to 1 s', plan, () =>
      pause(8_000),
    )
    expect(tally).toMatchObject({ told: 0, lost: 0, doubled: 0 })
  })

  it('stands before replicas that are restarted one after the other', async () => {
    await using site = new Site()
    const [one, two] = [await site.replica('one'), await site.replica('two')]
    const check = 'check inter 100ms fastinter 100ms downinter 100ms fall 1 rise 1'
    const servers = `server one ${at(one)} cookie one ${check}\n    server two ${at(two)} cookie two ${check}`
    const backend = `balance roundrobin\n    option httpchk GET /health\n    option redispatch\n    cookie WHERE insert indirect nocache\n    ${servers}`
    const haproxy = await site.haproxy((port) => through(port, lasting, backend))
    const plan = { target: { url: haproxy.url }, takesMs: 50 }
    const tally = await underLoad(site, 'two rolling restarts behind haproxy', plan, async () => {
      for (const replica of [one, two, one, two]) {
        await pause(700)
        await replica.restart()
        await until(async () => (await fetch(`${replica.origin}/health`)).ok, 'the replica to be back')
      }
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
    expect(tally.recoveredMs).toBeLessThan(10_000)
  })
})
