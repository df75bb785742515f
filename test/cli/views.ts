/** Views as they come from connections, for tests of what is shown. */
import type { Fault } from '../../machines/faults.js'
import { initialView, type View } from '../../src/cli/view.js'

/** A clock time: some afternoon. */
export const now = new Date(2026, 4, 6, 14, 2, 33).getTime()

export const viewOf = (changes: Partial<View> = {}): View => ({
  ...initialView('files', 'stdio node', now - 60_000),
  maxAttempts: 20,
  ...changes,
})

const fault: Fault = {
  class: 'transient',
  code: 'process.exited',
  scope: 'link',
  delivery: 'unknown',
  advice: 'Its stderr tells why; it is started again.',
  rule: 'process-exited',
  evidence: { kind: 'exit', wire: 'stdio', phase: 'ready', summary: 'server process node was ended by SIGKILL' },
}

export const shownFault = {
  code: fault.code,
  summary: fault.evidence.summary,
  advice: fault.advice,
  at: now - 3_000,
  source: fault,
}

export const ready = viewOf({
  status: 'ready',
  state: 'linked.ready (health.steady, catalog.fresh, credentials.valid)',
  tools: 13,
})

export const waiting = viewOf({
  status: 'backoff',
  state: 'backoff.waiting',
  tools: 13,
  attempts: 4,
  since: now - 500,
  downSince: now - 12_000,
  nextAt: now + 3_210,
  fault: shownFault,
})
