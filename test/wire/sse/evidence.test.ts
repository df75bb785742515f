/** What is told of each way to fail, and what the chart makes of it. */
import { describe, expect, it } from 'vitest'
import { classify } from '../../../machines/classify.js'
import type { Phase, WireEvidence } from '../../../machines/evidence.js'
import {
  destroy,
  html,
  type Play,
  redirect,
  resetAfterRequest,
  resetAtOnce,
  rpcError,
  sse,
  stall,
  startFaultServer,
  startRawServer,
  status,
} from '../../../src/testing/fault-server/index.js'
import { SseWire, type SseWireOptions } from '../../../src/wire/index.js'
import { backends } from '../http/backends.js'
import { WireRig } from '../web-rig.js'
import { evidenceIn, ManualClock, quiet, rig, until } from './rig.js'

const judged = (evidence: WireEvidence, phase: Phase) => {
  const { class: kind, scope, delivery } = classify({ ...evidence, phase })
  return [kind, scope, delivery]
}

describe.each(backends)('evidence of a start over %s', (_name, backend) => {
  /** Fails to start; whatever it took must be released. */
  async function failedStart(options: SseWireOptions): Promise<WireEvidence> {
    const clock = new ManualClock()
    const one = new WireRig(new SseWire({ clock, ...backend, ...options }))
    const evidence = await evidenceIn(one.wire.start())
    expect(one.told('closed')).toEqual([{ type: 'closed', evidence, byUs: false }])
    expect([one.closes, clock.timers]).toEqual([1, 0])
    await one.wire.close()
    return evidence
  }

  async function failedBy(play: Play): Promise<WireEvidence> {
    await using server = await startFaultServer()
    server.answer('GET', play)
    const evidence = await failedStart({ url: server.url })
    await server.over('GET')
    expect(server.count()).toBe(1)
    return evidence
  }

  it.each([
    [400, 'permanent'],
    [401, 'unauthorized'],
    [403, 'permanent'],
    [404, 'permanent'],
    [405, 'permanent'],
    [409, 'permanent'],
    [406, 'permanent'],
    [429, 'transient'],
    [500, 'transient'],
    [503, 'transient'],
  ])('status %i: kind http, %s', async (code, kind) => {
    const evidence = await failedBy(status(code, { body: 'no luck', retryAfter: 2 }))
    expect(evidence).toMatchObject({
      kind: 'http',
      wire: 'sse',
      http: { status: code, exchange: 'open', body: 'no luck', contentType: 'text/plain' },
      sessionSent: false,
      tokenState: 'none',
      retryAfterMs: 2_000,
      sent: true,
    })
    expect(evidence.method).toBeUndefined()
    expect(judged(evidence, 'connecting').slice(0, 2)).toEqual([kind, 'link'])
  })

  it('a 401 tells under which token, and how the server asks for one', async () => {
    await using server = await startFaultServer()
    server.answer('GET', status(401, { headers: { 'www-authenticate': 'Bearer realm="a"' } }))
    const token = async () => ({ value: 'canary-token', epoch: 7, state: 'expired' as const })
    const evidence = await failedStart({ url: server.url, token })
    expect(evidence).toMatchObject({ tokenState: 'expired', credentialEpoch: 7 })
    expect(evidence.http?.headers?.['www-authenticate']).toBe('Bearer realm="a"')
    expect(JSON.stringify(evidence)).not.toContain('canary')
  })

  it.each([
    ['a page', html(200)],
    ['JSON', status(200, { body: { hello: true } })],
    ['no type', status(200)],
    ['no content', status(204)],
    ['a page without end', stall(200, '<html>', { contentType: 'text/html' })],
  ])('%s where a stream was due: malformed, permanent', async (_case, play) => {
    const evidence = await failedBy(play)
    expect(evidence).toMatchObject({ kind: 'malformed', wire: 'sse', http: { exchange: 'open' } })
    expect(judged(evidence, 'connecting').slice(0, 2)).toEqual(['permanent', 'link'])
  })

  it.each([
    ['ends', sse([': hello\n\n'])],
    ['is cut', sse([': hello\n\n', 'destroy'])],
    ['ends within the endpoint event', sse(['event: endpoint\ndata: /mess'])],
  ])('a stream that %s before the endpoint came: stream, transient', async (_case, play) => {
    const evidence = await failedBy(play)
    expect(evidence).toMatchObject({ kind: 'stream', wire: 'sse', http: { status: 200 } })
    expect(evidence.stream).toBeUndefined()
    expect(judged(evidence, 'connecting').slice(0, 2)).toEqual(['transient', 'link'])
  })

  it.each([
    ['another host', 'http://127.0.0.2:1/messages?sid=canary-1', 'http://127.0.0.2:1'],
    ['another scheme', 'https://127.0.0.1/messages', 'https://127.0.0.1'],
    ['a host that only begins alike', '//127.0.0.1.example/messages', 'http://127.0.0.1.example'],
    ['no web address', 'file:///etc/passwd', 'file:'],
  ])('an endpoint at %s is refused for good, and nothing goes there', async (_case, endpoint, told) => {
    const evidence = await failedBy(sse([{ event: 'endpoint', data: endpoint }, 'stay-open']))
    expect(evidence).toMatchObject({ kind: 'config', wire: 'sse', subject: 'url' })
    expect(evidence.summary).toContain(told)
    expect(JSON.stringify(evidence)).not.toContain('canary')
    expect(judged(evidence, 'connecting').slice(0, 2)).toEqual(['permanent', 'link'])
  })

  it.each(['', 'http://['])('an endpoint event with the data "%s" names no address: malformed', async (data) => {
    const evidence = await failedBy(sse([`event: endpoint\ndata: ${data}\n\n`, 'stay-open']))
    expect(evidence).toMatchObject({ kind: 'malformed', wire: 'sse' })
    expect(judged(evidence, 'connecting').slice(0, 2)).toEqual(['permanent', 'link'])
  })

  it('a redirect out of the origin is not followed', async () => {
    const evidence = await failedBy(redirect('http://127.0.0.2:1/sse?token=canary', 307))
    expect(evidence).toMatchObject({ kind: 'http', http: { status: 307, location: 'http://127.0.0.2:1/sse' } })
    expect(judged(evidence, 'connecting').slice(0, 2)).toEqual(['permanent', 'link'])
  })

  it.each([
    ['not a URL', 'url', 'permanent'],
    ['ftp://host/sse', 'scheme', 'permanent'],
  ])('%s: kind config', async (url, subject, kind) => {
    const evidence = await failedStart({ url })
    expect(evidence).toMatchObject({ kind: 'config', wire: 'sse', subject, sent: false })
    expect(judged(evidence, 'connecting')[0]).toBe(kind)
  })

  it('nobody there: network, nothing sent', async () => {
    const server = await startFaultServer()
    await server.stop()
    const evidence = await failedStart({ url: server.url })
    expect(evidence).toMatchObject({ kind: 'network', wire: 'sse', errno: 'ECONNREFUSED', target: server.origin })
    expect(judged(evidence, 'connecting')).toEqual(['transient', 'link', 'not-sent'])
  })

  it.each([
    ['at once', resetAtOnce],
    ['after the request', resetAfterRequest],
  ])('a reset %s: network, transient', async (_case, behaviour) => {
    await using server = await startRawServer(behaviour)
    const evidence = await failedStart({ url: server.url })
    expect(evidence).toMatchObject({ kind: 'network', wire: 'sse' })
    expect(judged(evidence, 'connecting').slice(0, 2)).toEqual(['transient', 'link'])
  })

  it('a token provider that throws: thrown, and its words are left out', async () => {
    const token = async () => {
      throw new Error('canary-secret')
    }
    const evidence = await failedStart({ url: 'http://127.0.0.1:1/sse', token })
    expect(evidence).toMatchObject({ kind: 'thrown', wire: 'sse', sent: false })
    expect(JSON.stringify(evidence)).not.toContain('canary')
  })
})

