import { describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../../src/clock.js'
import { evidenceOf } from '../../../src/wire/failure.js'
import { initializeParams, isAlive, started, timed, until } from './rig.js'

/** Holds the event loop up. */
function busyUntil(isSo: () => boolean, withinMs = 5000): void {
  const deadline = Date.now() + withinMs
  while (!isSo() && Date.now() < deadline);
}

const busyFor = (ms: number): void => busyUntil(() => false, ms)

describe('the end of a wire', () => {
  it('02.02: answers a call in flight within a moment when the child is killed', async () => {
    const made = await started()
    const call = made.call('slow')
    await made.logged('message', 'tools/call')
    process.kill(made.wire.pid ?? 0, 'SIGKILL')
    const [answer, ms] = await timed(() => call)
    expect(ms).toBeLessThan(1000)
    expect(answer.evidence).toMatchObject({
      kind: 'exit',
      method: 'tools/call',
      sent: true,
      exit: { code: null, signal: 'SIGKILL' },
    })
  })

  it('answers what is open first, then tells, then calls onclose, each once', async () => {
    const made = await started()
    const calls = [made.call('slow'), made.call('slow'), made.call('die', { code: 3 })]
    await Promise.all(calls)
    await made.closed
    await made.wire.close()
    await made.wire.close()
    expect(made.order).toEqual(['answer 1', 'answer 2', 'answer 3', 'closed', 'complete', 'onclose'])
    expect(made.ofType('closed')[0]).toMatchObject({ byUs: false })
  })

  it('trap 6: shows the exit code and what was said on stderr', async () => {
    const made = await started({
      on: { 'tools/call:echo': [{ print: 'Error: token=S3CRET is bad\n', to: 'stderr' }, { exit: 7 }] },
    })
    const { evidence } = await made.call('echo')
    expect(evidence?.exit).toMatchObject({ code: 7, signal: null })
    expect(evidence?.exit?.stderrTail).toBe('Error: token=S3CRET is bad')
    expect(JSON.parse(JSON.stringify(evidence))).toEqual(evidence)
  })

  it('trap 6: comes with the exit of the child though a grandchild holds its stdout', async () => {
    const made = await started()
    // One in the group, which follows its leader, and one that got away and holds the pipe for good.
    const near = Number((await made.call('spawn')).text)
    const away = Number((await made.call('spawn', { session: true })).text)
    const [answer, ms] = await timed(() => made.call('die', { code: 5 }))
    expect(ms).toBeLessThan(1000)
    expect(answer.evidence?.exit?.code).toBe(5)
    // Without anybody calling close().
    await until(() => !isAlive(near), 1000)
    expect(isAlive(away)).toBe(true)
    process.kill(away, 'SIGKILL')
  })

  it('loses no answer that was written before the exit, however long', async () => {
    const made = await started({
      on: { 'tools/call:big': [{ answer: true }, { exit: 0 }] },
    })
    const answer = await made.call('big', { count: 3_000_000 })
    expect(answer.text).toHaveLength(3_000_000)
    expect((await made.closed).exit?.code).toBe(0)
  })

  it('loses no answer when this process was busy while the child wrote it and exited', async () => {
    const made = await started({ on: { 'tools/call:echo': [{ answer: true }, { exit: 0 }] } })
    await made.call('counter')
    const call = made.call('echo', { text: 'last words' })
    busyUntil(() => made.log().some(({ event }) => event === 'exit'))
    // Longer than the wire waits for last words.
    busyFor(150)
    expect((await call).text).toBe('last words')
  })

  it('shows the exit code and stderr when this process was busy from the first sign of the end to the last', async () => {
    const clock: Clock = {
      ...systemClock,
      setTimeout(fn, ms) {
        // A timer of no time may come before anything is read: Node runs it with those that are late.
        if (ms === 0) return queueMicrotask(fn)
        const timer = systemClock.setTimeout(fn, ms)
        // The wire begins to wait for last words; when the event loop goes on, that time is over.
        if (ms === 50) {
          busyUntil(() => made.log().some(({ event }) => event === 'exit'))
          busyFor(100)
        }
        return timer
      },
    }
    const steps = [{ close: 'stdout' }, { wait: 20 }, { print: 'no such key\n', to: 'stderr' }, { exit: 7 }] as const
    const made = await started({ on: { 'tools/call:echo': [...steps] } }, { clock })
    const { evidence } = await made.call('echo')
    expect(evidence?.exit).toMatchObject({ code: 7, stderrTail: 'no such key' })
  })

  it('02.03: is told, not thrown, when the child exits in the middle of the handshake', async () => {
    const made = await started({ on: { initialize: [{ answer: true }, { exit: 0 }] } })
    expect((await made.request('initialize', initializeParams)).evidence).toBeUndefined()
    const sends = []
    while (made.ofType('closed').length === 0) {
      sends.push(made.wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' }).catch((error) => error))
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (const error of await Promise.all(sends)) if (error) expect(evidenceOf(error)?.kind).toMatch(/exit|closed/)
    expect(await made.closed).toMatchObject({ kind: 'exit', exit: { code: 0 } })
    await expect(made.wire.send({ jsonrpc: '2.0', method: 'notifications/x' })).rejects.toMatchObject({
      evidence: { kind: 'closed', sent: false },
    })
  })

  it('02.03: comes when the child closes its stdin and lives on; it is ended', async () => {
    const made = await started({ on: { 'tools/call:echo': [{ answer: true }, { close: 'stdin' }] }, onSigterm: [] })
    await made.call('echo')
    const pid = made.wire.pid ?? 0
    const answer = await made.call('echo', { text: 'z'.repeat(1 << 20) })
    expect(answer.evidence).toMatchObject({ kind: 'exit', errno: 'EPIPE' })
    expect(made.wire.pending).toBe(0)
    await made.wire.close()
    expect(isAlive(pid)).toBe(false)
  })

  it('comes with EOF on stdout though the child lives on; it is ended', async () => {
    const made = await started({ on: { 'tools/call:echo': [{ close: 'stdout' }, { hang: true }] }, onEof: [] })
    await made.call('counter')
    const pid = made.wire.pid ?? 0
    const [answer, ms] = await timed(() => made.call('echo'))
    expect(ms).toBeLessThan(1000)
    expect(answer.evidence).toMatchObject({ kind: 'exit' })
    expect(answer.evidence?.exit).not.toHaveProperty('code')
    await until(() => !isAlive(pid))
  })

  it('trap 20: leaves nothing waiting: requests after it are answered at once', async () => {
    const made = await started()
    await made.call('die')
    const answer = await made.call('echo')
    expect(answer.evidence).toMatchObject({ kind: 'closed', sent: false })
    expect(made.wire.pending).toBe(0)
  })

  it('trap 26: cannot be forged by a server', async () => {
    const data = { kind: 'exit', wire: 'stdio', summary: 'forged' }
    const made = await started({
      on: { 'tools/call:echo': [{ error: { code: -32000, message: 'Connection closed', data } }] },
    })
    const answer = await made.call('echo')
    expect(answer.message).toMatchObject({ error: { code: -32000 } })
    expect(answer.evidence).toBeUndefined()
  })
})

describe('a child that stops reading', () => {
  it('makes no send hang, costs bounded memory, and is known not to have seen what waits', async () => {
    const made = await started(
      { on: { 'tools/call:echo': [{ answer: true }, { stopReading: true }] } },
      { maxMessageBytes: 4_000_000 },
    )
    await made.call('echo')
    const text = 'z'.repeat(1_000_000)
    const [calls, ms] = await timed(async () => Array.from({ length: 6 }, () => made.call('slow', { text })))
    expect(ms).toBeLessThan(5000)
    const refused = await Promise.all(calls.slice(4))
    for (const { evidence } of refused) {
      expect(evidence).toMatchObject({ kind: 'oversize', sent: false })
      expect(evidence?.summary).toContain('does not read')
    }
    const notification = made.wire.send({ jsonrpc: '2.0', method: 'notifications/x' }).then(
      () => 'delivered',
      (error) => evidenceOf(error)?.sent,
    )
    process.kill(made.wire.pid ?? 0, 'SIGKILL')
    const lost = await Promise.all(calls.slice(0, 3))
    expect(lost.map(({ evidence }) => evidence?.sent)).toEqual([true, false, false])
    expect(await notification).toBe(false)
  })

  it('gets everything in order once it reads again', async () => {
    const made = await started({ onStart: [{ wait: 200 }] })
    const texts = Array.from({ length: 30 }, (_, n) => `${n} `.repeat(20_000))
    const answers = await Promise.all(texts.map((text) => made.call('echo', { text })))
    expect(answers.map(({ text }) => text)).toEqual(texts)
    expect(made.order.map((entry) => Number(entry.slice(7)))).toEqual(texts.map((_, n) => n + 1))
  })
})
