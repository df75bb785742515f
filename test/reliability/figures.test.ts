import { expect, test } from 'vitest'
import { figures, situations } from './figures.js'

test('rows of names and values are figures, other lines are not', () => {
  const printed =
    '1000 of 2000\nschedules           2000\nmutants of guards  killed 3/3\na second            80 schedules\n\nreplay: x\n'
  expect(figures(printed)).toEqual({ schedules: '2000', 'mutants of guards': 'killed 3/3' })
})

test('a run that printed no figure is an error, and so is a lab without results', () => {
  expect(() => figures('all is well\n')).toThrow('nothing of what was printed is a figure')
  expect(() => situations('\n')).toThrow('the lab has left no results')
})

test('of a situation that was played twice the last counts; they come in order', () => {
  const line = (situation: string, calls: number) => JSON.stringify({ situation, calls })
  expect(situations([line('b', 1), line('a', 2), line('b', 3), ''].join('\n'))).toEqual([
    { situation: 'a', calls: 2 },
    { situation: 'b', calls: 3 },
  ])
})
