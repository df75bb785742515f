/** Single questions of the checklist over made-up files: the borders between one cause and another. */
import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../machines/evidence.js'
import { type CaseFile, checks, explain } from '../../src/diagnosis/index.js'
import { caseFile, cutsAfter, fault, link, MINUTE } from './file.js'

const look = (id: string, file: CaseFile) => {
  const check = checks.find((one) => one.id === id)
  if (!check) throw new Error(`no check ${id}`)
  return check.look(file)
}

const bad = (file: CaseFile): string[] =>
  explain(file)
    .checklist.filter(({ verdict }) => verdict === 'bad')
    .map(({ id }) => id)

describe('a connection that is well', () => {
  it.each(['http', 'sse', 'stdio', 'custom'] as const)('over %s: nothing is blamed', (wire) => {
    const explanation = explain(caseFile({ wire }))
    expect(explanation.checklist.filter(({ verdict }) => verdict !== 'ok')).toEqual([])
    expect(explanation.cause).toBeUndefined()
    expect(explanation.summary).toBe('Ready since 1 h 39 min.')
  })

  it('before it was started, nothing is known and nothing is blamed', () => {
    const file = caseFile({ status: 'idle', usable: false, links: [], lists: { fetchedAt: 0, counts: {}, errors: {} } })
    expect(bad(file)).toEqual([])
    expect(explain(file).summary).toBe('Not started.')
  })
})

describe('a proxy that cuts what idles', () => {
  it.each<[string, readonly number[], number]>([
    ['exactly', [60_000, 60_000, 60_000], 60_000],
    ['within timers and networks', [60_010, 59_800, 60_900, 60_100], 60_055],
    ['once otherwise, as when the server was restarted', [60_000, 60_000, 12_000, 60_000, 60_000], 60_000],
    ['after a short time', [2_003, 2_011, 1_998], 2_003],
  ])('%s', (_case, idle, idleMs) => {
    const { verdict, evidence } = look('idle-proxy', caseFile({ cuts: cutsAfter(idle) }))
    expect(verdict).toBe('bad')
    expect(evidence).toContain(idleMs >= 60_000 ? '1 min' : '2 s')
  })

  it.each<[string, readonly number[]]>([
    ['twice is no habit', [60_000, 60_000]],
    ['at any time', [10_000, 45_000, 22_000, 70_000, 31_000]],
    ['at any time, a few alike by chance', [9_000, 45_000, 44_000, 43_500, 20_000, 70_000, 5_000, 90_000]],
    ['as soon as they are open: nothing idles', [10, 10, 10, 10]],
    ['while something was being said: not idle at all', [0, 0, 0]],
  ])('not: %s', (_case, idle) => {
    expect(look('idle-proxy', caseFile({ cuts: cutsAfter(idle) })).verdict).not.toBe('bad')
  })

  it('is told how to be avoided on each wire: probes help only where their answers come on the stream', () => {
    const on = (more: Partial<Evidence>, wire: 'http' | 'sse' = 'http') =>
      look('idle-proxy', caseFile({ wire, cuts: cutsAfter([60_000, 60_000, 60_000], more) })).advice
    expect(on({})).toMatch(/send a comment on the stream at least every 36 s; probes of the client .* do not help/)
    const reply = fault({ kind: 'stream', stream: 'reply', method: 'tools/call', idleMs: 60_000 })
    const callFaults = [1, 2, 3].map((n) => ({ at: n * MINUTE, fault: reply }))
    expect(look('idle-proxy', caseFile({ callFaults })).advice).toMatch(
      /send progress or a comment at least every 36 s while it works/,
    )
    expect(on({ wire: 'sse', stream: undefined }, 'sse')).toMatch(/`policy\.keepaliveMs` to 36000 \(it is 30000\)/)
  })
})

describe('a restart, an expiry, or several instances', () => {
  const lost = fault({ http: { status: 404, exchange: 'message', body: 'Session not found' }, sessionSent: true })
  const recovered = (reason = lost, attempts: CaseFile['trouble'] = undefined): Pick<CaseFile, 'trouble'> => ({
    trouble: {
      kind: 'loss',
      startedAt: 90 * MINUTE,
      reason,
      attempts: attempts?.attempts ?? [],
      failures: 0,
      outcome: 'recovered',
      durationMs: 300,
    },
  })
  const twoLinks = [link(1, MINUTE, { endedAt: 90 * MINUTE, fault: lost }), link(2, 90 * MINUTE)]

  it('a session that is lost and nothing else: it expired, as far as can be told', () => {
    const file = caseFile({ ...recovered(), links: twoLinks })
    expect(bad(file)).toEqual(['session'])
    expect(look('restart', file).verdict).toBe('unknown')
  })

  it('with a stream that broke just before: a restart', () => {
    const [cut] = cutsAfter([5_000])
    const file = caseFile({ ...recovered(), links: twoLinks, cuts: cut ? [{ ...cut, at: 90 * MINUTE - 500 }] : [] })
    expect(bad(file)).toEqual(['restart'])
  })

  it('a stream that broke long before has nothing to do with it', () => {
    expect(bad(caseFile({ ...recovered(), links: twoLinks, cuts: cutsAfter([5_000]) }))).toEqual(['session'])
  })

  it('with another version than before: deployed anew, whatever else was seen', () => {
    const server = { name: 'server', version: '2.0.0' }
    const links = [twoLinks[0], link(2, 90 * MINUTE, { session: { protocolVersion: '1', server, resumable: true } })]
    const { evidence } = look('restart', caseFile({ ...recovered(), links: links as CaseFile['links'] }))
    expect(evidence).toContain('it was server 1.0.0 and is server 2.0.0')
  })

  it('young sessions lost again and again while the server can be reached: several instances', () => {
    const young = [1, 2, 3].map((n) => link(n, n * 10_000, { endedAt: n * 10_000 + 5_000, fault: lost }))
    const file = caseFile({ ...recovered(), links: [...young, link(4, 90 * MINUTE)] })
    expect(bad(file)).toEqual(['instances'])
  })

  it('old sessions lost again and again: no instances, they expire', () => {
    const old = [1, 2, 3].map((n) => link(n, n * 10 * MINUTE, { endedAt: (n + 1) * 10 * MINUTE, fault: lost }))
    expect(bad(caseFile({ ...recovered(), links: [...old, link(4, 90 * MINUTE)] }))).toEqual(['session'])
  })
})

