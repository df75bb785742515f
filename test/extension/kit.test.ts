/** How configurations become one, and what is refused. */
import { describe, expect, it } from 'vitest'
import { limits, linkedWithLimits } from '../../docs/examples/extending/limits.js'
import { maintenance, upkeep } from '../../docs/examples/extending/upkeep.js'
import {
  combineSetups,
  connectionContext,
  connectionRoot,
  connectionSetup,
  connectionStates,
  to,
} from '../../machines/index.js'

const rulesOf = (transitions: readonly object[]) =>
  transitions.map((transition) => ('meta' in transition ? (transition.meta as { rule: string }).rule : undefined))

describe('extendState', () => {
  it('puts transitions before those that are there, after what refuses stale events', () => {
    expect(rulesOf(linkedWithLimits.on.fault).slice(0, 4)).toEqual(['F0', 'quota', 'V0', 'V1'])
    const twice = upkeep.extendState(linkedWithLimits, { on: { fault: { guard: 'stale' }, retry: to.linked } })
    expect(rulesOf(twice.on.fault).slice(0, 3)).toEqual(['F0', undefined, 'quota'])
    expect(twice.on.retry).toBe(to.linked)
    expect(twice.on.reconnect).toBe(connectionStates.linked.on.reconnect)
  })

  it('leaves the state that it extends as it was', () => {
    expect(rulesOf(connectionStates.linked.on.fault)).not.toContain('quota')
    expect(Object.keys(connectionRoot.states)).toEqual(['idle', 'linked', 'backoff', 'failed', 'closing', 'closed'])
  })

  it('adds tags, entry and exit actions and actors to those that are there', () => {
    const {
      idle,
      linked: {
        states: { discovering },
      },
    } = connectionStates
    const extended = upkeep.extendState(discovering, { tags: 'maintenance', entry: 'hurry', exit: 'loseLink' })
    expect(extended.tags).toEqual(['busy', 'maintenance'])
    expect(extended.entry).toEqual([discovering.entry, 'hurry'])
    expect(extended.exit).toBe('loseLink')
    const invoking = upkeep.extendState(connectionStates.linked, { invoke: { id: 'login', src: 'login' } as never })
    expect(invoking.invoke).toHaveLength(2)
    expect(upkeep.extendState(idle, { after: { drained: to.linked } }).after).toEqual({ drained: to.linked })
  })

  it('refuses a state whose name is taken, and one that would take another extension away', () => {
    const both = combineSetups(limits, upkeep)
    const once = both.extendState(connectionRoot, { states: { maintenance, linked: linkedWithLimits } })
    expect(() => upkeep.extendState(connectionRoot, { states: { idle: maintenance } })).toThrow(
      "a state 'idle' already",
    )
    expect(() => both.extendState(once, { states: { maintenance: { ...maintenance } } })).toThrow("'maintenance'")
    const other = upkeep.extendState(connectionStates.linked, { on: { drain: {} } })
    expect(() => both.extendState(once, { states: { linked: other } })).toThrow("'linked'")
    const onTop = both.extendState(linkedWithLimits, { on: { drain: {} } })
    expect(Object.keys(both.extendState(once, { states: { linked: onTop } }).states)).toContain('maintenance')
  })
})

describe('connectionSetup', () => {
  it('refuses names that the library has, and names that two extensions give to different things', () => {
    expect(() => connectionSetup()({ guards: { stale: () => true } })).toThrow("Among the guards, 'stale' is taken")
    const other = connectionSetup()({ delays: { drained: 1 } })
    expect(() => combineSetups(upkeep, other)).toThrow("Among the delays, 'drained' is taken")
    expect(() => combineSetups(upkeep, {})).toThrow(TypeError)
  })

  it('refuses a delay that nobody knows, which would be over at once, and a target that is nowhere', () => {
    const making = (state: object) => () =>
      upkeep.createMachine({
        ...upkeep.extendState(connectionRoot, { states: { mine: state } }),
        context: connectionContext,
      })
    expect(making({ after: { drained: to.linked, 1000: to.linked } })).not.toThrow()
    expect(making({ after: { draned: to.linked } })).toThrow("In connection.mine, 'draned' is no delay")
    expect(making({ on: { drain: '#connection.lnked' } })).toThrow(/lnked/)
  })

  it('takes the same extension twice, by whichever way it comes', () => {
    const both = combineSetups(limits, upkeep)
    expect(combineSetups(both, upkeep)).toHaveProperty('createMachine')
  })

  it('knows everything that the library names without any extension', () => {
    const machine = connectionSetup()().createMachine({ ...connectionRoot, context: connectionContext })
    expect(machine.root.id).toBe('connection')
    expect(Object.keys(machine.states)).toEqual(Object.keys(connectionStates))
  })
})
