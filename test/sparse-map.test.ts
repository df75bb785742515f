import { expect, it } from 'vitest'
import { SparseMap } from '../src/sparse-map.js'

it('is a map, empty or not', () => {
  const map = new SparseMap<string, number>()
  expect([map.size, map.has('a'), map.get('a'), map.delete('a'), map.values(), map.entries()]).toEqual([
    0,
    false,
    undefined,
    false,
    [],
    [],
  ])
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  expect([map.size, map.has('a'), map.get('a'), map.values(), map.entries()]).toEqual([
    2,
    true,
    3,
    [3, 2],
    [
      ['a', 3],
      ['b', 2],
    ],
  ])
  for (const [key] of map.entries()) expect(map.delete(key)).toBe(true)
  expect(map.size).toBe(0)
  map.set('c', 4)
  expect(map.values()).toEqual([4])
  map.clear()
  expect(map.entries()).toEqual([])
})
