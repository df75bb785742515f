/** The library's own invariants on extended charts: a good extension keeps them, a broken one is caught. */
import { describe, expect, it } from 'vitest'
import type { AnyStateMachine } from 'xstate'
import { lost, report } from '../../docs/examples/extending/explore.js'
import { limits } from '../../docs/examples/extending/limits.js'
import { upkeep } from '../../docs/examples/extending/upkeep.js'
import { connectionContext, connectionRoot, connectionStates, to, verdicts } from '../../machines/index.js'
import {
  type ConnectionView,
  cannotReach,
  connectionCases,
  connectionInvariants,
  connectionKey,
  connectionSlices,
  type EventCases,
  explore,
  type Report,
  sampleFault,
  withoutTimedExit,
} from '../../src/testing/explorer/index.js'

const [failures] = connectionSlices
if (!failures) throw new Error('there are no slices')

const barelyTouched = (snapshot: ConnectionView) =>
  failures.within(snapshot) && snapshot.context.attempts + snapshot.context.authorizations === 0

/** A smaller exploration, enough to break on. */
function explored<M extends AnyStateMachine>(machine: M, more: EventCases<M>): Report<M> {
  return explore(machine as AnyStateMachine, {
    slices: [{ ...failures, within: barelyTouched, input: { ...failures?.input, quotaMs: 60_000 } } as never],
    cases: { ...connectionCases(machine), ...more },
    project: connectionKey,
    invariants: connectionInvariants,
  }) as unknown as Report<M>
}

const broken = ({ violations }: Pick<Report<AnyStateMachine>, 'violations'>) =>
  violations.map(({ invariant }) => invariant)
const plain = (type: string) => ({ [type]: [{ name: '', event: { type } }] })
const limitedCase = (machine: AnyStateMachine) => ({
  fault: [
    ...(connectionCases(machine).fault ?? []),
    { name: 'rate-limited', event: { type: 'fault', fault: sampleFault('rate-limited') } },
    {
      name: 'stale, rate-limited',
      event: ({ context }: { context: { generation: number } }) => ({
        type: 'fault',
        fault: sampleFault('rate-limited'),
        generation: context.generation - 1,
      }),
    },
  ],
})

describe('both extensions', () => {
  it('break nothing, and everything in the chart has had its turn', () => {
    expect(report.violations).toEqual([])
    const { transitions, rules, guards, actions, delays } = report
    expect([transitions, rules, guards, actions, delays].flatMap(({ missing }) => missing)).toEqual([])
    expect(rules).toMatchObject({ hit: 14, total: 14 })
    const seen = report.graph.states.map(({ value }) => value)
    expect(seen).toEqual(expect.arrayContaining(['limited', 'maintenance']))
    expect(seen.some((value) => value.includes('usage.draining'))).toBe(true)
  })

  it('can be gone on from everywhere, and end by themselves where they wait', () => {
    expect(lost).toEqual([])
    const untimed = withoutTimedExit(report, ({ snapshot }) => snapshot.hasTag('waiting'))
    expect(untimed.map(({ value, slice }) => `${slice}: ${value}`)).toEqual(['bare: failed.exhausted.open'])
  })
})

const context = ({ input }: { input: Parameters<typeof connectionContext>[0]['input'] & { quotaMs: number } }) => ({
  ...connectionContext({ input }),
  quotaMs: input.quotaMs,
  timesLimited: 0,
})

describe('a broken extension is caught', { timeout: 120_000 }, () => {
  it('that lets an old fault move it', () => {
    const verdict = { guard: 'rateLimited', target: '#connection.limited', actions: ['noteFault', 'emitLost'] } as const
    const linked = { ...connectionStates.linked, on: { ...connectionStates.linked.on, fault: [verdict, ...verdicts] } }
    const limited = limits.createStateConfig({ after: { newQuota: to.linked } })
    const machine = limits.createMachine({
      ...connectionRoot,
      states: { ...connectionStates, linked, limited },
      context,
    })
    expect(broken(explored(machine, limitedCase(machine)))).toEqual(['what is stale changes neither state nor context'])
  })

  it('that takes the connection out of its link without a word', () => {
    const linked = limits.extendState(connectionStates.linked, {
      on: { fault: { guard: 'rateLimited', target: '#connection.limited', actions: 'noteFault' } },
    })
    const limited = limits.createStateConfig({ after: { newQuota: to.linked } })
    const machine = limits.createMachine({
      ...limits.extendState(connectionRoot, { states: { limited, linked } }),
      context,
    })
    expect(broken(explored(machine, limitedCase(machine)))).toEqual([
      'lost is told exactly when a fault takes the connection out of its link',
    ])
  })

  it('that keeps a connection from closing, or leads nowhere', () => {
    const maintenance = upkeep.createStateConfig({ tags: 'waiting' })
    const machine = upkeep.createMachine({
      ...upkeep.extendState(connectionRoot, { states: { maintenance }, on: { 'maintenance.begin': '.maintenance' } }),
      context: connectionContext,
    })
    const found = explored(machine, plain('maintenance.begin'))
    expect(broken(found)).toEqual(['a connection that closes for good does nothing else'])
    expect(withoutTimedExit(found, ({ value }) => value === 'maintenance')).toHaveLength(1)
    const stuck = cannotReach(
      found,
      ({ snapshot }) => snapshot.hasTag('usable'),
      (label) => label !== 'disconnect',
    )
    expect(stuck.map(({ value }) => value)).toContain('maintenance')
  })
})
