/** The soak itself has to notice what it is there for. */
import { expect, it } from 'vitest'
import { createConnection } from '../../src/index.js'
import { childServer } from '../../src/testing/index.js'
import { drift, type Holdings } from './measure.js'
import { Pulse } from './pulse.js'
import { Tally } from './tally.js'

const nothing: Holdings = { resources: {}, listeners: {}, children: 0, heapMiB: 30 }

it('tells what is held now and was not before, and nothing else', () => {
  const now: Holdings = { resources: { Timeout: 3, PipeWrap: 1 }, listeners: { exit: 2 }, children: 1, heapMiB: 90 }
  expect(drift({ ...nothing, resources: { Timeout: 1, PipeWrap: 2 } }, now)).toEqual([
    'resource Timeout: 1 before, 3 after',
    'listener exit: 0 before, 2 after',
    'process child: 0 before, 1 after',
  ])
  expect(drift(now, nothing)).toEqual([])
})

it('counts calls that were answered, told, lost and doubled', async () => {
  await using connection = createConnection({ name: 'soak', target: childServer({ tools: ['slow'] }) })
  using pulse = new Pulse()
  const tally = new Tally('t', pulse)
  expect(await tally.call(connection, 0)).toBe(true)
  expect(await tally.call(connection, 0)).toBe(true)
  expect(await tally.call(connection, 1_000, AbortSignal.abort())).toBe(false)
  expect(tally.count(['t-0', 't-1'])).toMatchObject({ made: 3, answered: 2, told: 1, lost: 0 })
  // Answered and never run, run twice, and one that has not settled.
  void tally.call(connection, 60_000)
  expect(tally.count(['t-0', 't-0'])).toEqual({
    ...{ made: 4, answered: 1, told: 1, late: 0, open: 1, unrun: 1 },
    ...{ lost: 2, doubled: 1 },
  })
})
