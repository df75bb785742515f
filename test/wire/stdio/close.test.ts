import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type ChildServer, childServer, readChildLog } from '../../../src/testing/child/index.js'
import { initializeParams, isAlive, Rig, rig, started, temporaryFile, timed, until } from './rig.js'

/** A parent like npx: starts the server with its own pipes and waits for it. */
function wrapper(server: ChildServer, ignoreSigterm: boolean) {
  const source = `
    const server = require('child_process').spawn(${JSON.stringify(server.command)}, ${JSON.stringify(server.args)}, { stdio: 'inherit' })
    ${ignoreSigterm ? "process.on('SIGTERM', () => {})" : ''}
    server.on('exit', (code) => process.exit(code))`
  return { command: process.execPath, args: ['-e', source] }
}

describe('close', () => {
  it('lets a polite child go by the end of its stdin', async () => {
    const made = await started({}, { eofGraceMs: 2000 })
    const pid = made.wire.pid ?? 0
    await made.call('echo')
    const [, ms] = await timed(() => made.wire.close())
    expect(ms).toBeLessThan(1000)
    expect(isAlive(pid)).toBe(false)
    expect(made.log().map(({ event }) => event)).toEqual(['start', 'message', 'eof', 'exit'])
    expect(made.ofType('closed')).toMatchObject([{ byUs: true, evidence: { kind: 'closed', exit: { code: 0 } } }])
    expect(made.order.slice(1)).toEqual(['closed', 'complete', 'onclose'])
  })

  it('goes on to SIGTERM, and tells that it took it', async () => {
    const made = await started({ onEof: [], onSigterm: [{ exit: 0 }] })
    await made.call('echo')
    await made.wire.close()
    expect(made.log().map(({ event }) => event)).toEqual(['start', 'message', 'eof', 'signal', 'exit'])
  })

  it('trap 6: goes on to SIGKILL and does not return while the child lives (P18)', async () => {
    const made = await started({ onEof: [], onSigterm: [] }, { eofGraceMs: 100, termGraceMs: 200 })
    const pid = made.wire.pid ?? 0
    await made.call('echo')
    const [, ms] = await timed(() => made.wire.close())
    expect(isAlive(pid)).toBe(false)
    expect(ms).toBeGreaterThan(290)
    expect(ms).toBeLessThan(1500)
    expect(made.ofType('closed')[0]?.evidence.exit).toMatchObject({ code: null, signal: 'SIGKILL' })
  })

  it('keeps to a shorter time from the moment when it is set, one that has begun too (P18)', async () => {
    const made = await started({ onEof: [], onSigterm: [] }, { eofGraceMs: undefined, termGraceMs: undefined })
    await made.call('echo')
    const closing = timed(() => made.wire.close())
    await made.logged('eof')
    made.wire.limitClosing(500)
    const [, ms] = await closing
    expect(ms).toBeLessThan(1_500)
    expect(made.log().map(({ event }) => event)).toEqual(['start', 'message', 'eof', 'signal'])
  })

  it('ends a stopped child too', async () => {
    const made = await started({}, { eofGraceMs: 100, termGraceMs: 100 })
    const pid = made.wire.pid ?? 0
    process.kill(pid, 'SIGSTOP')
    await made.wire.close()
    expect(isAlive(pid)).toBe(false)
  })

  it('takes no more than four and a half seconds by default', async () => {
    const made = await started({ onEof: [], onSigterm: [] }, { eofGraceMs: undefined, termGraceMs: undefined })
    await made.call('echo')
    const [, ms] = await timed(() => made.wire.close())
    expect(ms).toBeGreaterThan(3900)
    expect(ms).toBeLessThan(4900)
  })

  it('answers open requests at once, and those that come meanwhile', async () => {
    const made = await started({ onEof: [], onSigterm: [] })
    const call = made.call('slow')
    await made.logged('message', 'tools/call')
    const closing = made.wire.close()
    const [answers, ms] = await timed(async () => [await call, await made.call('echo')])
    expect(ms).toBeLessThan(250)
    expect(answers.map(({ evidence }) => [evidence?.kind, evidence?.sent])).toEqual([
      ['closed', true],
      ['closed', false],
    ])
    await closing
  })

  it('may be called before the start, twice at once, and after the end', async () => {
    const never = rig()
    await never.wire.close()
    expect(never.order).toEqual(['closed', 'complete', 'onclose'])

    const made = await started()
    await Promise.all([made.wire.close(), made.wire.close()])
    const ended = await started()
    await ended.call('die')
    await ended.wire.close()
    expect([...made.order, ...ended.order].filter((entry) => entry === 'onclose')).toHaveLength(2)
    expect(ended.ofType('closed')).toMatchObject([{ byUs: false }])
  })

  it('may be called while the child dies', async () => {
    for (let delay = 0; delay < 12; delay += 2) {
      const made = await started()
      await made.call('echo')
      process.kill(made.wire.pid ?? 0, 'SIGKILL')
      await new Promise((resolve) => setTimeout(resolve, delay))
      await made.wire.close()
      expect(made.order.slice(1)).toEqual(['closed', 'complete', 'onclose'])
    }
  })

  it.each([
    ['exits on EOF', 'exits on SIGTERM', false, false],
    ['exits on EOF', 'ignores SIGTERM', false, true],
    ['ignores EOF and SIGTERM', 'exits on SIGTERM', true, false],
    ['ignores EOF and SIGTERM', 'ignores SIGTERM', true, true],
  ])('02.04: ends a server that %s behind a wrapper that %s', async (_server, _wrapper, stubborn, ignores) => {
    const log = temporaryFile('log')
    const server = childServer({ log, ...(stubborn ? { onEof: [], onSigterm: [] } : {}) })
    const made = new Rig({ ...wrapper(server, ignores), eofGraceMs: 300, termGraceMs: 300 })
    await made.wire.start()
    await made.request('initialize', initializeParams)
    const both = [made.wire.pid ?? 0, readChildLog(log)[0]?.pid ?? 0]
    expect(both.map(isAlive)).toEqual([true, true])
    const [, ms] = await timed(() => made.wire.close())
    expect(both.map(isAlive)).toEqual([false, false])
    expect(ms).toBeLessThan(1600)
  })

  it('02.04: leaves no server behind when its wrapper was killed', async () => {
    const log = temporaryFile('log')
    const server = childServer({ log, onEof: [], onSigterm: [] })
    const made = new Rig(wrapper(server, false))
    await made.wire.start()
    await made.request('initialize', initializeParams)
    const behind = readChildLog(log)[0]?.pid ?? 0
    process.kill(made.wire.pid ?? 0, 'SIGKILL')
    await made.closed
    await made.wire.close()
    expect(isAlive(behind)).toBe(false)
  })

  it('02.04, 02.05: a descendant in a session of its own is out of reach, gets EOF, and holds nothing up', async () => {
    const made = await started()
    const away = Number((await made.call('spawn', { session: true })).text)
    const [, ms] = await timed(() => made.wire.close())
    expect(ms).toBeLessThan(1500)
    expect(isAlive(away)).toBe(true)
    process.kill(away, 'SIGKILL')
  })

  it('02.07: a child that holds a lock is gone before the next one starts', async () => {
    const lock = temporaryFile('lock')
    const log = temporaryFile('log')
    writeFileSync(log, '')
    const script = {
      log,
      onStart: [{ lock }],
      starts: [{ onStart: [{ lock }, { wait: 5000 }], onEof: [], onSigterm: [] }],
    }
    const first = await started(script, { eofGraceMs: 100, termGraceMs: 100 })
    void first.request('initialize', initializeParams)
    await first.logged('start')
    await until(() => first.log().length > 0)
    await first.wire.close()
    const firstPid = first.log()[0]?.pid ?? 0
    expect(isAlive(firstPid)).toBe(false)
    const second = await started(script)
    expect((await second.request('initialize', initializeParams)).evidence).toBeUndefined()
    expect(second.log().filter(({ event }) => event === 'start')).toHaveLength(2)
  })

  it('10.01: a hundred failed connects leave the listener counts as they were', async () => {
    const names = [
      'exit',
      'SIGINT',
      'SIGTERM',
      'SIGHUP',
      'beforeExit',
      'uncaughtException',
      'unhandledRejection',
    ] as const
    const counts = () => names.map((name) => process.listenerCount(name))
    const warnings: Error[] = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on('warning', warn)
    const before = counts()
    for (let n = 0; n < 10; n++) {
      const rigs = Array.from({ length: 10 }, (_, k) =>
        k % 2
          ? new Rig({ command: 'no-such-command-here' })
          : new Rig({ command: 'sleep', args: ['60'], eofGraceMs: 0 }),
      )
      await Promise.all(rigs.map(({ wire }) => wire.start().catch(() => {})))
      expect(process.listenerCount('exit') - (before[0] ?? 0)).toBe(1)
      await Promise.all(rigs.map(({ wire }) => wire.close()))
    }
    expect(counts()).toEqual(before)
    process.off('warning', warn)
    expect(warnings).toEqual([])
  })
})
