import { expect, test } from 'vitest'
import type { CallRecord } from '../../src/cli/demo/calls.js'
import { type Facts, type OutageFacts, problemsOf, summaryOf } from '../../src/cli/demo/facts.js'

const outage: OutageFacts = {
  connection: 'a',
  deed: 'SIGKILL of its process 7',
  noticed: true,
  awayMs: 800,
  recoveredMs: 1_300,
  lists: ['tools', 'prompts'],
  listsReread: ['tools', 'prompts'],
  fetchedLater: true,
}
const call: CallRecord = { connection: 'a', moment: 'during', outcome: 'answered', tookMs: 900 }
const good: Facts = {
  neverReady: [],
  outages: [outage],
  calls: [call, { ...call, moment: 'in flight', outcome: 'unknown' }],
  closedInTime: true,
  processesLeft: [],
  resourcesLeft: [],
}

test('all as promised', () => {
  expect(problemsOf(good)).toEqual([])
})

test.each<[string, Partial<Facts>, RegExp]>([
  ['never ready', { neverReady: [{ connection: 'a', reason: 'spawn.ENOENT' }] }, /a never became ready: spawn\.ENOENT/],
  ['not noticed', { outages: [{ ...outage, noticed: false }] }, /a did not notice SIGKILL/],
  [
    'not back',
    { outages: [{ ...outage, recoveredMs: undefined, stuckIn: 'failed' }] },
    /did not come back .* in failed/,
  ],
  ['a list left out', { outages: [{ ...outage, listsReread: ['tools'] }] }, /a did not read again: prompts\./],
  ['no lists', { outages: [{ ...outage, lists: [], listsReread: [] }] }, /a has no lists/],
  ['an old catalog', { outages: [{ ...outage, fetchedLater: false }] }, /from before the outage/],
  ['a call refused', { calls: [{ ...call, outcome: 'refused' }] }, /during the outage, was refused/],
  ['a call not settled', { calls: [{ ...call, moment: 'in flight', outcome: 'pending' }] }, /in flight, never settled/],
  ['a call in flight left to its deadline', { calls: [{ ...call, moment: 'in flight', outcome: 'late' }] }, /was late/],
  ['a slow end', { closedInTime: false }, /Closing took too long/],
  ['a process left', { processesLeft: [7, 8] }, /process 7, 8/],
  ['a socket left', { resourcesLeft: ['1 TCPSocketWrap'] }, /1 TCPSocketWrap/],
])('%s is one problem', (_, changes, said) => {
  const problems = problemsOf({ ...good, ...changes })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(said)
})

test('the closing words', () => {
  expect(summaryOf(good, 9_000)).toEqual([
    ['calls', '2 made: 1 answered, 0 refused, not run, 1 outcome unknown and told so'],
    ['a', 'ready 1.3 s after the loss, 500 ms after its server was back; 2 of 2 lists read again'],
    ['left behind', 'nothing: no process, socket or timer'],
    ['took', '9.0 s'],
  ])
})
