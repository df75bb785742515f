/** What of a ruling no sample shows, by rule: written from the design's table of faults, and compared with the rules. */
import { classify, type Dialect, type Evidence, type Fault } from '../../machines/index.js'
import type { Sample } from './samples.js'

/** Signs that are final on a new target but look the same while a known one is deployed anew (design section 4). */
export const transientOnceReady: ReadonlySet<string> = new Set([
  'authorization-unusable',
  'certificate-untrusted',
  'forbidden-at-start',
  'initialize-refused',
  'not-mcp',
  'not-this-endpoint',
  'redirect-at-start',
  'version-unsupported',
])

/** The server still holds the session that is given up. */
export const endsSession: ReadonlySet<string> = new Set(['listening-conflict', 'listening-dead'])

/** What these tell of never left, also where the wire does not say so. */
export const neverSent: ReadonlySet<string> = new Set([
  'command-unusable',
  'cwd-missing',
  'host-out-of-resources',
  'session-forgotten',
  'target-unusable',
  'unsendable',
])

/** The other way that is tried, by sample; there is none for all others. */
export const dialects: Readonly<Record<string, Dialect>> = {
  'an address that the older wire no longer serves': { wire: 'http' },
  '400 already initialized (11)': { endSession: true },
  'already initialized, in other words (11)': { endSession: true },
  '-32602 with a list of versions (29)': { version: '2025-03-26' },
  '-32022 to initialize (29)': { version: '2024-11-05' },
  '400 naming versions (30)': { version: '2025-06-18' },
  'the version that was asked for, and the one to ask for': { version: '2025-03-26' },
  'a version refused, and none named (29)': { version: '2025-06-18' },
  '404 to initialize, auto': { wire: 'sse' },
  '405 to initialize, auto': { wire: 'sse' },
}

/** What differs from the sample and the tables, or nothing. */
export function misjudged({ name, evidence, ...due }: Sample): string | undefined {
  const fault = classify(evidence)
  const is = pick(fault)
  const wrong = JSON.stringify(is) === JSON.stringify(pick(due)) ? undefined : `${name}: ${JSON.stringify(is)}`
  if (wrong !== undefined) return wrong
  if (JSON.stringify(fault.dialect) !== JSON.stringify(dialects[name]))
    return `${name}: ${JSON.stringify(fault.dialect)}`
  return misjudgedLater(evidence, due.rule, fault)
}

function misjudgedLater(evidence: Evidence, rule: string, fault: Fault): string | undefined {
  if ((fault.endsSession === true) !== endsSession.has(rule)) return `${rule}: ends the session: ${fault.endsSession}`
  const untold = classify({ ...evidence, sent: undefined })
  if (neverSent.has(rule) && untold.delivery !== 'not-sent') return `${rule}: ${untold.delivery}`
  const [fresh, known] = [false, true].map((everReady) => classify({ ...evidence, everReady }))
  if (fresh?.rule !== rule || known?.rule !== rule) return undefined
  const due = transientOnceReady.has(rule) ? 'transient' : fresh.class
  return known.class === due ? undefined : `${rule}: once ready it is ${known.class}`
}

const pick = ({ rule, class: is, scope, code, delivery, suspect }: Omit<Sample, 'name' | 'evidence'> | Fault) => ({
  rule,
  class: is,
  scope,
  code,
  delivery,
  suspect: suspect === true,
})
