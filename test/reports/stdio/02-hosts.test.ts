import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readChildLog } from '../../../src/testing/child/index.js'
import { watchdogPid } from '../../../src/wire/stdio/watchdog.js'
import { isAlive, started, temporaryFile, timed, until } from '../../wire/stdio/rig.js'

const file = fileURLToPath(new URL('../../wire/stdio/host.ts', import.meta.url))

/** Starts a host in a process group of its own and waits until its child has answered. */
async function host(
  mode: string,
  watchdog = '',
): Promise<{ process: ChildProcess; server: number; output: () => string }> {
  const log = temporaryFile('log')
  const made = spawn(process.execPath, ['--import', 'tsx', file, mode, log, watchdog], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  let output = ''
  made.stdout.on('data', (chunk) => {
    output += chunk
  })
  await until(() => output.includes('ready'), 15_000)
  const server = readChildLog(log)[0]?.pid ?? 0
  return { process: made, server, output: () => output }
}

async function exitOf(made: ChildProcess): Promise<void> {
  if (made.exitCode === null && made.signalCode === null) await once(made, 'exit')
}

describe('a host process', () => {
  it.each(['exit', 'throw'])(
    '02.06: leaves no child when it ends by %s, however stubborn the child is',
    async (mode) => {
      const made = await host(mode)
      await exitOf(made.process)
      await until(() => !isAlive(made.server), 1000)
      expect(made.process.exitCode).toBe(mode === 'exit' ? 0 : 1)
    },
  )

  it('02.06: killed by SIGKILL leaves no child within a second and a half when there is a watchdog', async () => {
    const made = await host('live', 'watchdog')
    expect(isAlive(made.server)).toBe(true)
    made.process.kill('SIGKILL')
    await exitOf(made.process)
    const [, ms] = await timed(() => until(() => !isAlive(made.server)))
    expect(ms).toBeLessThan(1500)
  })

  it('02.12: that survives a Ctrl+C in the terminal keeps its child, and leaves none in the end', async () => {
    const made = await host('live-and-close')
    process.kill(-(made.process.pid ?? 0), 'SIGINT')
    await until(() => made.output().includes('interrupted'))
    expect(isAlive(made.server)).toBe(true)
    made.process.kill('SIGTERM')
    await exitOf(made.process)
    expect(made.process.exitCode).toBe(0)
    expect(isAlive(made.server)).toBe(false)
  })

  it.each(['', 'watchdog'])('10.06: ends by itself once its wire is closed %s', async (watchdog) => {
    const made = await host('empties', watchdog)
    const [, ms] = await timed(() => exitOf(made.process))
    expect(ms).toBeLessThan(2000)
    expect(made.process.exitCode).toBe(0)
  })
})

describe('the watchdog', () => {
  it('is one for all wires, and is gone with the last of them', async () => {
    expect(watchdogPid()).toBeUndefined()
    const wires = await Promise.all([1, 2, 3].map(() => started({}, { watchdog: true })))
    const pid = watchdogPid() ?? 0
    expect(isAlive(pid)).toBe(true)
    await wires[0]?.wire.close()
    await wires[1]?.call('die')
    await wires[1]?.wire.close()
    expect(watchdogPid()).toBe(pid)
    await wires[2]?.wire.close()
    expect(watchdogPid()).toBeUndefined()
    await until(() => !isAlive(pid))
  })

  it('is started anew for the next wire when somebody kills it', async () => {
    const first = await started({}, { watchdog: true })
    const pid = watchdogPid() ?? 0
    process.kill(pid, 'SIGKILL')
    await until(() => watchdogPid() === undefined)
    expect((await first.call('echo', { text: 'unharmed' })).text).toBe('unharmed')
    await started({}, { watchdog: true })
    expect(watchdogPid()).not.toBe(pid)
  })
})
