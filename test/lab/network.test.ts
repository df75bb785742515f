/** A server on a machine of its own, and the cable between. */
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createConnection, type PolicyOptions } from '../../src/index.js'
import { note, underLoad } from './load.js'
import { Namespace, Site, until } from './rig.js'

const quick: PolicyOptions = { keepaliveMs: 1_000, timeouts: { probeMs: 1_000, connectMs: 2_000, initializeMs: 2_000 } }

/** A server in a namespace of its own; both end with the site. */
async function apart(site: Site) {
  const net = new Namespace()
  site.atEnd(() => net[Symbol.dispose]())
  const server = await site.replica('far', { host: net.host, within: net.within })
  return { net, server, target: { url: `${server.origin}/mcp` } }
}

describe('network', () => {
  it('lets packets vanish: a half-open link is declared dead within keepalive and two probes (P16)', async () => {
    await using site = new Site()
    const { net, target } = await apart(site)
    await using connection = createConnection({ name: 'lab', target, policy: quick })
    await connection.connect()
    await pause(500)
    net.blackhole()
    const began = performance.now()
    await until(() => connection.status !== 'ready', 'the dead link to be noticed')
    const noticedMs = performance.now() - began
    net.heal()
    await until(() => connection.status === 'ready', 'the connection to be back')
    note('half open, keepalive 1 s and probes of 1 s', { noticedMs: Math.round(noticedMs) })
    expect(noticedMs).toBeLessThan(4_000)
  })

  it('lets packets vanish for 5 s under load', async () => {
    await using site = new Site()
    const { net, target } = await apart(site)
    const tally = await underLoad(site, 'all packets dropped for 5 s', { target, policy: quick }, async () => {
      await pause(500)
      net.blackhole()
      await pause(5_000)
      net.heal()
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
  })

  it('loses three packets in ten', async () => {
    await using site = new Site()
    const { net, target } = await apart(site)
    const tally = await underLoad(site, '30 % of packets lost for 8 s', { target, policy: quick }, async () => {
      net.lose(0.3)
      await pause(8_000)
      net.heal()
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
  })

  it('resets every connection for 3 s', async () => {
    await using site = new Site()
    const { net, target } = await apart(site)
    const tally = await underLoad(site, 'every packet answered by a reset for 3 s', { target }, async () => {
      await pause(500)
      net.refuse()
      await pause(3_000)
      net.heal()
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
    expect(tally.recoveredMs).toBeLessThan(10_000)
  })

  it('is unplugged for 4 s', async () => {
    await using site = new Site()
    const { net, target } = await apart(site)
    const tally = await underLoad(site, 'the cable pulled for 4 s', { target, policy: quick }, async () => {
      await pause(500)
      net.unplug()
      await pause(4_000)
      net.plug()
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
  })

  it('is slow: 64 kbit a second', async () => {
    await using site = new Site()
    const { net, target } = await apart(site)
    net.slow(64)
    const tally = await underLoad(site, 'a line of 64 kbit/s', { target, everyMs: 400 }, () => pause(6_000))
    expect(tally).toMatchObject({ told: 0, lost: 0, doubled: 0, incidents: 0 })
  })
})
