/** Field reports in which one server's trouble became everybody's: each connection lives for itself. */
import { describe, expect, it } from 'vitest'
import { childServer } from '../../src/testing/child/index.js'
import { startFaultServer } from '../../src/testing/fault-server/index.js'
import { failure, quick, record, until } from '../connection/rig.js'

describe('several servers', () => {
  it('06.07: a reload of one touches neither those that are well nor those that failed', async () => {
    await using well = await startFaultServer()
    const [a, b, c] = [
      quick({ target: childServer({}) }),
      quick({ target: { url: well.url } }),
      quick({ target: { command: 'no-such-command' } }),
    ]
    await Promise.all([a.connect(), b.connect(), failure(c.connect())])
    const seen = [record(b), record(c)]
    const requests = well.count('*')
    await a.reconnect()
    expect(seen).toEqual([['ready'], ['failed']])
    expect(well.count('*')).toBe(requests)
    await Promise.all([a, b, c].map((one) => one.close()))
  })

  it('08.05: one that fails and one that never answers hide nothing of the third (P20)', async () => {
    await using well = await startFaultServer()
    const good = quick({ target: { url: well.url } })
    const bad = quick({ target: childServer({ onStart: [{ exit: 1 }] }) })
    const silent = quick({ target: childServer({ on: { initialize: [{ hang: true }] } }) })
    const others = [bad, silent].map((one) => failure(one.connect()))
    const began = performance.now()
    await good.connect()
    expect(good.catalog.tools.map(({ name }) => name)).toEqual(['echo'])
    expect(performance.now() - began).toBeLessThan(1_000)
    await until(bad, 'failed')
    expect(silent.status).toBe('initializing')
    await Promise.all([good, bad, silent].map((one) => one.close()))
    await Promise.all(others)
  })
})
