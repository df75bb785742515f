/** The machinery of the mutants, and the rules' mutants whole; those of the chart take half a minute: `npm run mutants`. */
import { beforeAll, describe, expect, it } from 'vitest'
import { connectionSlices } from '../../src/testing/explorer/index.js'
import { chartMutants, type Mutant } from './chart-mutants.js'
import { equivalents } from './equivalents.js'
import { noticed } from './judge.js'
import { type Pairs, recordPairs } from './pairs.js'
import { judges } from './report.js'
import { noticedBySamples, ruleMutants } from './rule-mutants.js'

describe('mutants of the chart, in its smallest slice', () => {
  const slices = connectionSlices.filter(({ name }) => name === 'bare')
  const invariants = judges()
  let pairs: Pairs
  let mutants: Mutant[]
  beforeAll(() => {
    pairs = recordPairs(invariants, slices)
    mutants = chartMutants(pairs)
  }, 600_000)

  const of = (kind: string) => mutants.filter((mutant) => mutant.kind === kind && mutant.concerns().length > 0)

  it('are of every kind', () => {
    const kinds = new Set(mutants.map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual([
      'action dropped',
      'actor dropped',
      'begun elsewhere',
      'delay altered',
      'deleted',
      'entry action dropped',
      'exit action dropped',
      'guard forced',
      'guard turned',
      're-entering',
      'sent elsewhere',
      'tag dropped',
      'target dropped',
    ])
  })

  it.each(['deleted', 'tag dropped', 'actor dropped'])('%s: noticed wherever the slice goes to the end', (kind) => {
    const some = of(kind).filter(({ name }) => kind !== 'deleted' || /^connection\.(?:linked|closing): /.test(name))
    expect(some.length).toBeGreaterThan(0)
    expect(some.filter((mutant) => noticed(mutant, pairs, invariants) === undefined)).toEqual([])
  })

  it('are noticed by what is held against them, and by nothing else', () => {
    const [first] = of('deleted')
    if (!first) throw new Error('no mutant')
    expect(noticed(first, pairs, [])).toBeUndefined()
  })

  it('leave the machine as it was', () => {
    for (const mutant of mutants) mutant.apply()()
    const again = recordPairs(invariants, slices)
    const names = chartMutants(again).map(({ name }) => name)
    expect(names).toEqual(mutants.map(({ name }) => name))
    for (const pair of pairs.moved.slice(0, 500)) {
      const step = pairs.stepper.step(pair.before, pair.event)
      const broken = invariants.flatMap(({ check }) => check({ ...pair, ...step }) ?? [])
      expect(broken).toEqual([])
    }
  })
})

describe('mutants of the rules', () => {
  it('are all noticed by the samples', () => {
    const mutants = ruleMutants()
    expect(mutants.length).toBeGreaterThan(500)
    const alive = mutants.filter((mutant) => noticedBySamples(mutant) === undefined)
    expect(alive.map(({ kind, name }) => `${kind} | ${name}`).filter((key) => !(key in equivalents))).toEqual([])
  })

  it('leave the rules as they were', () => {
    for (const mutant of ruleMutants()) mutant.apply()()
    expect(noticedBySamples({ kind: 'none', name: 'none', apply: () => () => {} })).toBeUndefined()
  })
})
