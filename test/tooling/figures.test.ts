/** What the benchmark makes of what it measured; the measuring itself is `npm run bench`. */
import { describe, expect, it } from 'vitest'
import { boundDifference, boundRatio, boundValue, cells, type Figure, verdictOn } from '../bench/figure.js'
import { compareTimes, comparisonOf, quantile } from '../bench/measure.js'
import { calls } from '../bench/suites/calls.js'
import { connecting } from '../bench/suites/connecting.js'
import { recovering } from '../bench/suites/recovering.js'
import { histogram, storms, unevenness } from '../bench/suites/storm.js'
import { weight } from '../bench/suites/weight.js'
import { patternFor } from './docs/benchmarks-page.js'

const figure = (more: Partial<Figure>): Figure => ({ name: 'one', unit: 'ms', ours: 10, ...more })
const other = { with: 'other', value: 8 }

describe('a promise', () => {
  it.each([
    ['of a ratio', figure({ ratio: 0.9, promise: boundRatio(1, 2) }), 'kept'],
    ['of a ratio', figure({ ratio: 1.5, promise: boundRatio(1, 2) }), 'over budget'],
    ['of a ratio', figure({ ratio: 2.5, promise: boundRatio(1, 2) }), 'FAILED'],
    ['of a value', figure({ promise: boundValue(10) }), 'kept'],
    ['of a value without room', figure({ promise: boundValue(9) }), 'FAILED'],
    ['of a difference', figure({ compared: other, promise: boundDifference(2) }), 'kept'],
    ['of a difference', figure({ compared: other, promise: boundDifference(1) }), 'FAILED'],
    ['of what was not measured', figure({ ratio: Number.NaN, promise: boundRatio(1, 2) }), 'FAILED'],
    ['of what was compared with nothing', figure({ promise: boundDifference(100) }), 'FAILED'],
    ['that nobody made', figure({}), ''],
  ])('%s', (_, seen, verdict) => {
    expect(verdictOn(seen)).toBe(verdict)
  })

  it('stands beside its figure', () => {
    const seen = figure({ compared: other, ratio: 1.25, spread: [1, 1.5], promise: boundRatio(1.1, 1.4) })
    expect(cells(seen)).toEqual(['one', '10 ms', '8 ms (other)', '1.25', '1.00–1.50', '≤ 1.1 ×', 'over budget'])
  })
})

describe('arithmetic', () => {
  it('takes turns, and the median of the ratios', async () => {
    const turns: string[] = []
    const take = (name: string, times: number[]) => async () => {
      turns.push(name)
      return times.shift() ?? Number.NaN
    }
    const seen = await compareTimes(3, take('ours', [1, 4, 9]), take('stock', [2, 4, 3]))
    expect(turns).toEqual(['ours', 'stock', 'stock', 'ours', 'ours', 'stock'])
    expect(seen).toMatchObject({ ours: 4, stock: 3, ratio: 1, spread: [0.5, 3] })
    expect(comparisonOf(seen.rounds)).toEqual(seen)
    expect(comparisonOf([...seen.rounds, { ours: 1, stock: 10 }, { ours: 1, stock: 10 }])).toMatchObject({ ratio: 0.5 })
  })

  it('knows no median of nothing', () => {
    expect(quantile([])).toBeNaN()
    expect(quantile([3, 1, 2])).toBe(2)
  })

  it('counts by spans, empty ones too', () => {
    expect(histogram([0, 99, 350], 100)).toEqual([2, 0, 0, 1])
    expect(unevenness([0, 1, 2, 1_500])).toBe(1.5)
  })
})

it('each suite is named by the command on the page, and by no other', () => {
  const suites = [calls, connecting, recovering, weight, storms]
  for (const suite of suites) {
    const names = suite.figures({ short: false }).map(({ name }) => name)
    expect(names.length).toBeGreaterThan(1)
    for (const { title } of suites) {
      const named = names.filter((name) => new RegExp(patternFor(title), 'i').test(name))
      expect(named).toEqual(title === suite.title ? names : [])
    }
  }
})
