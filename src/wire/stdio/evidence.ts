import { basename } from 'node:path'
import type { EvidenceKind, WireEvidence } from '../../../machines/evidence.js'
import type { ProcessEnd } from './server-process.js'

export function stdioEvidence(kind: EvidenceKind, summary: string, more: Partial<WireEvidence> = {}): WireEvidence {
  return { kind, wire: 'stdio', summary, ...more }
}

/** What is told of a server process that ended, or of one that can no longer be spoken with. */
export function endEvidence(command: string, end: ProcessEnd, stderrTail: string): WireEvidence {
  return stdioEvidence('exit', `server process ${basename(command)} ${howItEnded(end)}`, {
    exit: exitOf(end, stderrTail),
    ...(end.errno === undefined ? {} : { errno: end.errno }),
  })
}

/** The same when it was we who ended it. */
export function closedEvidence(end: ProcessEnd | undefined, stderrTail: string): WireEvidence {
  return stdioEvidence('closed', 'closed by us', end ? { exit: exitOf(end, stderrTail) } : {})
}

function exitOf(end: ProcessEnd, stderrTail: string): NonNullable<WireEvidence['exit']> {
  return { ...end.exit, ...(stderrTail === '' ? {} : { stderrTail }) }
}

function howItEnded({ exit, first, errno }: ProcessEnd): string {
  if (exit?.signal) return `was ended by ${exit.signal}`
  if (exit?.code === 127) return 'exited with code 127: a command or interpreter was not found'
  if (exit) return `exited with code ${exit.code}`
  if (first === 'stdout') return 'closed its stdout'
  return `takes no more input${errno === undefined ? '' : ` (${errno})`}`
}
