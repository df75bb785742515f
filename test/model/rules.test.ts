import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify, type Evidence, type Rule, rules } from '../../machines/index.js'
import { dialects, endsSession, misjudged, neverSent, transientOnceReady } from './rulings.js'
import { type Sample, samples } from './samples.js'

const judged = (evidence: Evidence): Omit<Sample, 'name' | 'evidence'> => {
  const { rule, class: is, scope, code, delivery, suspect } = classify(evidence)
  return { rule, class: is, scope, code, delivery, ...(suspect && { suspect }) }
}

describe('the rules from evidence to fault', () => {
  it.each(samples.map((sample) => [sample.name, sample] as const))('%s', (_, { name: _name, evidence, ...due }) => {
    expect(judged(evidence)).toEqual(due)
  })

  it('each judge at least one sample, so that none stands in the shadow of another', () => {
    const firing = new Set(samples.map(({ evidence }) => classify(evidence).rule))
    expect(rules.map(({ id }) => id).filter((id) => !firing.has(id))).toEqual([])
  })

  it('have names of their own, reasons and advice', () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length)
    for (const { because, ruling } of rules) {
      expect(because.length).toBeGreaterThan(20)
      expect(ruling.advice).toMatch(/[.?]$/)
    }
  })

  it('fill in codes and advice', () => {
    for (const { evidence } of samples) {
      const fault = classify(evidence)
      expect(`${fault.code} ${fault.advice}`).not.toMatch(/[{}]/)
    }
  })

  it('take a 400 to initialize for session, occupied, version, older wire, refusal: in this order', () => {
    const answer = (body: string, more: Partial<Evidence> = {}) =>
      classify({
        kind: 'http',
        wire: 'http',
        phase: 'initializing',
        method: 'initialize',
        summary: '',
        legacyAllowed: true,
        http: { status: 400, exchange: 'message', body },
        ...more,
      })
    const everything = 'Server already initialized; protocol version must be 2025-03-26'
    const underSession = { method: 'tools/list', sessionSent: true, phase: 'resuming' } as const
    expect(answer(`No valid session ID. Protocol version 2025-03-26`, underSession).rule).toBe(
      'session-unknown-otherwise',
    )
    expect(answer(everything).rule).toBe('already-initialized')
    expect(answer('protocol version must be 2025-03-26').rule).toBe('version-offered')
    expect(answer('bad request').rule).toBe('legacy-wire')
    expect(answer('bad request', { legacyAllowed: false }).rule).toBe('not-this-endpoint')
  })

  it('say what no sample shows: the dialect to try, the session to end, the patience with a target that was once ready', () => {
    expect(samples.flatMap((sample) => misjudged(sample) ?? [])).toEqual([])
    const named = [...transientOnceReady, ...endsSession, ...neverSent]
    expect(named.filter((id) => !rules.some((rule) => rule.id === id))).toEqual([])
    expect(Object.keys(dialects).filter((name) => !samples.some((sample) => sample.name === name))).toEqual([])
  })

  it('ask a user’s rules first, in their order', () => {
    const mine = (id: string, when: Rule['when']): Rule<'weather'> => ({
      id,
      because: 'this server says so',
      when,
      ruling: { class: 'weather', scope: 'call', code: 'mine.{status}', advice: 'Wait.' },
    })
    const evidence = samples.find(({ rule }) => rule === 'server-error')?.evidence
    if (!evidence) throw new Error('no sample')
    const both = [mine('never', () => false), mine('first', () => true), mine('second', () => true)]
    expect(classify(evidence, both)).toMatchObject({ rule: 'first', class: 'weather', code: 'mine.503' })
  })

  const some = <T>(...values: readonly T[]) => fc.constantFrom(...values)
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
  const words = fc.oneof(
    fc.string(),
    some('Session not found', 'already initialized', 'protocol version 2025-03-26', 'invalid_grant'),
  )
  const anyEvidence: fc.Arbitrary<Evidence> = fc.record({
    kind: some<Evidence['kind']>(
      ...(['deadline', 'timeout', 'config', 'spawn', 'exit', 'http', 'network', 'stream', 'rpc'] as const),
      ...(['malformed', 'oversize', 'probe', 'closed', 'token', 'thrown', 'unheard-of' as 'thrown'] as const),
    ),
    wire: some('stdio', 'http', 'sse', 'custom'),
    phase: some('connecting', 'initializing', 'resuming', 'discovering', 'ready', 'reauthorizing', 'closing'),
    summary: fc.string(),
    method: maybe(some('initialize', 'tools/call', 'ping')),
    http: maybe(
      fc.record({
        status: fc.integer({ min: 0, max: 700 }),
        exchange: some('message', 'listen', 'end'),
        body: maybe(words),
      }),
    ),
    exit: maybe(fc.record({ code: maybe(some<number | null>(0, 1, 126, 127, null)), signal: maybe(some('SIGKILL')) })),
    rpc: maybe(fc.record({ code: fc.integer({ min: -33_000, max: 500 }), message: words, data: fc.anything() })),
    errno: maybe(some('ECONNREFUSED', 'ENOENT', 'CERT_HAS_EXPIRED', 'EMFILE', 'odd')),
    sent: maybe(fc.boolean()),
    sessionSent: maybe(fc.boolean()),
    tokenState: maybe(some('none', 'fresh', 'expired')),
    everReady: maybe(fc.boolean()),
    legacyAllowed: maybe(fc.boolean()),
    retryAfterMs: maybe(fc.double()),
    afterMs: maybe(fc.nat()),
  })

  it('make exactly one fault of any evidence, by the first rule that matches', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const fault = classify(evidence)
        expect(fault.rule).toBe(rules.find((rule) => rule.when(evidence))?.id)
        expect(['transient', 'session-expired', 'unauthorized', 'mismatch', 'permanent']).toContain(fault.class)
        expect(fault.evidence).toBe(evidence)
      }),
      { numRuns: 500 },
    )
  })

  it('never say that a request ran for certain, and say not-sent of what never left (P25)', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const { delivery } = classify(evidence)
        if (evidence.sent === false) expect(delivery).toBe('not-sent')
        expect(['not-sent', 'refused', 'unknown']).toContain(delivery)
      }),
      { numRuns: 500 },
    )
  })

  it('let what they do not know wait, and do not send it twice (P25)', () => {
    fc.assert(
      fc.property(anyEvidence, fc.string(), (evidence, kind) => {
        const odd = { ...evidence, kind: `odd ${kind}` as 'thrown', method: undefined, rpc: undefined, http: undefined }
        const { class: is, delivery } = classify(odd)
        expect(is).toBe('transient')
        expect(delivery).toBe(odd.sent === false ? 'not-sent' : 'unknown')
      }),
    )
  })

  it('lose a session only where one was named to the server', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const fault = classify({ ...evidence, sessionSent: false })
        if (evidence.http?.exchange !== 'listen') expect(fault.class).not.toBe('session-expired')
      }),
      { numRuns: 500 },
    )
  })
})
