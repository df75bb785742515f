import { connectionInvariants, type Invariant } from '../../src/testing/explorer/index.js'
import { agreement } from '../model/agreement.js'
import { contextAgrees, effectsAgree } from '../model/effects.js'
import type { Chart } from '../model/explored.js'
import { chartMutants } from './chart-mutants.js'
import { equivalents } from './equivalents.js'
import { noticed } from './judge.js'
import { recordPairs } from './pairs.js'
import { noticedBySamples, ruleMutants } from './rule-mutants.js'

export const judges = (): Invariant<Chart>[] => [
  ...connectionInvariants,
  effectsAgree,
  contextAgrees,
  agreement().invariant,
]

interface Tally {
  killed: number
  same: number
  total: number
}

/** Judges all mutants; `say` hears how far it has come. */
export function report(say: (line: string) => void): { text: string; isGood: boolean } {
  const invariants = judges()
  const pairs = recordPairs(invariants)
  say(`${pairs.all.length} pairs recorded in ${pairs.seconds.toFixed(0)} s`)
  const tallies = new Map<string, Tally>()
  const alive: string[] = []
  const unused = new Set(Object.keys(equivalents))
  const count = (kind: string, name: string, why: string | undefined): void => {
    const tally = tallies.get(kind) ?? { killed: 0, same: 0, total: 0 }
    tallies.set(kind, tally)
    tally.total += 1
    const key = `${kind} | ${name}`
    if (why !== undefined) tally.killed += 1
    else if (unused.delete(key)) tally.same += 1
    else alive.push(key)
  }
  for (const mutant of chartMutants(pairs)) count(mutant.kind, mutant.name, noticed(mutant, pairs, invariants))
  for (const mutant of ruleMutants()) count(mutant.kind, mutant.name, noticedBySamples(mutant))
  const sum = [...tallies.values()].reduce((a, b) => ({
    killed: a.killed + b.killed,
    same: a.same + b.same,
    total: a.total + b.total,
  }))
  const rows = [...tallies].map(([kind, tally]) => `${kind.padEnd(28)}${told(tally)}`)
  const text = [
    ...rows,
    `${'all'.padEnd(28)}${told(sum)}`,
    ...Object.entries(equivalents).map(([key, reason]) => `does the same: ${key}\n  ${reason}`),
    ...alive.map((key) => `NOT NOTICED: ${key}`),
    ...[...unused].map((key) => `NOT AMONG THE SURVIVORS: ${key}`),
  ].join('\n')
  return { text, isGood: alive.length === 0 && unused.size === 0 && sum.total > 1_000 }
}

const told = ({ killed, same, total }: Tally): string =>
  `killed ${killed}/${total - same}${same > 0 ? `, and ${same} that do the same` : ''}`
