import { describe, expect, it } from 'vitest'
import { SimulatedClock } from 'xstate'
import { NoiseMeter } from '../../../src/wire/stdio/noise.js'
import { processTree, type TreeSystem } from '../../../src/wire/stdio/process-tree.js'
import { StderrTail } from '../../../src/wire/stdio/stderr-tail.js'

describe('noise', () => {
  const meter = () => {
    const clock = Object.assign(new SimulatedClock(), {})
    const told: [string, number][] = []
    const made = new NoiseMeter(clock, (text, count) => told.push([text, count]))
    return { clock, told, add: (text: string) => made.add(() => text), end: () => made.end() }
  }

  it('is told at once the first time, and then once a second with its count', () => {
    const { clock, told, add } = meter()
    add('first')
    expect(told).toEqual([['first', 1]])
    for (let n = 0; n < 100_000; n++) add(`line ${n}`)
    expect(told).toHaveLength(1)
    clock.increment(1000)
    expect(told[1]).toEqual(['line 0', 100_000])
    clock.increment(10_000)
    expect(told).toHaveLength(2)
    add('much later')
    expect(told[2]).toEqual(['much later', 1])
  })
  it('loses no count at the end', () => {
    const { told, add, end } = meter()
    add('a')
    add('b')
    end()
    expect(told).toEqual([
      ['a', 1],
      ['b', 1],
    ])
  })
})

describe('the tail of stderr', () => {
  const redact = (text: string) => text.replace(/token=\S+/g, 'token=…')

  it('keeps the last bytes of a flood', () => {
    const tail = new StderrTail(100, (text) => text)
    for (let n = 0; n < 10_000; n++) tail.push(Buffer.from(`line ${n}\n`))
    expect(tail.text().length).toBeLessThanOrEqual(100)
    expect(tail.text()).toMatch(/line 9998\nline 9999$/)
  })
  it('shows no secret that the cut went through', () => {
    for (let filler = 900; filler < 1200; filler++) {
      const tail = new StderrTail(100, redact)
      tail.push(Buffer.from(`say token=S3CRETS3CRETS3CRETS3CRET ${'x '.repeat(filler / 2)}\nend`))
      expect(tail.text()).not.toContain('CRET')
      expect(tail.text()).toMatch(/end$/)
    }
  })
  it('shows no secret that the cut went through, even when redaction leaves little text', () => {
    for (let shift = 0; shift < 60; shift++) {
      const tail = new StderrTail(100, (text) => text.replace(/token=\S+ /g, ''))
      tail.push(Buffer.from(`${'x'.repeat(shift)}${'token=S3CRETS3CRETS3CRET '.repeat(60)}`))
      expect(tail.text()).not.toContain('CRET')
    }
  })
  it('passes on whole lines, so that a secret in two chunks is redacted, and characters in two chunks are whole', () => {
    const tail = new StderrTail(100, redact)
    const bytes = Buffer.from('a token=S3CRET é\nrest')
    let passed = ''
    for (const byte of bytes) passed += tail.lines(Buffer.from([byte]))
    expect(passed).toBe('a token=… é\n')
    expect(tail.rest()).toBe('rest')
  })
  it('holds no line for ever', () => {
    const tail = new StderrTail(100, (text) => text)
    expect(tail.lines(Buffer.alloc(100_000, 'x'))).toHaveLength(100_000)
  })
})

describe('a process tree', () => {
  const fake = (platform: NodeJS.Platform, kill: TreeSystem['kill'] = () => {}) => {
    const done: unknown[] = []
    const system: TreeSystem = {
      platform,
      kill: (pid, signal) => {
        done.push([pid, signal])
        kill(pid, signal)
      },
      run: (command, args) => done.push([command, ...args]),
    }
    return { tree: processTree(42, system), done }
  }
  const failing = (code: string) => () => {
    throw Object.assign(new Error(code), { code })
  }

  it('is a process group on POSIX', () => {
    const { tree, done } = fake('darwin')
    expect(tree.terminate()).toBe(true)
    tree.kill()
    expect(tree.hasSurvivors()).toBe(true)
    expect(done).toEqual([
      [-42, 'SIGTERM'],
      [-42, 'SIGKILL'],
      [-42, 0],
    ])
  })
  it.each(['ESRCH', 'EPERM'])('has no survivors when signals fail with %s', (code) => {
    const { tree } = fake('linux', failing(code))
    tree.terminate()
    tree.kill()
    expect(tree.hasSurvivors()).toBe(false)
  })
  it('is killed by taskkill on Windows, where there is no request to end', () => {
    const { tree, done } = fake('win32')
    expect(tree.terminate()).toBe(false)
    tree.kill()
    expect(tree.hasSurvivors()).toBe(false)
    expect(done).toEqual([['taskkill', '/PID', '42', '/T', '/F']])
  })
})
