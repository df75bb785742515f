/** What the demonstration saw, and what of it is not as promised. */
import type { ListKind } from '../../index.js'
import { count, duration } from '../text.js'
import type { CallRecord, Outcome } from './calls.js'

export interface OutageFacts {
  readonly connection: string
  /** What was done to it, as in "did not come back after …". */
  readonly deed: string
  /** Whether the connection noticed at all: without that, nothing is shown. */
  readonly noticed: boolean
  /** How long there was no server, in milliseconds; 0 where the connection itself starts it again. */
  readonly awayMs: number
  /** From the deed until it was ready again, in milliseconds. Absent: it did not come back in time. */
  readonly recoveredMs?: number
  /** Lists that the server has, and those of them that were read again after the recovery. */
  readonly lists: readonly ListKind[]
  readonly listsReread: readonly ListKind[]
  /** The catalog says that it was read later than before. */
  readonly fetchedLater: boolean
  /** Where it stood when it was given up on. */
  readonly stuckIn?: string
}

export interface Facts {
  /** Connections that never became ready, with the reason. */
  readonly neverReady: readonly { readonly connection: string; readonly reason: string }[]
  readonly outages: readonly OutageFacts[]
  readonly calls: readonly CallRecord[]
  readonly closedInTime: boolean
  /** Processes of ours that live after everything was closed. */
  readonly processesLeft: readonly number[]
  /** Sockets, timers and pipes that are there after everything was closed, and were not at the beginning. */
  readonly resourcesLeft: readonly string[]
}

/** Each a sentence; none: everything is as promised. */
export function problemsOf(facts: Facts): string[] {
  return [
    ...facts.neverReady.map(({ connection, reason }) => `${connection} never became ready: ${reason}`),
    ...facts.outages.flatMap(outageProblems),
    ...facts.calls.flatMap(callProblems),
    ...(facts.closedInTime ? [] : ['Closing took too long.']),
    ...(facts.processesLeft.length > 0 ? [`Left behind: process ${facts.processesLeft.join(', ')}.`] : []),
    ...(facts.resourcesLeft.length > 0 ? [`Left behind: ${facts.resourcesLeft.join(', ')}.`] : []),
  ]
}

function outageProblems(outage: OutageFacts): string[] {
  const { connection, deed, noticed, recoveredMs, lists, listsReread, fetchedLater, stuckIn } = outage
  if (!noticed) return [`${connection} did not notice ${deed}.`]
  if (recoveredMs === undefined) return [`${connection} did not come back after ${deed}; it stood in ${stuckIn}.`]
  const missed = lists.filter((list) => !listsReread.includes(list))
  return [
    ...(lists.length === 0 ? [`${connection} has no lists, so nothing shows that they are read again.`] : []),
    ...(missed.length > 0 ? [`${connection} did not read again: ${missed.join(', ')}.`] : []),
    ...(fetchedLater ? [] : [`${connection} shows a catalog from before the outage.`]),
  ]
}

function callProblems({ connection, moment, outcome }: CallRecord): string[] {
  if (outcome === 'pending') return [`A call to ${connection}, ${moment}, never settled.`]
  // A call that was with the server when it died cannot be answered; that it is told so, in time, is the promise.
  if (moment === 'in flight' ? outcome === 'late' : outcome !== 'answered')
    return [`A call to ${connection}, ${moment === 'in flight' ? moment : `${moment} the outage`}, was ${outcome}.`]
  return []
}

/** The closing words, a label and a sentence each. */
export function summaryOf(facts: Facts, tookMs: number): [label: string, text: string][] {
  const { outages, calls, processesLeft, resourcesLeft } = facts
  const left = processesLeft.length + resourcesLeft.length
  return [
    ['calls', `${calls.length} made: ${tally(calls)}`],
    ...outages.map((outage): [string, string] => [outage.connection, recovery(outage)]),
    ['left behind', left === 0 ? 'nothing: no process, socket or timer' : `${left} things`],
    ['took', duration(tookMs)],
  ]
}

const words: Record<Outcome, string> = {
  answered: 'answered',
  refused: 'refused, not run',
  unknown: 'outcome unknown and told so',
  late: 'late',
  error: 'failed',
  pending: 'not settled',
}

function tally(calls: readonly CallRecord[]): string {
  const told: Outcome[] = ['answered', 'refused', 'unknown']
  const rare: Outcome[] = ['late', 'error', 'pending']
  const numberOf = (outcome: Outcome) => calls.filter((call) => call.outcome === outcome).length
  return [...told, ...rare.filter((outcome) => numberOf(outcome) > 0)]
    .map((outcome) => `${numberOf(outcome)} ${words[outcome]}`)
    .join(', ')
}

function recovery({ awayMs, recoveredMs, lists, listsReread }: OutageFacts): string {
  if (recoveredMs === undefined) return 'did not come back'
  const sinceServer = awayMs > 0 ? `, ${duration(recoveredMs - awayMs)} after its server was back` : ''
  return `ready ${duration(recoveredMs)} after the loss${sinceServer}; ${listsReread.length} of ${count(lists.length, 'list')} read again`
}
