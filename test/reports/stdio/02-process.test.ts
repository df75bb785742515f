/**
 * Field reports of kind 2: the server is a process, and processes die, linger and talk beside the point.
 *
 * Played fully against the wire alone, and not again here:
 * - 02.03, 02.04, 02.05: test/wire/stdio/end.test.ts, close.test.ts (all wrappers and servers, the order EOF before signals)
 * - 02.06, 02.12: 02-hosts.test.ts (hosts that exit, throw, are killed, get Ctrl+C)
 * - 02.08: test/wire/stdio/start.test.ts, environment.test.ts; cross-spawn resolves `.cmd` on Windows
 * - 02.09, 02.10: test/wire/stdio/messages.test.ts, framing.test.ts
 * Of these, what a connection makes of it is asserted here.
 */
import { describe, expect, it } from 'vitest'
import { ConnectionFailedError, OutcomeUnknownError } from '../../../src/index.js'
import { drivenChild, eventually, failureIn, isAlive, passing, quickChild, textOf } from './rig.js'

describe('02.01: a server that dies is started again', () => {
  it('02.01: calls in flight reject at once with the signal, the next one is answered by the new process', async () => {
    await using it = quickChild()
    await it.connection.connect()
    const changes: unknown[] = []
    it.connection.changes$.subscribe((change) => changes.push(change))
    const [slow, die] = await Promise.all([
      failureIn(it.connection.callTool({ name: 'slow' })),
      failureIn(it.connection.callTool({ name: 'die' })),
    ])
    for (const { error, ms } of [slow, die]) {
      expect(error).toBeInstanceOf(OutcomeUnknownError)
      expect(error).toMatchObject({ fault: { code: 'process.exited', evidence: { exit: { signal: 'SIGKILL' } } } })
      expect(ms).toBeLessThan(1_000)
    }
    expect(textOf(await it.connection.callTool({ name: 'echo', arguments: { text: 'back' } }))).toBe('back')
    expect(it.starts).toHaveLength(2)
    expect(it.living).toEqual([it.pids[1]])
    // The lists were read anew; as nothing differs there is no change to tell.
    expect(it.messages('tools/list')).toHaveLength(2)
    expect(changes).toEqual([])
    expect(it.messages('tools/call').filter(({ message }) => message?.params?.name !== 'echo')).toHaveLength(2)
  })

  it('02.01: a crash loop is bounded, its pauses grow to the cap, and the end of it shows the last stderr', async () => {
    // By the real clock: a driven one would run ahead of the exit code, which has 50 ms to come after the pipes.
    await using it = quickChild(
      { on: { 'tools/list': [{ answer: true }, { wait: 50 }, { print: 'out of luck\n', to: 'stderr' }, { exit: 9 }] } },
      {
        random: () => 0.5,
        policy: { maxAttempts: 6, slowProbeMs: false, backoff: { baseMs: 10, capMs: 80, jitter: 0 } },
      },
    )
    const waits: number[] = []
    it.connection.actor.on('*', (news) => {
      if (news.type === 'connection.retrying') waits.push(news.inMs)
    })
    // It is ready for a moment before it dies; that resets nothing.
    await it.connection.connect().catch(() => undefined)
    await eventually(() => it.connection.status === 'failed')
    expect(waits).toEqual([5, 20, 40, 80, 80, 80])
    expect(it.starts).toHaveLength(7)
    expect(it.connection.fault).toMatchObject({ code: 'process.exited', evidence: { exit: { code: 9 } } })
    expect(it.connection.fault?.evidence.exit?.stderrTail).toContain('out of luck')
    await eventually(() => it.living.length === 0)
  })
})

describe('02.02: calls to a dead server', () => {
  it('02.02: one with ten minutes left rejects at once when the process is killed', async () => {
    await using it = quickChild({ on: { 'tools/call': [{ hang: true }] } })
    await it.connection.connect()
    const call = failureIn(it.connection.callTool({ name: 'echo' }, { timeoutMs: 600_000 }))
    const { pid } = await it.received('tools/call')
    process.kill(pid, 'SIGKILL')
    const { error, ms } = await call
    expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect(ms).toBeLessThan(1_500)
    await it.connection.ready()
    expect(it.messages('tools/call')).toHaveLength(1)
  })

  it('02.02: one to a server that was given up rejects at once, with the reason', async () => {
    await using it = quickChild({ on: { initialize: [{ exit: 4 }] } })
    await it.connection.connect().catch(() => undefined)
    expect(it.connection.status).toBe('failed')
    const { error, ms } = await failureIn(it.connection.callTool({ name: 'echo' }, { timeoutMs: 600_000 }))
    expect(error).toBeInstanceOf(ConnectionFailedError)
    expect(error).toMatchObject({ fault: { code: 'process.exited-early', evidence: { exit: { code: 4 } } } })
    expect(ms).toBeLessThan(100)
  })
})

/** Errors that nobody caught, while the work is done. */
async function escaping(work: () => Promise<void>): Promise<unknown[]> {
  const escaped: unknown[] = []
  const note = (error: unknown) => escaped.push(error)
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
  await work()
  process.off('uncaughtException', note)
  process.off('unhandledRejection', note)
  return escaped
}

