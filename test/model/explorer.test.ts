import { describe, expect, it } from 'vitest'
import { and, assign, fromPromise, not, setup } from 'xstate'
import {
  cannotReach,
  deafToChildren,
  type EventCases,
  explore,
  goldenTable,
  summarize,
  timerCases,
  withoutTimedExit,
} from '../../src/testing/explorer/index.js'

/** A lamp that counts how often it was lit, with one of everything that an explorer has to see. */
const toy = setup({
  types: {
    context: {} as { lit: number; broken: boolean },
    events: {} as { type: 'press' } | { type: 'fix' } | { type: 'hit'; hard: boolean },
    transitionMeta: {} as { rule: string },
  },
  actors: { repair: fromPromise(async () => {}) },
  guards: {
    hard: ({ event }) => event.type === 'hit' && event.hard,
    worn: ({ context }) => context.lit >= 3,
    fresh: not('worn'),
    sturdy: and(['fresh', 'fresh']),
  },
  actions: {
    count: assign({ lit: ({ context }) => context.lit + 1 }),
    breakLamp: assign({ broken: true }),
    renew: assign({ lit: 0, broken: false }),
    ring: () => {
      throw new Error('effects are never executed')
    },
  },
  delays: { burning: 1_000 },
}).createMachine({
  id: 'lamp',
  context: { lit: 0, broken: false },
  initial: 'off',
  states: {
    off: {
      on: {
        press: [
          { guard: 'sturdy', target: 'on', actions: 'count' },
          { target: 'broken', meta: { rule: 'worn out' } },
        ],
      },
    },
    on: {
      tags: 'busy',
      entry: 'ring',
      on: { press: 'off', hit: { guard: 'hard', target: 'broken', meta: { rule: 'smashed' } } },
      after: { burning: 'off' },
    },
    broken: { entry: 'breakLamp', on: { fix: 'repairing' } },
    repairing: {
      invoke: { id: 'repair', src: 'repair', onDone: { target: 'off', actions: 'renew' }, onError: 'broken' },
    },
  },
})
type Toy = typeof toy

const cases: EventCases<Toy> = {
  press: [{ name: '', event: { type: 'press' } }],
  fix: [{ name: '', event: { type: 'fix' } }],
  hit: [
    { name: 'hard', event: { type: 'hit', hard: true } as never },
    { name: 'softly', event: { type: 'hit', hard: false } as never },
  ],
  'xstate.done.actor.repair': [{ name: '', event: { type: 'xstate.done.actor.repair' } }],
  'xstate.error.actor.repair': [{ name: '', event: { type: 'xstate.error.actor.repair', error: 'no' } as never }],
  ...timerCases(toy),
}

