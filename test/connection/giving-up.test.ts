/** What is tried again only so often: a session that says nothing, a child that dies before it is of any use. */
import { describe, expect, it } from 'vitest'
import { hang } from '../../src/testing/fault-server/index.js'
import { connected } from '../reports/rig.js'
import { quickChild } from '../reports/stdio/rig.js'

describe('a session that is remembered', () => {
  it('is given up when two resumes in a row get no answer; the new one is ready, and the old one ended', async () => {
    await using it = await connected()
    it.server.dropSockets()
    it.server.answer('*', (visit) => (visit.request.session === 'session-1' ? hang()(visit) : visit.healthy()))
    const call = it.connection.request('ping')
    await it.passUntil(() => it.connection.session !== undefined && it.server.count('initialize') === 2, 60_000, 500)
    await it.passUntil(() => it.connection.status === 'ready', 5_000, 100)
    await call
    const resumes = it.server
      .requests('POST')
      .filter(({ session, method }) => session === 'session-1' && method === 'tools/list')
    // The first reading of the lists, and the two resumes.
    expect(resumes).toHaveLength(3)
    await it.passUntil(() => it.server.count('DELETE') === 1, 5_000, 100)
    expect(it.server.requests('DELETE')[0]?.session).toBe('session-1')
  })
})

describe('a child that dies before it was ever ready', () => {
  it('while its lists are read is started three times, not twenty', async () => {
    await using it = quickChild({ on: { 'tools/list': [{ exit: 3 }] } })
    await it.connection.connect().catch(() => undefined)
    expect(it.connection.status).toBe('failed')
    expect(it.starts).toHaveLength(3)
    expect(it.connection.fault).toMatchObject({
      code: 'process.exited-early',
      rule: 'exited-before-ready',
      evidence: { phase: 'discovering', exit: { code: 3 } },
    })
  })
})
