/** How long a stream had been open, and idle, when it ended: what tells a proxy that cuts from a server that ends. */
import { describe, expect, it } from 'vitest'
import { sse, startFaultServer } from '../../src/testing/fault-server/index.js'
import { evidenceOf } from '../../src/wire/failure.js'
import { backends } from './http/backends.js'
import { rig as httpRig } from './http/rig.js'
import { rig as sseRig } from './sse/rig.js'
import { ManualClock, quiet, until } from './web-rig.js'

describe.each(backends)('a stream that is cut, over %s', (_name, backend) => {
  it('the listening stream: told with its times, idle counted from its last byte', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await httpRig({ url: server.url, clock, ...backend })
    await until(() => server.streams.size === 1)
    await quiet()
    clock.advance(10_000)
    server.streams.push({ method: 'notifications/message', params: { level: 'info', data: 'x' } })
    await until(() => one.messages.some((message) => 'method' in message))
    clock.advance(60_000)
    server.streams.end()
    await until(() => one.told('listening-ended').length > 0)
    expect(one.told('listening-ended')).toMatchObject([
      { evidence: { kind: 'stream', stream: 'listen', idleMs: 60_000, livedMs: 70_000 } },
    ])
  })

  it('the stream of an answer: so does the evidence of the call', async () => {
    await using server = await startFaultServer()
    const clock = new ManualClock()
    await using one = await httpRig({ url: server.url, clock, ...backend })
    let cut = () => {}
    const due = new Promise<void>((resolve) => {
      cut = resolve
    })
    server.answer('tools/call', sse([': working\n\n', { until: () => due }, 'destroy']))
    const answer = one.ask('tools/call', { name: 'echo' })
    await server.seen('tools/call')
    await quiet()
    clock.advance(60_000)
    cut()
    expect(evidenceOf((await answer).error)).toMatchObject({
      kind: 'stream',
      stream: 'reply',
      idleMs: 60_000,
      livedMs: 60_000,
    })
  })

  it('the stream of the older wire: so does the end of the session', async () => {
    await using server = await startFaultServer({ legacy: true })
    const clock = new ManualClock()
    await using one = await sseRig({ url: server.legacyUrl, clock, ...backend })
    await quiet()
    clock.advance(20_000)
    server.legacy.end()
    await until(() => one.told('closed').length > 0)
    expect(one.told('closed')).toMatchObject([{ evidence: { kind: 'closed', idleMs: 20_000 } }])
  })
})
