/** What only a row of events tells: a restart, instances that do not share sessions, a proxy that cuts what idles. */
import type { WireEvidence } from '../../machines/evidence.js'
import type { CaseFile, LinkRecord } from './case-file.js'
import { isBroken, isGatewayError, isLostAtOnce, isSessionLost } from './kinds.js'
import { troubleFaults } from './reading.js'
import { median } from './words.js'

/** A stream that broke this long before the session was lost went down with it, in milliseconds. */
const TOGETHER_MS = 60_000
/** So many cuts make a habit. */
const HABIT = 3
/** Idle times this much apart, as a share of the middle one, are still the same; or this much in milliseconds. */
const LIKENESS = { share: 0.12, ms: 300 } as const
/** A session that was lost sooner than this after it was begun was hardly lost by a restart, in milliseconds. */
const YOUNG_MS = 60_000

/** Links that had a session, each with the one before it. */
function sessionPairs({ links }: CaseFile): [LinkRecord, LinkRecord][] {
  const held = links.filter(({ session, resumed }) => session !== undefined && resumed !== true)
  return held.slice(1).map((link, i) => [held[i] as LinkRecord, link])
}

/** The server told another name or version than in the session before: from what to what. */
export function replaced(file: CaseFile): { at: number; from: string; to: string } | undefined {
  for (const [before, after] of sessionPairs(file).reverse()) {
    const [from, to] = [nameOf(before), nameOf(after)]
    if (from !== to) return { at: after.begunAt, from, to }
  }
  return undefined
}

const nameOf = ({ session }: LinkRecord): string => `${session?.server.name} ${session?.server.version}`

export interface Restart {
  readonly at: number
  /** By which signs. */
  readonly signs: readonly string[]
}

/**
 * The server was restarted or deployed anew: it told another version, or it forgot the session and was away, or its
 * stream broke, around the same time. A session that is lost without any of these may just have expired.
 */
export function restarted(file: CaseFile): Restart | undefined {
  if (scattered(file)) return undefined
  const faults = troubleFaults(file)
  const lost = faults.find(({ fault }) => isSessionLost(fault))
  const away = faults.find(({ fault }) => isBroken(fault) && fault.evidence.errno !== undefined)
  const refused = faults.find(({ fault }) => fault.evidence.errno === 'ECONNREFUSED')
  const gateway = faults.find(({ fault }) => isGatewayError(fault))
  const other = replaced(file)
  const cut = lost && file.cuts.findLast(({ at }) => at <= lost.at && lost.at - at <= TOGETHER_MS)
  const isBack = file.usable && file.trouble?.kind !== 'start'
  const signs = [
    ...(lost ? ['it no longer knew the session'] : []),
    ...(refused ? ['nothing listened there for a while'] : away && lost ? ['it could not be reached'] : []),
    ...(gateway && lost ? ['the proxy before it had no server'] : []),
    ...(cut ? ['its stream broke just before'] : []),
    ...(other ? [`it was ${other.from} and is ${other.to}`] : []),
  ]
  const isProven = other !== undefined || (lost && (away || gateway || cut)) || (isBack && refused)
  if (!isProven) return undefined
  return { at: lost?.at ?? refused?.at ?? other?.at ?? file.trouble?.startedAt ?? 0, signs }
}

/**
 * Several instances that do not share their sessions: a session was unknown right after it had been given out, or young
 * sessions are lost again and again although the server can be reached all the time. How often.
 */
export function scattered(file: CaseFile): number | undefined {
  const faults = troubleFaults(file).map(({ fault }) => fault)
  const atOnce = faults.filter(isLostAtOnce).length
  if (atOnce > 0) return atOnce
  const young = file.links.filter(
    ({ fault, begunAt, endedAt }) =>
      fault !== undefined && isSessionLost(fault) && endedAt !== undefined && endedAt - begunAt < YOUNG_MS,
  )
  const away = file.links.some(({ fault }) => fault !== undefined && isBroken(fault))
  return young.length >= HABIT && !away ? young.length : undefined
}

export interface RegularCut {
  /** How long streams may idle, in milliseconds, as far as can be told. */
  readonly idleMs: number
  readonly times: number
  /** Which streams are cut: the listening stream, replies to calls, or the one stream of the older wire. */
  readonly streams: 'listening' | 'replies' | 'session'
}

/** Streams that are cut again and again after the same idle time: a proxy on the way does that. */
export function regularCut({ cuts, callFaults }: CaseFile): RegularCut | undefined {
  const streams = cuts.map(({ evidence }) => evidence)
  const replies = callFaults.map(({ fault }) => fault.evidence).filter(({ stream }) => stream === 'reply')
  return (
    habitOf(
      streams.filter(({ wire }) => wire === 'sse'),
      'session',
    ) ??
    habitOf(
      streams.filter(({ wire, stream }) => wire === 'http' && stream === 'listen'),
      'listening',
    ) ??
    habitOf(replies, 'replies')
  )
}

function habitOf(cuts: readonly WireEvidence[], streams: RegularCut['streams']): RegularCut | undefined {
  const idle = cuts.map(({ idleMs = 0 }) => idleMs).filter((ms) => ms > 0)
  const middle = median(idle)
  const near = idle.filter((ms) => Math.abs(ms - middle) <= Math.max(LIKENESS.ms, middle * LIKENESS.share))
  // A server that ends each stream as soon as it is open has another habit: there is nothing idle about it.
  if (middle < 1_000 || near.length < HABIT || near.length < idle.length * 0.75) return undefined
  return { idleMs: median(near), times: near.length, streams }
}
