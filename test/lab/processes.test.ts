/** Servers that are stopped, go on, and die, as processes. */
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { PolicyOptions } from '../../src/index.js'
import { underLoad } from './load.js'
import { childrenOf, Site } from './rig.js'

const quick: PolicyOptions = { keepaliveMs: 1_000, timeouts: { probeMs: 1_000 } }
const only = (pids: number[]): number => {
  const [pid] = pids
  if (pids.length !== 1 || pid === undefined) throw new Error(`one child was expected, not ${pids.length}`)
  return pid
}

describe('a child', () => {
  it('is stopped for less than a keepalive and two probes: it is waited for', async () => {
    await using site = new Site()
    const { stdioTarget: target } = site
    const tally = await underLoad(site, 'a child stopped for 1 s', { target, policy: quick }, async () => {
      await pause(500)
      const pid = only(childrenOf(process.pid))
      process.kill(pid, 'SIGSTOP')
      await pause(1_000)
      process.kill(pid, 'SIGCONT')
    })
    expect(tally).toMatchObject({ told: 0, lost: 0, doubled: 0, incidents: 0 })
    expect(childrenOf(process.pid)).toEqual([])
  })

  it('is stopped for good: it is replaced, and gone', async () => {
    await using site = new Site()
    const { stdioTarget: target } = site
    let stopped = 0
    const plan = { target, policy: quick, callMs: 8_000 }
    const tally = await underLoad(site, 'a child stopped for good', plan, async () => {
      await pause(500)
      stopped = only(childrenOf(process.pid))
      process.kill(stopped, 'SIGSTOP')
      await pause(10_000)
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
    expect(() => process.kill(stopped, 0)).toThrow()
    expect(childrenOf(process.pid)).toEqual([])
  })

  it('is killed ten times under load', async () => {
    await using site = new Site()
    const { stdioTarget: target } = site
    const tally = await underLoad(site, 'a child killed ten times', { target }, async () => {
      for (let i = 0; i < 10; i++) {
        await pause(1_500)
        for (const pid of childrenOf(process.pid)) process.kill(pid, 'SIGKILL')
      }
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
    expect(childrenOf(process.pid)).toEqual([])
  })
})

describe('a server over HTTP', () => {
  it('is stopped for 3 s', async () => {
    await using site = new Site()
    const one = await site.replica('one')
    const plan = { target: { url: `${one.origin}/mcp` }, policy: quick }
    const tally = await underLoad(site, 'an HTTP server stopped for 3 s', plan, async () => {
      await pause(500)
      await one.signal('SIGSTOP')
      await pause(3_000)
      await one.signal('SIGCONT')
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
  })

  it('is killed and restarted five times under load', async () => {
    await using site = new Site()
    const one = await site.replica('one')
    const plan = { target: { url: `${one.origin}/mcp` } }
    const tally = await underLoad(site, 'an HTTP server killed and restarted five times', plan, async () => {
      for (let i = 0; i < 5; i++) {
        await pause(1_500)
        await one.restart('SIGKILL')
      }
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
    expect(tally.recoveredMs).toBeLessThan(10_000)
  })
})
