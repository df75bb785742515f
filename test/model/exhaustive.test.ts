import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  cannotReach,
  connectionInvariants,
  deafToChildren,
  goldenTable,
  isCommand,
  isCooperative,
  type Report,
  summarize,
  withoutTimedExit,
} from '../../src/testing/explorer/index.js'
import { agreement } from './agreement.js'
import { contextAgrees, effectsAgree } from './effects.js'
import { type Chart, exploreConnection } from './explored.js'

const goldenFile = new URL('golden.txt', import.meta.url)
const values = (stuck: readonly { value: string }[]): string[] => stuck.map(({ value }) => value).sort()

describe('the chart, every event case in every abstract state', () => {
  let report: Report<Chart>
  const oracle = agreement()
  beforeAll(() => {
    report = exploreConnection([...connectionInvariants, effectsAgree, contextAgrees, oracle.invariant])
    const agreed = `the oracle was asked about ${oracle.compared()} pairs`
    console.log(`The connection's chart, explored\n${summarize(report)}\n${agreed}`)
  }, 600_000)

  it('is large enough to mean something, and small enough to be exhaustive', () => {
    expect(report.states).toBeGreaterThan(2_000)
    expect(report.states).toBeLessThan(10_000)
    expect(report.pairs).toBeGreaterThan(200_000)
    for (const states of Object.values(report.perSlice)) expect(states).toBeGreaterThan(200)
  })

  it('fires every transition', () => expect(report.transitions.missing).toEqual([]))

  it('reaches every verdict and fencing rule', () => {
    expect(report.rules).toEqual({ hit: 13, total: 13, missing: [] })
    const named = new Set(report.graph.effects.flatMap(({ rules }) => rules))
    expect([...named].sort()).toEqual(['F0', 'R1', 'R2', 'R3', 'V0', 'V1', 'V2', 'V3', 'V4', 'V5', 'V6', 'V7', 'V8'])
  })

  it('has every guard both true and false', () => expect(report.guards.missing).toEqual([]))
  it('runs every action', () => expect(report.actions.missing).toEqual([]))
  it('uses every delay', () => expect(report.delays.missing).toEqual([]))
  it('breaks no invariant (P4, P5, P7, P9, P22)', () => {
    expect(report.violations.filter(({ invariant }) => invariant !== oracle.invariant.name)).toEqual([])
  })

  it('does what the oracle, written from the design alone, expects of every pair', () => {
    expect(report.violations.filter(({ invariant }) => invariant === oracle.invariant.name)).toEqual([])
    expect(oracle.compared()).toBe(report.pairs)
  })

  it('can reach ready from everywhere but where it was closed (P23)', () => {
    const usable = cannotReach(
      report,
      (s) => s.snapshot.hasTag('usable') || s.snapshot.context.after === 'closed',
      (label) => isCooperative(label) || isCommand(label),
    )
    expect(usable).toEqual([])
  })

  it('gets ready by itself when the world heals, from everywhere but where it waits for somebody', () => {
    const needy = cannotReach(
      report,
      (s) => s.snapshot.hasTag('usable') || s.snapshot.context.after === 'closed',
      isCooperative,
    )
    // Idle and permanent wait for a command; `open` does where slow probes are off; a closing connection goes to idle.
    expect(values(needy)).toEqual([
      'closing',
      'failed.exhausted.open',
      'failed.exhausted.resting',
      'failed.permanent',
      'idle',
      'linked.reauthorizing.awaitingUser',
    ])
    expect(new Set(needy.filter((s) => s.value.startsWith('failed.exhausted')).map((s) => s.slice))).toEqual(
      new Set(['bare']),
    )
  })

  it('has a timed exit wherever it is busy or waits, but for slow probes that are off', () => {
    const untimed = withoutTimedExit(report, ({ snapshot }) => snapshot.hasTag('busy') || snapshot.hasTag('waiting'))
    expect(untimed.map(({ value, slice }) => `${slice}: ${value}`)).toEqual(['bare: failed.exhausted.open'])
  })

  it('answers to the end of every actor it runs', () => {
    // These are made of callbacks and end only when they are stopped.
    expect(deafToChildren(report, ['link', 'login'])).toEqual([])
  })

  it('always ends closing by its deadline', () => {
    const open = cannotReach(
      report,
      (s) => s.value !== 'closing',
      (label) => label === 'xstate.after.closeTimeout.connection.closing',
    )
    expect(open).toEqual([])
  })

  it('does what the reviewed table says (renewed only by UPDATE_GOLDEN=1)', () => {
    const table = goldenTable(report)
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(goldenFile, table)
    expect(table.split('\n').length).toBeLessThan(2_000)
    expect(table).toBe(readFileSync(goldenFile, 'utf8'))
  })
})
