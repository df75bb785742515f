/** Field reports of many connections to one server that is not well: what one has met, the others need not. */
import { describe, expect, it } from 'vitest'
import { SimulatedClock } from 'xstate'
import { ConnectionFailedError, createConnection } from '../../src/index.js'
import { childServer, readChildLog } from '../../src/testing/child/index.js'
import { startFaultServer, status } from '../../src/testing/fault-server/index.js'
import { failure, quick } from '../connection/rig.js'
import { turns } from './rig.js'
import { eventually, quickChild } from './stdio/rig.js'

describe('05.07: twenty connections to one command', () => {
  it('05.07: that ends at every start cost three starts, and all say why', async () => {
    await using it = quickChild({ onStart: [{ print: 'no licence found\n', to: 'stderr' }, { exit: 7 }] })
    const target = childServer({
      log: it.file('log'),
      onStart: [{ print: 'no licence found\n', to: 'stderr' }, { exit: 7 }],
    })
    const policy = { backoff: { baseMs: 5, capMs: 30_000 } }
    const all = Array.from({ length: 20 }, () => quick({ target, policy }))
    const errors = await Promise.all(all.map((one) => failure(one.connect())))
    expect(readChildLog(it.file('log')).filter(({ event }) => event === 'start')).toHaveLength(3)
    for (const error of errors) {
      expect(error).toBeInstanceOf(ConnectionFailedError)
      expect(error).toMatchObject({ fault: { code: 'process.exited-early', evidence: { exit: { code: 7 } } } })
      expect(JSON.stringify(error)).toContain('no licence found')
    }
    // Somebody who asks by hand is not told what others have met.
    const again = failure(all[0]?.reconnect() ?? Promise.resolve())
    await again
    expect(it.starts.length).toBe(6)
    await Promise.all(all.map((one) => one.close()))
  })

  it('05.07: that is well are all ready, none of them twice', async () => {
    await using it = quickChild()
    const target = childServer({ log: it.file('log') })
    const all = Array.from({ length: 8 }, () => quick({ target }))
    await Promise.all(all.map((one) => one.connect()))
    expect(it.starts).toHaveLength(8)
    await Promise.all(all.map((one) => one.close()))
  })

  it('05.07: that never answers are three at a time at most', async () => {
    await using it = quickChild()
    const target = childServer({ log: it.file('log'), on: { initialize: [{ hang: true }] } })
    const all = Array.from({ length: 10 }, () => quick({ target }))
    const waiting = all.map((one) => failure(one.connect()))
    await eventually(() => it.starts.length === 3)
    expect(all.filter((one) => one.status === 'backoff')).toHaveLength(7)
    await Promise.all(all.map((one) => one.close()))
    await Promise.all(waiting)
    expect(it.starts).toHaveLength(3)
  })
})

describe('05.06: a hundred connections to one origin', () => {
  it('05.06: that answers 503 with Retry-After are all silent for that time, and all come back after it (P6)', async () => {
    const clock = new SimulatedClock()
    await using server = await startFaultServer({ clock })
    server.answer('initialize', status(503, { retryAfter: 5 }))
    const all = Array.from({ length: 100 }, (_, n) =>
      createConnection({ name: `c${n}`, clock, random: () => (n % 10) / 10, target: { url: server.url } }),
    )
    const connecting = all.map((one) => one.connect())
    const quiet = async () => {
      for (let before = -1; before !== server.count('*'); ) {
        before = server.count('*')
        await turns(30)
      }
    }
    const pass = async (ms: number, stepMs: number) => {
      for (let left = ms; left > 0; left -= stepMs) {
        clock.increment(stepMs)
        await quiet()
      }
    }
    await eventually(() => all.every((one) => one.status === 'backoff'))
    await quiet()
    const told = server.count('*')
    // Those that were under way when the first was told; the others had not dialled yet.
    expect(told).toBeLessThanOrEqual(32)
    server.heal()
    await pass(4_900, 700)
    expect(server.count('*')).toBe(told)
    await pass(2_000, 100)
    await eventually(() => {
      clock.increment(10)
      return all.every((one) => one.status === 'ready')
    })
    await Promise.all(connecting)
    expect(server.count('initialize')).toBe(told + 100)
    await Promise.all(all.map((one) => one.close()))
  }, 60_000)
})
