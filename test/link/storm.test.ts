/** Crowds that come back together. Figures of the design, section 14. */
import { describe, expect, it } from 'vitest'
import { Crowd } from './crowd.js'

async function outage(seed: number, demand: boolean) {
  const crowd = await new Crowd(1_000, seed).settled()
  crowd.lose()
  if (demand) for (const actor of crowd.actors) actor.send({ type: 'demand.raised' })
  await crowd.clock.pass(10_000)
  crowd.isAway = false
  const returnedAt = crowd.clock.now()
  await crowd.clock.pass(12_000)
  return { ...crowd.from(returnedAt), crowd }
}

describe('1,000 connections to one origin that is away for 10 s', () => {
  it.each([1, 2])(
    'come back spread out, and soon; nothing is left of them after (seed %i)',
    async (seed) => {
      const { dials, p99, back, crowd } = await outage(seed, false)
      console.log(`storm, seed ${seed}: at most ${(dials * 100).toFixed(1)} % dial in 100 ms, p99 back ${p99} ms`)
      expect(back).toBe(1_000)
      expect(dials).toBeLessThanOrEqual(0.05)
      expect(p99).toBeLessThanOrEqual(10_000)
      expect(crowd.most).toBeLessThanOrEqual(32)
      expect(await crowd.left()).toEqual([0, 0])
    },
    60_000,
  )

  it.each([1, 2])(
    'come back within 2.5 s while calls wait (seed %i)',
    async (seed) => {
      const { dials, p99, back } = await outage(seed, true)
      console.log(`storm with calls, seed ${seed}: at most ${(dials * 100).toFixed(1)} % in 100 ms, p99 back ${p99} ms`)
      expect(back).toBe(1_000)
      expect(dials).toBeLessThanOrEqual(0.12)
      expect(p99).toBeLessThanOrEqual(2_500)
    },
    60_000,
  )
})

describe('200 connections', () => {
  it('that wake together are probed over two seconds', async () => {
    const crowd = await new Crowd(200, 1).settled()
    const at = crowd.clock.now()
    for (const actor of crowd.actors) actor.send({ type: 'clock.jumped' })
    await crowd.clock.pass(2_500)
    expect(crowd.probes.filter((time) => time >= at)).toHaveLength(200)
    expect(crowd.from(at).probes).toBeLessThanOrEqual(0.12)
  })

  it('that lost the network and get it back dial over two seconds', async () => {
    const crowd = await new Crowd(200, 1).settled()
    for (const actor of crowd.actors) actor.send({ type: 'network.offline' })
    crowd.lose()
    await crowd.clock.pass(5_000)
    crowd.isAway = false
    const at = crowd.clock.now()
    for (const actor of crowd.actors) actor.send({ type: 'network.online' })
    await crowd.clock.pass(2_500)
    expect(crowd.from(at)).toMatchObject({ back: 200 })
    expect(crowd.from(at).dials).toBeLessThanOrEqual(0.12)
  })

  it('that begin together shake hands 32 at a time', async () => {
    const crowd = await new Crowd(200, 1).settled()
    expect(crowd.most).toBe(32)
  })
})
