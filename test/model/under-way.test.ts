/** What becomes of the requests under way when their link is left, by the fault that it is left for. */
import { describe, expect, it } from 'vitest'
import { classify, type Evidence } from '../../machines/index.js'
import { underWay } from '../../machines/under-way.js'
import { samples } from './samples.js'

const near = { online: true, remote: false }

const refused: Evidence = {
  kind: 'network',
  wire: 'http',
  phase: 'ready',
  method: 'tools/call',
  errno: 'ECONNREFUSED',
  sent: false,
  summary: 'refused',
}

const judged = (change: Partial<Evidence>, where = near) => underWay(classify({ ...refused, ...change }), where)

describe('requests under way', () => {
  it.each<[string, Partial<Evidence>]>([
    ['a refused connection', {}],
    ['a name that does not resolve', { errno: 'ENOTFOUND' }],
    ['a socket that was reset before anything was sent', { errno: 'ECONNRESET' }],
    ['a resumption that meets 503', { kind: 'http', phase: 'resuming', http: { status: 503, exchange: 'message' } }],
    ['two probes that a proxy answers by 502', { kind: 'probe', http: { status: 502, exchange: 'message' } }],
    [
      'a token endpoint that is away',
      { kind: 'token', phase: 'reauthorizing', http: { status: 503, exchange: 'end' } },
    ],
  ])('go on after %s: it says nothing of them', (_, change) => {
    const { errno: _errno, sent: _sent, ...bare } = refused
    const seen = change.kind ? { ...bare, ...change } : { ...refused, ...change }
    expect(underWay(classify(seen), near)).toBe('drain')
  })

  it.each(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'])(
    'are cut after %s: they may be as dead, and nobody would be told',
    (errno) => {
      expect(judged({ errno })).toBe('cut')
    },
  )

  it.each<[string, Partial<Evidence>]>([
    ['two probes that were not answered (P16)', { kind: 'probe', afterMs: 5_000, sent: undefined }],
    ['a phase that took too long', { kind: 'deadline', sent: undefined }],
    ['a process that ended', { kind: 'exit', wire: 'stdio' }],
    ['the one stream of the older wire that ended', { wire: 'sse' }],
    ['a certificate that is not trusted', { errno: 'CERT_HAS_EXPIRED' }],
  ])('are cut after %s', (_, change) => {
    expect(judged(change)).toBe('cut')
  })

  it('are cut while the network is known to be away', () => {
    expect(judged({}, { online: false, remote: true })).toBe('cut')
    expect(judged({}, { online: false, remote: false })).toBe('drain')
    expect(judged({}, { online: true, remote: true })).toBe('drain')
  })

  it('are cut when nobody complains: the application wants another link', () => {
    expect(underWay(undefined, near)).toBe('cut')
  })

  it('may hear that their session is lost, unless it is to be ended', () => {
    const expired = samples.map(({ evidence }) => classify(evidence)).filter((f) => f.class === 'session-expired')
    expect(expired.length).toBeGreaterThan(5)
    for (const fault of expired) expect(underWay(fault, near)).toBe(fault.endsSession ? 'cut' : 'refusals')
  })

  it('go on for no fault of a single call and for none that waiting does not cure', () => {
    const drained = samples.map(({ evidence }) => classify(evidence)).filter((f) => underWay(f, near) === 'drain')
    for (const fault of drained) expect(fault).toMatchObject({ class: 'transient', evidence: { wire: 'http' } })
  })
})
