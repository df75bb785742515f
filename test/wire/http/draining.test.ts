/** A wire that takes nothing new: what is under way on it, and cannot be asked twice, goes on. */
import { describe, expect, it } from 'vitest'
import { hang, sse, startFaultServer, status } from '../../../src/testing/fault-server/index.js'
import { evidenceOf } from '../../../src/wire/failure.js'
import { backends } from './backends.js'
import { rig, until } from './rig.js'

const isRead = (method: string) => method === 'resources/read'

describe.each(backends)('draining over %s', (_name, backend) => {
  it('ends when what cannot be asked twice is answered; the rest is told at once', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    await server.seen('GET')
    let answer!: () => void
    const late = new Promise<void>((resolve) => {
      answer = resolve
    })
    server.answer('resources/read', hang())
    server.once('tools/call', sse([{ until: () => late }, { respond: { late: true } }]))
    const [call, read] = [one.begin('tools/call'), one.begin('resources/read')]
    await Promise.all([server.seen('tools/call'), server.seen('resources/read')])
    const drained = one.wire.drain(isRead)
    expect(evidenceOf((await read.answer).error)).toMatchObject({ kind: 'closed', sent: true })
    await server.over('GET')
    expect(one.wire.pending).toBe(1)
    answer()
    expect((await call.answer).result).toEqual({ late: true })
    await drained
    expect(one.wire.pending).toBe(0)
  })

  it('is over at once where nothing is under way, and takes nothing new', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, listen: 'manual', ...backend })
    expect(one.wire.drain(isRead)).toBeUndefined()
    await expect(one.wire.send({ jsonrpc: '2.0', id: 99, method: 'tools/call' })).rejects.toMatchObject({
      evidence: { kind: 'closed', sent: false },
    })
    expect(server.count('tools/call')).toBe(0)
  })

  it('leaves nobody waiting for an answer that could only come on the listening stream', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, ...backend })
    await server.seen('GET')
    server.once('tools/call', status(202))
    const parked = one.begin('tools/call')
    await server.over('tools/call')
    let accept!: () => void
    const late = new Promise<void>((resolve) => {
      accept = resolve
    })
    server.once('tools/call', (visit) => late.then(() => status(202)(visit)))
    const accepted = one.begin('tools/call')
    await server.seen('tools/call', 2)
    const drained = one.wire.drain(isRead)
    expect(evidenceOf((await parked.answer).error)).toMatchObject({ sent: true })
    accept()
    expect(evidenceOf((await accepted.answer).error)).toMatchObject({ kind: 'malformed' })
    await drained
  })

  it('ends with the wire', async () => {
    await using server = await startFaultServer()
    await using one = await rig({ url: server.url, listen: 'manual', ...backend })
    server.answer('tools/call', hang())
    const call = one.begin('tools/call')
    await server.seen('tools/call')
    const drained = one.wire.drain(isRead)
    await one.wire.close()
    await drained
    expect(evidenceOf((await call.answer).error)).toMatchObject({ kind: 'closed' })
    await until(() => server.sockets === 0)
  })
})

it('what still waits for a socket has not left, and is told so', async () => {
  await using server = await startFaultServer()
  await using one = await rig({ url: server.url, listen: 'manual' })
  await server.stop()
  const call = one.begin('tools/call')
  expect(one.wire.drain(isRead)).toBeUndefined()
  expect(evidenceOf((await call.answer).error)).toMatchObject({ sent: false })
})