describe('the explorer', () => {
  it('fires everything that can fire, and executes nothing', () => {
    const report = explore(toy, { cases })
    expect(summarize(report)).not.toContain('never')
    expect(report.transitions).toMatchObject({ hit: 8, total: 8 })
    expect(report.rules).toMatchObject({ hit: 2, total: 2 })
    expect(report.guards).toMatchObject({ hit: 8, total: 8 })
    expect(report.actions).toMatchObject({ hit: 4, total: 4 })
    expect(report.delays).toMatchObject({ hit: 1, total: 1 })
    expect(report.violations).toEqual([])
  })

  it('tries every case in every state, but no error of an actor that does not run', () => {
    const report = explore(toy, { cases })
    const running = report.graph.states.filter((state) => state.value === 'repairing').length
    expect(report.pairs).toBe(report.states * 6 + running)
    expect(report.ignored).toBeGreaterThan(0)
  })

  it('refuses to run while a declared event has no case', () => {
    const { fix: _, ...incomplete } = cases
    expect(() => explore(toy, { cases: incomplete })).toThrow("no case for 'fix'")
    expect(() => explore(toy, { cases: { ...cases, press: [] } })).toThrow("no case for 'press'")
  })

  it('refuses to run while a transition upon the end of an actor or a timer has no case', () => {
    const { 'xstate.done.actor.repair': _, ...incomplete } = cases
    expect(() => explore(toy, { cases: incomplete })).toThrow("no case for 'xstate.done.actor.repair'")
    const timeless = Object.fromEntries(Object.entries(cases).filter(([type]) => !type.startsWith('xstate.after')))
    expect(() => explore(toy, { cases: timeless })).toThrow("no case for 'xstate.after.burning.lamp.on'")
  })

  it('refuses cases of an event that the machine does not know, and labels that stand twice', () => {
    const typo = { ...cases, pres: [{ name: '', event: { type: 'pres' } }] }
    expect(() => explore(toy, { cases: typo })).toThrow("cases for 'pres', which the machine does not know")
    const twice = { ...cases, fix: [...(cases.fix ?? []), ...(cases.fix ?? [])] }
    expect(() => explore(toy, { cases: twice })).toThrow("'fix' stands twice")
  })

  it('lists a transition, a rule, an action and outcomes of guards that never had their turn', () => {
    const soft = { ...cases, hit: (cases.hit ?? []).filter(({ name }) => name === 'softly') }
    const report = explore(toy, { cases: soft })
    expect(report.transitions.missing).toEqual(['lamp.on: hit [hard] → lamp.broken'])
    expect(report.rules.missing).toEqual(['smashed'])
    expect(report.guards.missing).toEqual(['hard was never true'])
    const never = explore(toy, { cases: { ...cases, hit: (cases.hit ?? []).filter(({ name }) => name === 'hard') } })
    expect(never.guards.missing).toEqual(['hard was never false'])
  })

  it('tells the shortest path to a broken invariant, and how often it broke', () => {
    const { violations } = explore(toy, {
      cases,
      invariants: [
        {
          name: 'lit once',
          check: ({ after }) => (after.context.lit > 1 ? `lit ${after.context.lit} times` : undefined),
        },
      ],
    })
    expect(violations).toHaveLength(1)
    expect(violations[0]).toMatchObject({
      invariant: 'lit once',
      message: 'lit 2 times',
      path: ['press', 'press', 'press'],
    })
    expect(violations[0]?.times).toBeGreaterThan(1)
  })

  it('gives invariants what was before, what was planned and which actions ran', () => {
    const seen: string[] = []
    explore(toy, {
      cases,
      invariants: [
        {
          name: 'look',
          check: ({ before, label, planned, actions, transitions }) => {
            if (before?.value === 'off' && label === 'press' && before.context.lit === 0) {
              seen.push(...planned.map(({ type }) => type), ...actions, String(transitions.length))
            }
            return undefined
          },
        },
      ],
    })
    expect(seen).toEqual(['ring', 'xstate.raise', 'count', 'ring', '1'])
  })

  it('reports what a guard, an action or a delay throws, with the path to it', () => {
    const fragile = toy.provide({
      guards: {
        hard: () => {
          throw new Error('no scales')
        },
      },
    })
    const { violations } = explore(fragile, { cases })
    expect(violations).toMatchObject([{ invariant: 'nothing throws', path: ['press', 'hit (hard)'] }])
    expect(violations[0]?.message).toContain('no scales')
  })

  it('reports a machine that an unhandled error of an actor ends', () => {
    const deaf = setup({ actors: { job: fromPromise(async () => {}) } }).createMachine({
      id: 'deaf',
      initial: 'working',
      states: {
        working: { invoke: { id: 'job', src: 'job' }, on: { stop: 'over' } },
        // Knows the event, so that there has to be a case for it.
        over: { on: { 'xstate.error.actor.job': {}, 'xstate.done.actor.job': {} } },
      },
    })
    const report = explore(deaf, {
      cases: {
        stop: [{ name: '', event: { type: 'stop' } }],
        'xstate.error.actor.job': [{ name: '', event: { type: 'xstate.error.actor.job', error: 'x' } as never }],
        'xstate.done.actor.job': [{ name: '', event: { type: 'xstate.done.actor.job' } }],
      },
    })
    expect(report.violations).toMatchObject([
      { invariant: 'the machine does not end in an error', path: ['xstate.error.actor.job'] },
    ])
    expect(deafToChildren(report)).toMatchObject([{ value: 'working', path: [] }])
  })

  it('reports a delay that no timer holds', () => {
    for (const delay of [Number.NaN, 2 ** 31, -1]) {
      const late = toy.provide({ delays: { burning: () => delay } })
      expect(explore(late, { cases }).violations).toMatchObject([
        { invariant: 'every delay fits a timer', path: ['press'] },
      ])
    }
  })

  it('finds deadlocks, states without a timed exit and the states of a slice that lead nowhere', () => {
    const report = explore(toy, { cases })
    const off = (state: { value: string }) => state.value === 'off'
    expect(cannotReach(report, off)).toEqual([])
    expect(cannotReach(report, off, (label) => label !== 'fix')).toMatchObject([
      { value: 'broken', path: ['press', 'hit (hard)'] },
    ])
    expect(withoutTimedExit(report, () => true).map(({ value }) => value)).toEqual(['off', 'broken', 'repairing'])
    expect(withoutTimedExit(report, ({ snapshot }) => snapshot.hasTag('busy'))).toEqual([])
  })

  it('ends a growing context with an error that names the key, unless the key or a bound leaves it out', () => {
    const counter = setup({ types: { context: {} as { n: number } } }).createMachine({
      context: { n: 0 },
      on: { more: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
    })
    const more = { more: [{ name: '', event: { type: 'more' } }] }
    expect(() => explore(counter, { cases: more, maxStates: 50 })).toThrow('More than 50 abstract states')
    expect(explore(counter, { cases: more, project: () => 0 }).states).toBe(1)
    const bounded = explore(counter, {
      cases: more,
      slices: [{ name: 'few', input: undefined as never, within: ({ context }) => context.n < 5 }],
    })
    expect(bounded).toMatchObject({ states: 6, border: 1, pairs: 5 })
  })

  it('tells configurations of parallel regions alike, in whatever order they were entered', () => {
    const regions = setup({}).createMachine({
      type: 'parallel',
      states: {
        a: { initial: 'x', states: { x: { on: { go: 'y' } }, y: { on: { back: 'x' } } } },
        b: { initial: 'x', states: { x: { on: { move: 'y' } }, y: { on: { home: 'x' } } } },
      },
    })
    const one = (type: string) => [{ name: '', event: { type } }]
    const report = explore(regions, {
      cases: { go: one('go'), back: one('back'), move: one('move'), home: one('home') },
    })
    expect(report.states).toBe(4)
    // What one region does is told once, not for every state of the other.
    expect(
      goldenTable(report)
        .split('\n')
        .filter((line) => line === 'go'),
    ).toHaveLength(1)
  })

  it('writes the same table each time, with rules and actions', () => {
    const table = goldenTable(explore(toy, { cases }))
    expect(table).toBe(goldenTable(explore(toy, { cases })))
    expect(table).toContain('hit (hard)\n    → broken [smashed]: breakLamp')
    expect(table).toContain('press\n    → broken [worn out]: breakLamp')
    expect(table).toContain('(ignored: press; hit (hard); hit (softly); done repair; after burning.lamp.on)')
  })
})
