/** What is kept for explanations is bounded, whatever a server does. */
import { expect, it } from 'vitest'
import { classify } from '../../machines/classify.js'
import { ConnectionRecord } from '../../src/connection/record.js'
import { connected } from '../reports/rig.js'

it('keeps the last 20 of each kind, and a tail of stderr', () => {
  const record = new ConnectionRecord('ready', 0)
  const evidence = { kind: 'stream', wire: 'http', phase: 'ready', summary: 'it ended', idleMs: 1 } as const
  for (let at = 0; at < 100; at++) {
    record.note({ type: 'call-fault', fault: classify(evidence) }, at)
    record.note({ type: 'cut', evidence }, at)
    record.note({ type: 'changes', changes: [{ list: 'tools', added: [], removed: ['a'], changed: [] }] }, at)
    record.note({ type: 'noise', text: 'x'.repeat(10_000), count: 1 }, at)
    record.note({ type: 'stderr', text: `${'y'.repeat(1_000)}\n` }, at)
  }
  const { callFaults, cuts, changes, noise, stderr } = record.troubles
  expect([callFaults.length, cuts.length, changes.length]).toEqual([20, 20, 20])
  expect([callFaults[0]?.at, cuts[0]?.at, changes[0]?.at]).toEqual([80, 80, 80])
  expect(noise).toMatchObject({ count: 100, text: expect.stringMatching(/^x{200}$/) })
  expect(stderr).toHaveLength(2_000)
})

it('keeps the last 20 links, each with its session, its times and its fault', async () => {
  await using it = await connected()
  for (let n = 0; n < 25; n++) await it.connection.reconnect()
  const explanation = it.connection.explain()
  expect(explanation.checklist.find(({ id }) => id === 'storm')).toMatchObject({
    verdict: 'bad',
    evidence: expect.stringMatching(/^20 attempts in the last minute/),
  })
  expect(explanation.server).toMatchObject({ name: 'fault-server', version: '1.0.0' })
})