describe.each(backends)('evidence of a call over %s', (_name, backend) => {
  it.each([400, 401, 403, 404, 405, 413, 429, 500, 502, 503])(
    'status %i to its POST answers that call alone, as sent under a session',
    async (code) => {
      await using server = await startFaultServer({ legacy: true })
      const token = async () => ({ value: 'canary-token', epoch: 7, state: 'fresh' as const })
      await using one = await rig({ url: server.legacyUrl, token, ...backend })
      server.answer('tools/call', status(code, { body: 'no luck', retryAfter: 3 }))
      const { id, answer } = one.begin('tools/call')
      const other = one.begin('ping')
      await answer
      expect(await one.evidence('tools/call')).toMatchObject({
        kind: 'http',
        wire: 'sse',
        method: 'tools/call',
        http: { status: code, exchange: 'message', body: 'no luck' },
        sessionSent: true,
        tokenState: 'fresh',
        credentialEpoch: 7,
        retryAfterMs: 3_000,
        sent: true,
      })
      expect((await other.answer).result).toEqual({})
      expect([one.answered.get(id), one.closes, one.wire.pending]).toEqual([1, 0, 0])
    },
  )

  it('404: the server no longer knows the session; told apart as for Streamable HTTP', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    server.once('tools/call', status(404, { body: 'Could not find session' }))
    expect(judged(await one.evidence('tools/call'), 'ready')).toEqual(['session-expired', 'link', 'refused'])
    server.once('tools/call', status(404))
    expect(judged(await one.evidence('tools/call'), 'ready')).toEqual(['session-expired', 'link', 'unknown'])
    server.once('tools/call', rpcError(-32001, 'Session not found', { code: 404, id: null, data: { n: 1 } }))
    expect((await one.evidence('tools/call')).rpc).toEqual({
      code: -32001,
      message: 'Session not found',
      data: { n: 1 },
    })
  })

  it('the id of the session, which is all that one needs to speak in it, is never told', async () => {
    await using server = await startFaultServer()
    const sid = 'canary-0f8fad5b-d9cb-469f'
    server.answer('GET', sse([{ event: 'endpoint', data: `/messages/${sid}?sessionId=${sid}` }, 'stay-open']))
    server.answer('ping', status(404, { body: `No transport found for sessionId ${sid}` }))
    server.answer('tools/call', rpcError(-32001, `no session ${sid}`, { code: 404, data: { sid } }))
    await using one = await rig({ url: server.url, ...backend }, { initialize: false })
    const told = [await one.evidence('ping'), await one.evidence('tools/call')]
    expect(told.map(({ http }) => http?.status)).toEqual([404, 404])
    expect(JSON.stringify(told)).not.toContain('canary')
    expect(JSON.stringify(told)).toContain('[redacted]')
  })

  it('a socket that breaks under the POST: network, and the call may have run', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    server.answer('tools/call', destroy())
    const evidence = await one.evidence('tools/call')
    expect(evidence).toMatchObject({ kind: 'network', wire: 'sse', method: 'tools/call', sessionSent: true })
    expect(judged(evidence, 'ready')).toEqual(['transient', 'call', 'unknown'])
    expect((await one.ask('ping')).result).toEqual({})
  })

  it('an error body that stalls is cut, and what came of it told', async () => {
    await using server = await startFaultServer({ legacy: true })
    const clock = new ManualClock()
    await using one = await rig({ url: server.legacyUrl, clock, ...backend })
    server.answer('tools/call', stall(503, 'overlo', { contentType: 'text/plain' }))
    const { answer } = one.begin('tools/call')
    await server.seen('tools/call')
    await until(() => clock.timers > 0)
    await quiet(5)
    clock.advance(2_000)
    const { error } = await answer
    expect(JSON.parse(JSON.stringify(error?.data))).toMatchObject({ http: { status: 503, body: 'overlo' } })
  })

  it('a token that cannot be had fails the call before it leaves', async () => {
    await using server = await startFaultServer({ legacy: true })
    let isBroken = false
    const token = async () => {
      if (isBroken) throw new Error('canary-secret')
      return undefined
    }
    await using one = await rig({ url: server.legacyUrl, token, ...backend })
    isBroken = true
    const evidence = await one.evidence('tools/call')
    expect(evidence).toMatchObject({ kind: 'thrown', method: 'tools/call', sent: false })
    expect(JSON.stringify(evidence)).not.toContain('canary')
    expect(server.count('tools/call')).toBe(0)
  })

  it('a notification rejects with the same evidence', async () => {
    await using server = await startFaultServer({ legacy: true })
    await using one = await rig({ url: server.legacyUrl, ...backend })
    server.answer('notifications/x', status(503, { retryAfter: 1 }))
    await expect(one.notify('notifications/x')).rejects.toMatchObject({
      evidence: { kind: 'http', wire: 'sse', http: { status: 503 }, sessionSent: true, retryAfterMs: 1_000 },
    })
  })
})
