import { classify } from '../../machines/classify.js'
import type { Evidence } from '../../machines/evidence.js'
import type { Fault } from '../../machines/faults.js'
import { resolvePolicy } from '../../machines/policy.js'
import type { CaseFile, LinkRecord } from '../../src/diagnosis/index.js'

export const MINUTE = 60_000

/** A connection over HTTP that is well and has always been; what a test says differs. */
export function caseFile(more: Partial<CaseFile> = {}): CaseFile {
  const wire = more.wire ?? 'http'
  return {
    name: 'test',
    wire,
    target: wire === 'stdio' ? 'server' : 'https://example.com/mcp',
    now: 100 * MINUTE,
    status: 'ready',
    statusSince: MINUTE,
    usable: true,
    stopped: false,
    policy: resolvePolicy(wire),
    counters: {
      attempts: 0,
      renewals: 0,
      earlyExits: 0,
      slowStarts: 0,
      missedProbes: 0,
      coolMs: 0,
      online: true,
      postOnly: false,
      everReady: true,
      authorizer: false,
      demand: false,
    },
    history: [],
    links: [link(1, MINUTE)],
    callFaults: [],
    cuts: [],
    changes: [],
    lists: { fetchedAt: MINUTE, counts: { tools: 3 }, errors: {} },
    noise: { count: 0, text: '' },
    stderr: '',
    calls: { made: 0, waiting: 0 },
    host: { library: '0', runtime: 'Node.js', platform: 'linux' },
    ...more,
  }
}

export const link = (generation: number, begunAt: number, more: Partial<LinkRecord> = {}): LinkRecord => ({
  generation,
  begunAt,
  readyAt: begunAt + 100,
  session: { protocolVersion: '2025-11-25', server: { name: 'server', version: '1.0.0' }, resumable: true },
  ...more,
})

export const fault = (evidence: Partial<Evidence>): Fault =>
  classify({ kind: 'http', wire: 'http', phase: 'ready', summary: 'it failed', everReady: true, ...evidence })

/** Cuts after these idle times, one after the other. */
export function cutsAfter(idle: readonly number[], more: Partial<Evidence> = {}): CaseFile['cuts'] {
  let at = MINUTE
  return idle.map((idleMs) => {
    at += idleMs + 1_000
    const evidence = { kind: 'stream', wire: 'http', stream: 'listen', summary: 'cut', idleMs, ...more } as const
    return { at, evidence }
  })
}
