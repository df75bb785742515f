/** Questions to a case file that several checks ask. */
import type { Fault } from '../../machines/faults.js'
import type { CaseFile, FaultRecord } from './case-file.js'
import { span } from './words.js'

/** Faults of single calls are held against the server for so long, in milliseconds. */
const RECENT_MS = 10 * 60_000

export const isProcess = ({ wire }: CaseFile): boolean => wire === 'stdio'
export const isWeb = ({ wire }: CaseFile): boolean => wire === 'http' || wire === 'sse'

/**
 * The fault that keeps the connection from being usable now: the last one, while it is being made again or has been given
 * up. What failed earlier on the way may long be over.
 */
export function obstacle({ usable, status, fault, trouble }: CaseFile): Fault | undefined {
  if (usable || fault === undefined || ['idle', 'closing', 'closed'].includes(status)) return undefined
  const isOver = trouble?.outcome === 'recovered' || trouble?.outcome === 'disconnected'
  return isOver && status !== 'reauthorizing' && status !== 'failed' ? undefined : fault
}

/** The obstacle, or what began the trouble that was last overcome: what the present explanation is about. */
export function subject(file: CaseFile): Fault | undefined {
  return obstacle(file) ?? (isOvercome(file) ? file.trouble?.reason : undefined)
}

/** The last trouble is over, and the connection is well. */
export const isOvercome = ({ usable, trouble }: CaseFile): boolean => usable && trouble?.outcome === 'recovered'

/** Every fault of the present or last trouble, in order, the one that began it first. */
export function troubleFaults({ trouble }: CaseFile): FaultRecord[] {
  if (!trouble) return []
  return [{ at: trouble.startedAt, fault: trouble.reason }, ...trouble.attempts]
}

/** Faults of single calls that are not long ago. */
export function recentCallFaults({ callFaults, now }: CaseFile): readonly FaultRecord[] {
  return callFaults.filter(({ at }) => now - at <= RECENT_MS)
}

/** What of these the test holds for, in the present or last trouble and in recent calls. */
export function seen(file: CaseFile, test: (fault: Fault) => boolean): FaultRecord[] {
  return [...troubleFaults(file), ...recentCallFaults(file)].filter(({ fault }) => test(fault))
}

export const ago = ({ now }: CaseFile, at: number): string => `${span(now - at)} ago`

/** When the last trouble ended. */
export const endOf = ({ trouble }: CaseFile): number =>
  trouble === undefined ? 0 : trouble.startedAt + (trouble.durationMs ?? 0)

/** `; it is well again since 3 s`, where it is. */
export function since(file: CaseFile): string {
  return isOvercome(file) ? `; well again after ${span(file.trouble?.durationMs ?? 0)}` : ''
}
