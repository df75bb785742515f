/** Whether the model tests would notice a mutant. */
import { type Invariant, sampleInput } from '../../src/testing/explorer/index.js'
import type { Chart } from '../model/explored.js'
import type { Mutant } from './chart-mutants.js'
import type { Pair, Pairs } from './pairs.js'

/**
 * Pairs of one event case that a mutant is tried in, at most. They are drawn evenly from all that it concerns; one that
 * survives them is looked at by a person, so that a pair left out can cost a look, but never hide a mutant.
 */
const MOST_PAIRS = 60

function drawn(pairs: readonly Pair[]): readonly Pair[] {
  const byCase = new Map<string, Pair[]>()
  for (const pair of pairs) {
    const key = `${pair.slice} ${pair.label}`
    const known = byCase.get(key)
    if (known) known.push(pair)
    else byCase.set(key, [pair])
  }
  return [...byCase.values()].flatMap((some) => {
    const stride = Math.ceil(some.length / MOST_PAIRS)
    return stride <= 1 ? some : some.filter((_, i) => i % stride === 0)
  })
}

/** The sentence that noticed first, or nothing. */
export function noticed(
  mutant: Mutant,
  { stepper }: Pairs,
  invariants: readonly Invariant<Chart>[],
): string | undefined {
  const concerned = drawn(mutant.concerns())
  const restore = mutant.apply()
  try {
    if (!stepper.begin(sampleInput()).after.matches('idle')) return 'it begins idle'
    for (const { slice, before, event, label } of concerned) {
      const found = stepper.step(before, event)
      if (found.after.status === 'error') return 'the machine does not end in an error'
      for (const { name, check } of invariants) {
        const message = check({ slice, before, event, label, ...found })
        if (message !== undefined) return `${name}: ${message}`
      }
    }
    return undefined
  } catch (error) {
    return `nothing throws: ${String(error)}`
  } finally {
    restore()
  }
}