describe('02.03: writing to a server that has left', () => {
  it('02.03: one that exits as soon as it has answered initialize is a failed start, and no error escapes', async () => {
    await using it = quickChild(
      { on: { initialize: [{ answer: true }, { exit: 0 }] } },
      { policy: { maxAttempts: 2, slowProbeMs: false } },
    )
    const escaped = await escaping(async () => {
      const { error } = await failureIn(it.connection.connect())
      expect(error).toBeInstanceOf(ConnectionFailedError)
      expect(error).toMatchObject({ fault: { evidence: { exit: { code: 0 } } } })
    })
    expect(escaped).toEqual([])
    expect(it.statuses).not.toContain('ready')
    expect(it.starts).toHaveLength(3)
    expect(it.living).toEqual([])
  })

  it('02.03: one that has closed its stdin takes no call along: it is replaced, and the call settles', async () => {
    await using it = quickChild({ starts: [{ on: { 'tools/call:counter': [{ answer: true }, { close: 'stdin' }] } }] })
    await it.connection.connect()
    const escaped = await escaping(async () => {
      await it.connection.callTool({ name: 'counter' })
      const big = { name: 'echo', arguments: { text: 'x'.repeat(1 << 20) } }
      // Some of it may have been in the pipe, so it is not sent again.
      expect((await failureIn(it.connection.callTool(big))).error).toBeInstanceOf(OutcomeUnknownError)
      expect(textOf(await it.connection.callTool({ name: 'echo', arguments: { text: 'next' } }))).toBe('next')
    })
    expect(escaped).toEqual([])
    expect(it.living).toEqual([it.pids[1]])
  })
})

describe('02.04, 02.05: nothing of a server stays', () => {
  it('02.04: neither does a helper that the dead server left behind, before the next is started', async () => {
    await using it = quickChild()
    await it.connection.connect()
    await it.connection.callTool({ name: 'spawn', arguments: { ignoreSigterm: true } })
    await it.connection.callTool({ name: 'die' }).catch(() => undefined)
    await it.connection.ready()
    const [helper] = it.of('grandchild')
    expect(helper && isAlive(helper.pid)).toBe(false)
    expect(it.living).toHaveLength(1)
  })

  it('02.05: the server gets the end of its stdin and the time to act on it before any signal', async () => {
    await using it = quickChild({ onEof: [{ wait: 50 }, { exit: 0 }], onSigterm: [] })
    await it.connection.connect()
    await it.connection.close()
    expect(it.log.map(({ event }) => event).filter((event) => event !== 'message')).toEqual(['start', 'eof', 'exit'])
  })
})

it('02.07: a start that was too slow is gone before the next one, which finds the lock free', async () => {
  await using driven = drivenChild((file) => ({
    starts: [{ onStart: [{ lock: file('lock') }, { hang: true }], onEof: [], onSigterm: [] }],
    onStart: [{ lock: file('lock') }],
  }))
  const { scene, clock } = driven
  const ready = scene.connection.connect()
  await eventually(() => scene.starts.length === 1)
  await passing(clock, () => scene.starts.length === 2, 1_000)
  expect(scene.living).toEqual([scene.pids[1]])
  await ready
  expect(scene.of('exit')).toEqual([])
  expect(scene.starts).toHaveLength(2)
})

it('02.08: a command that is missing is told once and started no more (P5)', async () => {
  await using it = quickChild()
  it.connection.configure({ target: { command: 'no-such-command-at-all' } })
  const { error } = await failureIn(it.connection.connect())
  expect(error).toMatchObject({ fault: { code: 'spawn.ENOENT', evidence: { target: 'no-such-command-at-all' } } })
  expect(it.statuses).toEqual(['idle', 'connecting', 'failed'])
})

it('02.09: byte order marks and carriage returns, in pieces, harm nothing', async () => {
  await using it = quickChild({ output: { bom: true, lineEnd: '\r\n', chunkBytes: 2 } })
  await it.connection.connect()
  expect(textOf(await it.connection.callTool({ name: 'echo', arguments: { text: 'read' } }))).toBe('read')
})

it('02.10: a message over the limit fails its own call, with a reason; the process goes on', async () => {
  await using it = quickChild({ output: { chunkBytes: 65_536 } })
  await it.connection.connect()
  const big = await it.connection.callTool({ name: 'big', arguments: { char: 'ä', count: 1_000_000 } })
  expect(String(textOf(big))).toHaveLength(1_000_000)
  const { error } = await failureIn(it.connection.callTool({ name: 'big', arguments: { count: 80_000_000 } }))
  expect(error).toMatchObject({ fault: { code: 'message.oversize', class: 'permanent' } })
  expect(textOf(await it.connection.callTool({ name: 'echo', arguments: { text: 'next' } }))).toBe('next')
  expect(it.starts).toHaveLength(1)
})

it('02.11: cancelling one call tells the server so and touches nothing else', async () => {
  await using it = quickChild({
    on: {
      // Both habits: some answer the cancelled call late, some with an error of code 0.
      'notifications/cancelled': [
        { print: '{"jsonrpc":"2.0","id":6,"error":{"code":0,"message":"Request cancelled"}}\n' },
      ],
    },
  })
  await it.connection.connect()
  const other = it.connection.callTool({ name: 'slow', arguments: { ms: 300 } })
  const abort = new AbortController()
  const call = failureIn(it.connection.callTool({ name: 'slow', arguments: { ms: 400 } }, { signal: abort.signal }))
  await it.received('tools/call', 2)
  const at = performance.now()
  abort.abort()
  expect((await call).error).toMatchObject({ name: 'AbortError' })
  expect(performance.now() - at).toBeLessThan(50)
  const { message } = await it.received('notifications/cancelled')
  expect(message?.params?.requestId).toBe(it.messages('tools/call')[1]?.message?.id)
  expect(textOf(await other)).toBe('slept 300 ms')
  // The late answer to the cancelled call comes before this one's.
  expect(textOf(await it.connection.callTool({ name: 'slow', arguments: { ms: 200 } }))).toBe('slept 200 ms')
  expect(it.starts).toHaveLength(1)
  expect(it.messages('notifications/cancelled')).toHaveLength(1)
  expect(it.statuses.at(-1)).toBe('ready')
})
