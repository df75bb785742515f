import { expect, test } from 'vitest'
import { createMachine } from 'xstate'
import { toMermaid } from '../tooling/docs/mermaid.js'

const door = createMachine({
  id: 'door',
  initial: 'shut',
  on: { burn: '.gone' },
  states: {
    shut: { on: { open: [{ guard: 'unlocked', target: 'ajar' }], push: { guard: 'unlocked', target: 'ajar' } } },
    ajar: {
      initial: 'still',
      after: { drafty: 'shut' },
      on: { slam: { target: 'ajar', reenter: true }, shove: '.moving' },
      states: { still: { on: { push: 'moving' } }, moving: { on: { creak: {}, fall: '#door.gone' } } },
    },
    gone: { type: 'final' },
  },
})

test('states below the drawn ones are folded into them', () => {
  expect(toMermaid(door.root).split('\n')).toEqual([
    'stateDiagram-v2',
    '  direction TB',
    '  state "shut" as shut',
    '  state "ajar" as ajar',
    '  state "gone" as gone',
    '  [*] --> shut',
    '  gone --> [*]',
    '  state "any of door" as any_of_door',
    '  any_of_door --> gone : burn',
    '  shut --> ajar : open, push [unlocked]',
    '  ajar --> ajar : slam',
    '  ajar --> shut : after drafty',
    '  ajar --> gone : fall',
  ])
})

test('no arrow leads from a box to what lies inside it, nor back', () => {
  expect(toMermaid(door.root, { expand: ['ajar'] }).split('\n')).toEqual([
    'stateDiagram-v2',
    '  direction TB',
    '  state "shut" as shut',
    '  state "ajar" as ajar {',
    '    state "still" as ajar_still',
    '    state "moving" as ajar_moving',
    '    [*] --> ajar_still',
    '    state "any of ajar" as any_of_ajar',
    '  }',
    '  state "gone" as gone',
    '  [*] --> shut',
    '  gone --> [*]',
    '  state "any of door" as any_of_door',
    '  any_of_door --> gone : burn',
    '  shut --> ajar : open, push [unlocked]',
    '  any_of_ajar --> ajar_still : slam',
    '  any_of_ajar --> ajar_moving : shove',
    '  ajar --> shut : after drafty',
    '  ajar_still --> ajar_moving : push',
    '  ajar_moving --> gone : fall',
  ])
})

test('what lies outside of the drawn state is a dashed neighbour', () => {
  const { ajar } = door.root.states
  expect(ajar && toMermaid(ajar, { direction: 'LR' }).split('\n')).toEqual([
    'stateDiagram-v2',
    '  direction LR',
    '  state "still" as ajar_still',
    '  state "moving" as ajar_moving',
    '  [*] --> ajar_still',
    '  state "any of ajar" as any_of_ajar',
    '  state "shut" as shut',
    '  state "gone" as gone',
    '  classDef outside stroke-dasharray: 4 3',
    '  class shut,gone outside',
    '  any_of_ajar --> ajar_still : slam',
    '  any_of_ajar --> ajar_moving : shove',
    '  any_of_ajar --> shut : after drafty',
    '  ajar_still --> ajar_moving : push',
    '  ajar_moving --> gone : fall',
  ])
})

test('a guard or an action without a name is refused: nobody could read of it', () => {
  const nameless = createMachine({
    initial: 'a',
    states: { a: { on: { go: { guard: () => true, target: 'b' } } }, b: {} },
  })
  expect(() => toMermaid(nameless.root)).toThrow('has no name')
})