describe('what is over is not blamed', () => {
  const over = (reason: ReturnType<typeof fault>): CaseFile =>
    caseFile({
      fault: reason,
      trouble: {
        kind: 'start',
        startedAt: 90 * MINUTE,
        reason,
        attempts: [],
        failures: 0,
        outcome: 'recovered',
        durationMs: 5_000,
      },
    })

  it.each<[string, Partial<Evidence>]>([
    ['a certificate that was renewed', { kind: 'network', errno: 'CERT_HAS_EXPIRED' }],
    ['a credential that was given', { http: { status: 401, exchange: 'message' } }],
    ['an address that serves now', { phase: 'initializing', http: { status: 404, exchange: 'message' } }],
    ['a version that was found', { kind: 'rpc', method: 'initialize', protocolVersion: '1999-01-01' }],
  ])('%s', (_case, evidence) => {
    expect(bad(over(fault(evidence)))).toEqual([])
  })

  it('a dialect or a credential that was changed on the way to ready, which is no trouble at all', () => {
    const refused = fault({ http: { status: 401, exchange: 'message' } })
    expect(bad(caseFile({ fault: refused }))).toEqual([])
  })

  it('a rate limit on a call is news for ten minutes', () => {
    const limited = fault({ http: { status: 429, exchange: 'message' } })
    const at = (ago: number) => caseFile({ callFaults: [{ at: 100 * MINUTE - ago, fault: limited }] })
    expect(bad(at(9 * MINUTE))).toEqual(['rate'])
    expect(bad(at(11 * MINUTE))).toEqual([])
  })

  it('a tool that went and came again is there', () => {
    const change = { list: 'tools', added: [], removed: [], changed: [] }
    const changes = [
      { ...change, at: 98 * MINUTE, removed: ['search'] },
      { ...change, at: 99 * MINUTE, added: ['search'] },
    ]
    expect(bad(caseFile({ changes }))).toEqual([])
    expect(bad(caseFile({ changes: changes.slice(0, 1) }))).toEqual(['lists'])
  })
})

describe('what stands in the way now comes before what began it', () => {
  it('the server died, and its restart lacks a variable', () => {
    const died = fault({ kind: 'exit', wire: 'stdio', exit: { code: null, signal: 'SIGKILL' } })
    const lacks = fault({
      kind: 'exit',
      wire: 'stdio',
      phase: 'initializing',
      exit: { code: 1, stderrTail: 'Missing required environment variable: WEATHER_API_KEY' },
    })
    const file = caseFile({
      wire: 'stdio',
      status: 'backoff',
      usable: false,
      fault: lacks,
      trouble: {
        kind: 'loss',
        startedAt: 90 * MINUTE,
        reason: died,
        attempts: [{ at: 91 * MINUTE, lastedMs: 50, fault: lacks }],
        failures: 1,
      },
    })
    const explanation = explain(file)
    expect(bad(file)).toEqual(['environment', 'process'])
    expect(explanation.timeline[0]?.text).toMatch(/^lost: process\.exited/)
    expect(look('reason', file).evidence).toMatch(/^process\.exited/)
  })

  it('a fault that no question is about is told as it is, with its own advice', () => {
    const strange = { ...fault({ kind: 'thrown' }), code: 'shop.closed', advice: 'Come again tomorrow.' }
    const file = caseFile({ status: 'failed', usable: false, stopped: true, fault: strange })
    expect(explain(file).cause).toMatchObject({
      id: 'fault',
      evidence: 'shop.closed: it failed',
      advice: strange.advice,
    })
  })
})

describe('probes that are answered by something else than the server', () => {
  it.each<[string, Partial<Evidence>, string]>([
    ['a proxy whose server is away', { http: { status: 502, exchange: 'message' } }, 'load'],
    ['nobody at the port', { errno: 'ECONNREFUSED' }, 'reachable'],
    ['no answer at all', { afterMs: 5_000 }, 'responsive'],
  ])('%s', (_case, evidence, cause) => {
    const lost = fault({ kind: 'probe', ...evidence })
    const trouble = { kind: 'loss', startedAt: 99 * MINUTE, reason: lost, attempts: [], failures: 0 } as const
    expect(bad(caseFile({ status: 'backoff', usable: false, fault: lost, trouble }))).toEqual([cause])
  })
})

describe('every question', () => {
  it('gives the same judgement of the same file, and an advice with what is bad', () => {
    const file = caseFile({
      cuts: cutsAfter([60_000, 60_000, 60_000]),
      noise: { count: 2, text: 'hello' },
      wire: 'sse',
    })
    expect(explain(file)).toEqual(explain(file))
    for (const { verdict, advice } of explain(file).checklist)
      if (verdict === 'bad') expect(advice).toMatch(/\w+\.$|\w+\)\.$/)
  })

  it('has an id and a question of its own', () => {
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length)
    expect(new Set(checks.map(({ question }) => question)).size).toBe(checks.length)
  })
})
