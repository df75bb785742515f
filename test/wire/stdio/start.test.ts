import { chmodSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { WireEvidence } from '../../../machines/evidence.js'
import { WireError } from '../../../src/wire/failure.js'
import type { StdioWireOptions } from '../../../src/wire/stdio/index.js'
import { isAlive, Rig, rig, started, temporaryFile } from './rig.js'

async function failedStart(options: StdioWireOptions): Promise<{ evidence: WireEvidence; made: Rig }> {
  const made = new Rig(options)
  const error = await made.wire.start().then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(WireError)
  return { evidence: (error as WireError).evidence, made }
}

describe('a start that fails', () => {
  it('02.08, 11.02: names a command that is not found, once', async () => {
    const { evidence, made } = await failedStart({ command: 'no-such-command-here', args: ['--token=S3CRET'] })
    expect(evidence).toMatchObject({
      kind: 'spawn',
      wire: 'stdio',
      errno: 'ENOENT',
      subject: 'command',
      target: 'no-such-command-here',
      sent: false,
    })
    expect(JSON.stringify(evidence)).not.toContain('S3CRET')
    expect(made.ofType('closed')).toHaveLength(1)
    expect(made.order).toEqual(['closed', 'complete', 'onclose'])
  })

  it("11.02: looks the command up in the child's PATH", async () => {
    const { evidence } = await failedStart({ command: 'node', env: { PATH: '/nonexistent' } })
    expect(evidence).toMatchObject({ errno: 'ENOENT', subject: 'command' })
    expect(evidence.summary).toContain('PATH')
    expect(JSON.stringify(evidence)).not.toContain('/nonexistent')
  })

  it('names a command that may not be executed', async () => {
    const file = temporaryFile('plain.txt')
    writeFileSync(file, 'hello')
    const { evidence } = await failedStart({ command: file })
    expect(evidence).toMatchObject({ kind: 'spawn', errno: 'EACCES', subject: 'command', target: file })
  })

  it('names a command whose path leads through a file', async () => {
    const file = temporaryFile('plain.txt')
    writeFileSync(file, 'hello')
    const { evidence } = await failedStart({ command: `${file}/server` })
    expect(evidence).toMatchObject({ kind: 'spawn', errno: 'ENOTDIR', subject: 'command' })
  })

  it('11.03: names a working directory that is missing, or none, and not the command', async () => {
    const file = temporaryFile('plain.txt')
    writeFileSync(file, 'hello')
    for (const [cwd, errno] of [
      [`${dirname(file)}/gone`, 'ENOENT'],
      [file, 'ENOTDIR'],
    ] as const) {
      const { evidence } = await failedStart({ command: process.execPath, cwd })
      expect(evidence).toMatchObject({ kind: 'spawn', errno, subject: 'cwd', target: cwd })
    }
  })

  it('11.02: tells a script whose interpreter is missing from one that is missing itself', async () => {
    const file = temporaryFile('server')
    writeFileSync(file, '#!/no/such/interpreter\n')
    chmodSync(file, 0o755)
    const { evidence } = await failedStart({ command: file })
    expect(evidence).toMatchObject({ errno: 'ENOENT', subject: 'command' })
    expect(evidence.summary).toContain('interpreter')
  })

  it('leaves nothing to do for close, in whatever order they come', async () => {
    const { made } = await failedStart({ command: 'no-such-command-here' })
    await made.wire.close()
    const together = new Rig({ command: 'no-such-command-here' })
    const starting = expect(together.wire.start()).rejects.toBeInstanceOf(WireError)
    await together.wire.close()
    await starting
    expect(together.order).toEqual(['closed', 'complete', 'onclose'])
  })
})

describe('a start', () => {
  it('11.02: of a script whose `env` finds no interpreter shows as exit 127 with what was said', async () => {
    const file = temporaryFile('server')
    writeFileSync(file, '#!/usr/bin/env no-such-interpreter\n')
    chmodSync(file, 0o755)
    const made = new Rig({ command: file })
    await made.wire.start()
    const evidence = await made.closed
    expect(evidence).toMatchObject({ kind: 'exit', exit: { code: 127, signal: null } })
    expect(evidence.exit?.stderrTail).toContain('no-such-interpreter')
  })

  it('puts the child into the directory asked for and gives it the environment asked for', async () => {
    const folder = dirname(temporaryFile('x'))
    const made = await started({}, { cwd: folder, env: { OWN: 'mine', HOME: undefined } })
    const about = JSON.parse((await made.call('about')).text ?? '')
    expect(about.pid).toBe(made.wire.pid)
    expect(about.cwd).toBe(folder)
    expect(about.env).toContain('OWN')
    expect(about.env).not.toContain('HOME')
    expect(about.env).not.toContain('VITEST')
  })

  it('happens once in the life of a wire', async () => {
    const made = await started()
    await expect(made.wire.start()).rejects.toThrow('already started')
    await made.wire.close()
    await expect(made.wire.start()).rejects.toThrow('has ended')
  })

  it('is undone when the wire is closed meanwhile', async () => {
    const made = rig()
    const starting = expect(made.wire.start()).rejects.toMatchObject({ evidence: { kind: 'closed' } })
    const pid = made.wire.pid
    await made.wire.close()
    await starting
    expect(pid).toBeDefined()
    expect(isAlive(pid ?? 0)).toBe(false)
    expect(made.order).toEqual(['closed', 'complete', 'onclose'])
  })

  it('refuses limits that are none', () => {
    expect(() => new Rig({ command: 'x', eofGraceMs: Number.POSITIVE_INFINITY })).toThrow(/eofGraceMs/)
    expect(() => new Rig({ command: 'x', maxMessageBytes: Number.NaN })).toThrow(/maxMessageBytes/)
  })
})
